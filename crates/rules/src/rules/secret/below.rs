//! A value that stands below its name: `name: X` and `value: Y`, `<key>X</key>` and `<string>Y</string>`,
//! `variable "X" {` and `default = Y`.

use super::name::Name;
use super::operator::Operator;
use super::tokens::is_word;

/// How many lines below the name are looked at: a variable of Terraform may have a type and a description first.
pub(super) const FARTHEST: usize = 5;

/// What introduces a name whose value follows by itself.
const NAMING: [&[u8]; 4] = [b"name", b"key", b"parameterkey", b"variable"];
const GIVING: [&[u8]; 3] = [b"value", b"default", b"parametervalue"];
const ELEMENTS: [&[u8]; 2] = [b"<string>", b"<value>"];

/// Where the value starts, and how it has to be read.
pub(super) fn value(name: &Name<'_>) -> Option<(Operator, usize)> {
    let text = name.text;
    let feed = line_end(text, name.range.end)?;
    if !introduces(name.before()) || !closes(&text[name.range.end..feed]) {
        return None;
    }
    let mut start = feed + 1;
    for _ in 0..FARTHEST {
        let end = line_end(text, start).unwrap_or(text.len());
        let line = &text[start..end];
        if let Some(found) = given(line) {
            return Some((found.0, start + found.1));
        }
        let goes_on = !line.trim_ascii().is_empty() && !introduces_another(line) && !ends_block(line);
        start = end + 1;
        if !goes_on || start >= text.len() {
            return None;
        }
    }
    None
}

/// Whether the line could be such a name, so that those below it are worth a look.
pub(super) fn may_follow(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    introduces_another(line)
        || (line.starts_with(b"<") && line.ends_with(b">") && !line.ends_with(b"/>"))
        || (line.starts_with(b"variable ") && line.ends_with(b"{"))
}

fn ends_block(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.starts_with(b"}") || line.starts_with(b"]") || line.starts_with(b"</")
}

fn introduces_another(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let item = line.strip_prefix(b"-").unwrap_or(line).trim_ascii_start();
    let end = item.iter().position(|byte| b":=".contains(byte)).unwrap_or(0);
    let key = item[..end].trim_ascii();
    NAMING.iter().any(|word| bare(key).eq_ignore_ascii_case(word))
}

/// `- name: `, `"name": "`, `<key>`, `<property name="`, `variable "`
fn introduces(before: &[u8]) -> bool {
    let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    // The path to it: `acme.api.` of `acme.api.secret`.
    let path = line.iter().rev().take_while(|byte| is_word(**byte) || **byte == b'.').count();
    let line = if line.ends_with(b".") { &line[..line.len() - path] } else { line };
    let head = line.strip_suffix(b"\"").or_else(|| line.strip_suffix(b"'")).unwrap_or(line).trim_ascii_end();
    let head = head.strip_suffix(b":").or_else(|| head.strip_suffix(b"=")).unwrap_or(head).trim_ascii_end();
    let is_element = head.ends_with(b"<key>") || head.ends_with(b"<name>");
    let word = head.rsplit(|byte| b" \t<{,-".contains(byte)).next().unwrap_or_default();
    is_element || NAMING.iter().any(|naming| bare(word).eq_ignore_ascii_case(naming))
}

/// Nothing but what ends the name stands behind it.
fn closes(rest: &[u8]) -> bool {
    let rest = rest.trim_ascii();
    let rest = rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"'")).unwrap_or(rest).trim_ascii();
    [&b""[..], b",", b">", b"{", b"</key>", b"</name>"].contains(&rest)
}

fn given(line: &[u8]) -> Option<(Operator, usize)> {
    let from = line.len() - line.trim_ascii_start().len();
    let rest = &line[from..];
    if let Some(element) = ELEMENTS.iter().find(|element| rest.starts_with(element)) {
        return Some((Operator::Element, from + element.len()));
    }
    let sign = rest.iter().take(24).position(|byte| b":=".contains(byte))?;
    let key = rest[..sign].trim_ascii();
    let gives = GIVING.iter().any(|word| bare(key).eq_ignore_ascii_case(word));
    gives.then_some((Operator::Assigned, from + sign + 1))
}

/// Without quotes.
fn bare(word: &[u8]) -> &[u8] {
    let inner = |quote: &[u8]| word.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    inner(b"\"").or_else(|| inner(b"'")).unwrap_or(word)
}

fn line_end(text: &[u8], from: usize) -> Option<usize> {
    let reach = text.get(from..text.len().min(from + 400))?;
    memchr::memchr(b'\n', reach).map(|at| from + at)
}
