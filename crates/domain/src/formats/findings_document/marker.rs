//! What the document carries besides what people read: a comment at the end of each item.

use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};

use super::DocumentFinding;
use crate::review::Fingerprint;
use crate::words::Severity;

const OPENING: &str = "<!-- countersign:";
const CLOSING: &str = " -->";

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Marker {
    pub(super) fingerprint: Option<Fingerprint>,
    pub(super) rule: Option<String>,
    pub(super) severity: Option<Severity>,
}

pub(super) fn write(finding: &DocumentFinding) -> String {
    let fingerprint = finding.fingerprint.as_ref().map(|fingerprint| format!("fingerprint={fingerprint}"));
    let rule = finding.rule.as_deref().map(|rule| format!("rule={}", encode(rule)));
    let severity = format!("severity={}", finding.severity);
    let parts: Vec<_> = [fingerprint, rule, Some(severity)].into_iter().flatten().collect();
    format!("{OPENING}{}{CLOSING}", parts.join(" "))
}

/// `None` if the line is not such a comment; what cannot be read in it is left out.
pub(super) fn read(line: &str) -> Option<Marker> {
    let inner = line.trim().strip_prefix(OPENING)?.strip_suffix("-->")?;
    let mut marker = Marker::default();
    for (key, value) in inner.split_whitespace().filter_map(|part| part.split_once('=')) {
        match key {
            "fingerprint" => marker.fingerprint = fingerprint(value),
            "rule" => marker.rule = decode(value),
            "severity" => marker.severity = value.parse().ok(),
            _ => {}
        }
    }
    Some(marker)
}

/// Only what [`Fingerprint::assign`] could have made.
pub(super) fn fingerprint(text: &str) -> Option<Fingerprint> {
    let well_formed =
        text.len() == 32 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    let deserializer: StrDeserializer<'_, Error> = text.into_deserializer();
    well_formed.then(|| Fingerprint::deserialize(deserializer).ok()).flatten()
}

/// Percent-encoded, so that it holds neither white space nor the end of a comment.
fn encode(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._/:".contains(&byte) {
            encoded.push(byte as char);
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digit = |byte: u8| (byte as char).to_digit(16);
                u8::try_from(digit(rest.next()?)? * 16 + digit(rest.next()?)?).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok().filter(|text| !text.is_empty())
}
