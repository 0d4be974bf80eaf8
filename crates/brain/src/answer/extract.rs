//! JSON, wherever it is in an answer.

use serde_json::Value;

/// More of an answer than this is not looked at.
pub(super) const LONGEST: usize = 1 << 20;
/// Attempts at reading JSON that came to nothing, so that hostile text costs no more than its length.
const MOST_FAILURES: usize = 256;

/// The part of an answer that is looked at.
pub(super) fn bounded(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}

/// The answer as one JSON value, with nothing around it but white space or one code fence.
pub(super) fn whole(text: &str) -> Option<Value> {
    let text = text.trim();
    let inner = match text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```")) {
        Some(fenced) => fenced.split_once('\n').map_or(fenced, |(_, content)| content),
        None => text,
    };
    serde_json::from_str(inner).ok()
}

/// Every object, and every array of objects, that stands somewhere in the text. What is inside of another is not
/// listed again.
pub(super) fn values(text: &str) -> Vec<Value> {
    let mut values = Vec::new();
    let mut failures = 0;
    let mut at = 0;
    while let Some(start) = next_opening(text, at) {
        let mut stream = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        match stream.next() {
            Some(Ok(value)) => {
                at = start + stream.byte_offset();
                values.push(value);
            }
            Some(Err(_)) | None => {
                at = start + 1;
                failures += 1;
            }
        }
        if failures > MOST_FAILURES {
            break;
        }
    }
    values
}

/// The words around the values in a text.
pub(super) fn around(text: &str) -> String {
    let mut words = String::new();
    let mut at = 0;
    while let Some(start) = next_opening(text, at) {
        let mut stream = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        let Some(Ok(_)) = stream.next() else { break };
        words.push_str(&text[at..start]);
        words.push('\n');
        at = start + stream.byte_offset();
    }
    words + &text[at..]
}

/// `{` before a `"` or a `}`, `[` before a `{` or a `]`: nothing else can be a report.
fn next_opening(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut opening: Option<(usize, u8)> = None;
    for (at, &byte) in bytes.iter().enumerate().skip(from) {
        match (opening, byte) {
            (_, b' ' | b'\t' | b'\r' | b'\n') => {}
            (Some((start, b'{')), b'"' | b'}') | (Some((start, b'[')), b'{' | b']') => return Some(start),
            (_, b'{' | b'[') => opening = Some((at, byte)),
            (_, _) => opening = None,
        }
    }
    None
}

/// The complete entries of a list of findings that was cut off in the middle.
pub(super) fn cut_off_entries(text: &str) -> Vec<Value> {
    let Some(key) = text.find("\"findings\"") else { return Vec::new() };
    let Some(open) = text[key..].find('[') else { return Vec::new() };
    let mut rest = &text[key + open + 1..];
    let mut entries = Vec::new();
    loop {
        rest = rest.trim_start_matches([',', ' ', '\t', '\r', '\n']);
        if !rest.starts_with('{') {
            return entries;
        }
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        let Some(Ok(entry)) = stream.next() else { return entries };
        let read = stream.byte_offset();
        entries.push(entry);
        rest = &rest[read..];
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn json_is_found_in_prose_and_fences() {
        let text =
            "Sure! Here it is:\n```json\n{\"a\": [1, {\"b\": 2}]}\n```\nand also [{\"c\": 3}] {not json}.";
        assert_eq!(values(text), [json!({"a": [1, {"b": 2}]}), json!([{"c": 3}])]);
        assert_eq!(whole("```json\n{\"a\":1}\n```\n"), Some(json!({"a": 1})));
        assert_eq!(whole("x {\"a\":1}"), None);
    }

    #[test]
    fn of_a_list_that_was_cut_off_the_complete_entries_are_kept() {
        let text = r#"{"summary":"x","findings":[{"a":1},{"b":"]}"},{"c":"#;
        assert_eq!(cut_off_entries(text), [json!({"a": 1}), json!({"b": "]}"})]);
        assert!(cut_off_entries("{\"find").is_empty());
    }

    #[test]
    fn hostile_text_is_read_in_bounds() {
        for piece in ["{\"a\":", "[{", "[[", "{\"", "{\"a\":1,", "[{\"a\":\"", "\u{0}{\"\u{1b}"] {
            values(bounded(&piece.repeat(10 * LONGEST / piece.len())));
        }
    }

    proptest! {
        #[test]
        fn reading_never_panics(text in "(?s)([\\[{}\\]\":,a0 \n`\\\\]|.){0,80}") {
            values(&text);
            whole(&text);
            cut_off_entries(&text);
        }
    }
}
