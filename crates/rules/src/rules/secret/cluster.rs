//! The values of a Kubernetes Secret, which base64 hides from readers and from nobody else.

use super::detect::{Assurance, Found, Grade};
use super::encoded::decode;
use super::sample::is_sample_password;
use super::shape::{Strength, strength};
use super::tokens::Alphabet;

pub(super) const VALUE: &str = "a value of a Kubernetes Secret";

/// Every value that looks like a secret once it is decoded, by the documents of the text.
pub(super) fn secrets(text: &[u8]) -> Vec<Found> {
    let mut found = Vec::new();
    let mut document = Document::default();
    let mut start = 0;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        document.read(line, start);
        if line.starts_with(b"---") {
            found.append(&mut std::mem::take(&mut document).into_found());
        }
        start += line.len();
    }
    found.append(&mut document.into_found());
    found
}

/// One object of a file.
#[derive(Debug, Default)]
struct Document {
    is_secret: bool,
    in_data: bool,
    values: Vec<Found>,
}

impl Document {
    fn read(&mut self, line: &[u8], start: usize) {
        let indented = line.first().is_some_and(|byte| b" \t".contains(byte));
        let trimmed = line.trim_ascii();
        if !indented && !trimmed.is_empty() && !trimmed.starts_with(b"#") {
            self.in_data = trimmed == b"data:";
            self.is_secret |= is_kind_secret(trimmed);
        } else if self.in_data {
            self.values.extend(value(line, start));
        }
    }

    fn into_found(self) -> Vec<Found> {
        if self.is_secret { self.values } else { Vec::new() }
    }
}

fn is_kind_secret(line: &[u8]) -> bool {
    let kind = line.strip_prefix(b"kind:").map(<[u8]>::trim_ascii);
    kind.is_some_and(|kind| {
        let bare: Vec<u8> = kind.iter().copied().filter(|byte| !b"\"'".contains(byte)).collect();
        bare.eq_ignore_ascii_case(b"secret")
    })
}

fn value(line: &[u8], start: usize) -> Option<Found> {
    let colon = line.iter().take(100).position(|byte| *byte == b':')?;
    let gap = line[colon + 1..].iter().take(10).take_while(|byte| b" \"'".contains(byte)).count();
    let from = colon + 1 + gap;
    let run = Alphabet::Base64.run(&line[from..]);
    let closed = line[from + run..].iter().all(|byte| b"\"' \r\n".contains(byte));
    let decoded = decode(&line[from..from + run])
        .filter(|bytes| bytes.iter().all(|byte| byte.is_ascii_graphic() || b" \r\n".contains(byte)))?;
    let decoded = decoded.trim_ascii();
    let random = match strength(decoded, 8)? {
        Strength::Random => true,
        Strength::Chosen | Strength::Weak => false,
    };
    let real = gap > 0 && run >= 11 && closed && !is_sample_password(decoded);
    real.then(|| Found {
        range: start + from..start + from + run,
        shown: 0,
        what: VALUE,
        grade: Grade::Quoted,
        assurance: Assurance::Likely,
        random,
    })
}
