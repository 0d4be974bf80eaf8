use serde_json::Value;

/// Places where an object could begin that are tried, so that a text made of braces costs no more than others.
const ATTEMPTS: usize = 100;
/// Of a longer text only the end is looked at.
const LONGEST: usize = 2 << 20;

/// The JSON object in an answer that should be nothing but that, and often is not: it may stand in a code fence or
/// between sentences. Of several, the largest counts, and of equal ones the last.
pub fn find_json(text: &str) -> Option<Value> {
    let text = text.trim();
    if let Ok(value @ Value::Object(_)) = serde_json::from_str(text) {
        return Some(value);
    }
    let text = &text[text.ceil_char_boundary(text.len().saturating_sub(LONGEST))..];
    let mut best: Option<(usize, Value)> = None;
    let mut from = 0;
    for _ in 0..ATTEMPTS {
        let Some(start) = text[from..].find('{').map(|at| from + at) else { break };
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        match values.next() {
            Some(Ok(value @ Value::Object(_))) => {
                let length = values.byte_offset();
                if best.as_ref().is_none_or(|(largest, _)| length >= *largest) {
                    best = Some((length, value));
                }
                from = start + length;
            }
            _ => from = start + 1,
        }
    }
    best.map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn an_object_is_found_in_fences_and_between_words() {
        let report = json!({"findings": [{"message": "a } b"}]});
        for text in [
            report.to_string(),
            format!("```json\n{report}\n```"),
            format!("Here you are: {{not json}} {report} Anything else?"),
            format!("{{\"a\":1}} {report}"),
        ] {
            assert_eq!(find_json(&text), Some(report.clone()), "{text}");
        }
    }

    #[test]
    fn half_an_object_is_none() {
        assert_eq!(find_json("{\"findings\": [{\"message\": \"cut of"), None);
        assert_eq!(find_json("[1, 2]"), None);
        assert_eq!(find_json(""), None);
    }

    #[test]
    fn braces_alone_cost_little() {
        assert_eq!(find_json(&"{".repeat(1_000_000)), None);
        assert_eq!(find_json(&"{\"a\":".repeat(200_000)), None);
    }

    proptest! {
        #[test]
        fn never_panics(text in "(?s)[{}\\[\\]\":,a-z0-9é\\\\ \n]{0,80}") {
            find_json(&text);
        }
    }
}
