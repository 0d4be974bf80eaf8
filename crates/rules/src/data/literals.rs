//! Words that have to stand in a file before a pattern can match in it.

use ast_grep_config::SerializableRule;
use serde_json::Value;

/// One of these stands in every match. `None`: nothing can be said, and every file has to be parsed.
pub(super) fn required(rule: &SerializableRule) -> Option<Vec<String>> {
    of_value(&serde_json::to_value(rule).ok()?)
}

fn of_value(rule: &Value) -> Option<Vec<String>> {
    let of_pattern = rule.get("pattern").and_then(|pattern| match pattern {
        Value::String(text) => word(text).map(|word| vec![word]),
        other => other.get("context").and_then(Value::as_str).and_then(word).map(|word| vec![word]),
    });
    let of_any = || {
        let all = rule.get("any")?.as_array()?.iter().map(of_value).collect::<Option<Vec<_>>>()?;
        Some(all.concat())
    };
    let of_all = || rule.get("all")?.as_array()?.iter().find_map(of_value);
    // What a relation asks for stands in the file too, unless it is denied.
    let of_has = || ["has", "inside"].iter().find_map(|relation| of_value(rule.get(relation)?));
    of_pattern.or_else(of_all).or_else(of_any).or_else(of_has)
}

/// The longest name in a pattern that is no meta-variable.
fn word(pattern: &str) -> Option<String> {
    let mut words: Vec<&str> = Vec::new();
    let mut rest = pattern;
    while let Some(start) = rest.find(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$')) {
        let tail = &rest[start..];
        let end =
            tail.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '$'))).unwrap_or(tail.len());
        if !tail.starts_with('$') {
            words.push(&tail[..end]);
        }
        rest = &tail[end..];
    }
    words.into_iter().filter(|word| word.len() > 1).max_by_key(|word| word.len()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(yaml: &str) -> Option<Vec<String>> {
        required(&ast_grep_config::from_str(yaml).unwrap())
    }

    #[test]
    fn a_pattern_needs_its_longest_name() {
        assert_eq!(of("pattern: subprocess.run($$$A, shell=True)"), Some(vec!["subprocess".to_owned()]));
        let any = of("any: [{pattern: eval($A)}, {pattern: 'exec($A)'}]");
        assert_eq!(any, Some(vec!["eval".to_owned(), "exec".to_owned()]));
    }

    #[test]
    fn where_nothing_is_certain_nothing_is_said() {
        assert_eq!(of("kind: call"), None);
        assert_eq!(of("any: [{pattern: eval($A)}, {kind: call}]"), None);
        assert_eq!(of("{kind: call, not: {pattern: eval($A)}}"), None);
    }
}
