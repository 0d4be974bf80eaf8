use domain::text::{is_invisible, visible};
use serde_json::Value;

/// No text in an answer is longer than this, in characters: an agent's context is not the place for more.
const LONGEST: usize = 16_000;

/// Everything in an answer as an agent may read it: what others wrote holds nothing invisible and no terminal
/// sequence, and ends somewhere.
pub(crate) fn cleaned(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(cleaned_text(text)),
        Value::Array(items) => items.into_iter().map(cleaned).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (cleaned_text(name), cleaned(value))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

/// A whole document, without what nobody would see.
pub(crate) fn visible_text(text: String) -> String {
    let harmless = |c: char| !is_invisible(c) && (!c.is_control() || c == '\n' || c == '\t');
    if text.chars().all(harmless) { text } else { visible(&text).collect() }
}

fn cleaned_text(text: String) -> String {
    let text = visible_text(text);
    match text.char_indices().nth(LONGEST) {
        None => text,
        Some((end, _)) => {
            let more = text[end..].chars().count();
            format!("{}… ({more} more characters)", &text[..end])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_nobody_sees_does_not_reach_an_agent() {
        let hostile = json!({"a\u{200b}": ["b\u{1b}[2J\u{202e}c\n\td"], "n": 1});
        assert_eq!(cleaned(hostile), json!({"a": ["bc\n\td"], "n": 1}));
    }

    #[test]
    fn a_text_without_end_is_cut_and_says_so() {
        let cut = cleaned_text("x".repeat(LONGEST + 7));
        assert!(cut.ends_with("… (7 more characters)"), "{}", &cut[LONGEST..]);
    }
}
