//! Reading of single values that models and people write almost right.

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, de::Error};
use serde_json::Value;

use crate::change::RepoPath;
use crate::words::{Category, Dimension, Level, Severity};

/// What stands where a path would, for a finding about no file in particular.
pub(super) const WHOLE_CHANGE: &str = "the change as a whole";

const PATH_LIMIT: usize = 4_096;

/// Severities, levels and the usual synonyms. `None` for any other word.
pub(super) fn severity(word: &str) -> Option<Severity> {
    let word = word.trim().trim_matches(['*', '[', ']', '`', ':']).to_ascii_lowercase();
    word.parse().ok().or(match word.as_str() {
        "blocker" | "blocking" | "fatal" => Some(Severity::Critical),
        "error" | "important" => Some(Level::Error.severity()),
        "moderate" => Some(Severity::Medium),
        "warning" | "warn" => Some(Level::Warning.severity()),
        "info" | "note" | "trivial" | "nit" => Some(Level::Info.severity()),
        _ => None,
    })
}

/// The category a free word or a dimension's name comes nearest to; correctness where nothing fits.
pub(super) fn category(word: &str) -> Category {
    if let Ok(category) = word.parse() {
        return category;
    }
    let word = word.trim().to_ascii_lowercase().replace([' ', '-'], "_");
    if let Some((dimension, _)) = Dimension::BUILT_IN.iter().find(|(known, _)| known.as_str() == word) {
        return dimension.category();
    }
    const HINTS: [(Category, &[&str]); 5] = [
        (Category::Security, &["secur", "vulnerab", "inject", "auth", "secret", "crypto"]),
        (Category::Performance, &["perform", "efficien", "memory", "latency", "n+1"]),
        (Category::Testing, &["test", "coverage"]),
        (Category::Readability, &["read", "naming", "style", "document", "maintain", "clean", "quality"]),
        (Category::BestPractices, &["practice", "pattern", "convention", "architect", "consisten", "design"]),
    ];
    HINTS
        .into_iter()
        .find(|(_, hints)| hints.iter().any(|hint| word.contains(hint)))
        .map_or(Category::Correctness, |(category, _)| category)
}

/// A dimension by its name, or the one its name's nearest category counts against.
pub(super) fn dimension(name: &str) -> Dimension {
    let tidy = name.trim().to_ascii_lowercase().replace([' ', '-'], "_");
    match Dimension::BUILT_IN.into_iter().find(|(known, _)| known.as_str() == tidy) {
        Some((known, _)) => known,
        None => category(name).dimension(),
    }
}

/// Line numbers start at 1; everything else is no line number.
pub(super) fn line_number(value: &Value) -> Option<u32> {
    let number = match value {
        Value::Number(number) => number.as_u64()?,
        Value::String(text) => leading_number(text.trim().trim_start_matches(['L', 'l', '#'])).0?,
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    u32::try_from(number).ok().filter(|number| *number > 0)
}

/// The number a text starts with, and what follows it.
pub(super) fn leading_number(text: &str) -> (Option<u64>, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    (text[..end].parse().ok(), &text[end..])
}

/// A path as somebody wrote it; `None` if it is none or absurdly long.
pub(super) fn path(text: &str) -> Option<RepoPath> {
    let text = text.trim().trim_matches('`');
    let text = text.strip_prefix("./").unwrap_or(text);
    if text.is_empty() || text == WHOLE_CHANGE || text.len() > PATH_LIMIT {
        return None;
    }
    Some(RepoPath::try_from(text.to_owned()).unwrap_or_else(|_| RepoPath::from_bytes(text)))
}

/// `path:line`, `path`, or that there is none. [`read_location`] reads it back exactly.
pub(super) fn location(path: Option<&RepoPath>, line: Option<u32>) -> String {
    match (path, line) {
        (Some(path), Some(line)) => format!("{}:{line}", unmistakable(path)),
        (Some(path), None) => unmistakable(path),
        (None, _) => WHOLE_CHANGE.to_owned(),
    }
}

/// As the path prints, or quoted where the text around it could be taken for part of it.
fn unmistakable(path: &RepoPath) -> String {
    let shown = path.to_string();
    let (read, line) = read_location(&shown);
    let plain = read.as_ref() == Some(path)
        && line.is_none()
        && !shown.contains("<!--")
        && shown.split_whitespace().collect::<Vec<_>>().join(" ") == shown;
    if plain {
        return shown;
    }
    let mut quoted = String::from("\"");
    for &byte in path.as_bytes() {
        match byte {
            b' '..=b'~' if !b"\"\\<".contains(&byte) => quoted.push(byte as char),
            _ => quoted.push_str(&format!("\\{byte:03o}")),
        }
    }
    quoted.push('"');
    quoted
}

/// Where a finding says it is. A range counts as its first line, a column is left out.
pub(super) fn read_location(text: &str) -> (Option<RepoPath>, Option<u32>) {
    let text = text.trim().trim_matches('`');
    if text.starts_with('"')
        && let Some(end) = text.rfind('"').filter(|end| *end > 0)
    {
        let line = text[end + 1..].strip_prefix(':').and_then(|line| leading_number(line).0);
        let path = (end < PATH_LIMIT * 4).then(|| RepoPath::try_from(text[..=end].to_owned()).ok()).flatten();
        return (
            path.filter(|path| path.as_bytes().len() <= PATH_LIMIT),
            line.and_then(|line| u32::try_from(line).ok()),
        );
    }
    match text.rsplit_once(':') {
        Some((before, number)) if !before.is_empty() => match leading_number(number) {
            (Some(line), rest) if rest.is_empty() || rest.starts_with(['-', '–']) => {
                (path(before), u32::try_from(line).ok())
            }
            _ => (path(text), None),
        },
        _ => (path(text), None),
    }
}

pub(super) fn de_line<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    Ok(line_number(&Value::deserialize(deserializer)?))
}

pub(super) fn de_path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<RepoPath>, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.as_deref().and_then(path))
}

pub(super) fn de_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.unwrap_or_default())
}

pub(super) fn de_level<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Level, D::Error> {
    let word = String::deserialize(deserializer)?;
    severity(&word).map(Severity::level).ok_or_else(|| {
        D::Error::custom(format!("unknown severity `{word}`: expected warning, error or info"))
    })
}

/// With or without an offset; without one it is taken for UTC.
pub(crate) fn de_timestamp<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
    let text = String::deserialize(deserializer)?;
    timestamp(&text).ok_or_else(|| {
        D::Error::custom(format!("`{text}` is not an ISO 8601 timestamp: write 2026-02-03T10:00:00Z"))
    })
}

pub(super) fn timestamp(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let text = text.strip_suffix("UTC").unwrap_or(text).trim_end();
    text.parse().ok().or_else(|| {
        let civil: jiff::civil::DateTime = text.parse().ok()?;
        civil.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn unknown_categories_find_their_nearest() {
        let cases = [
            ("Best Practices", Category::BestPractices),
            ("Error Handling", Category::Correctness),
            ("security_performance", Category::Security),
            ("Test coverage", Category::Testing),
            ("Code Style", Category::Readability),
            ("", Category::Correctness),
        ];
        for (word, expected) in cases {
            assert_eq!(category(word), expected, "{word}");
        }
    }

    #[test]
    fn line_numbers_come_in_many_shapes() {
        let read = |value: serde_json::Value| line_number(&value);
        assert_eq!(read("45".into()), Some(45));
        assert_eq!(read("L45-50".into()), Some(45));
        assert_eq!(read(45.into()), Some(45));
        assert_eq!(read(0.into()), None);
        assert_eq!(read((-3).into()), None);
        assert_eq!(read("none".into()), None);
    }

    #[test]
    fn a_location_is_a_path_and_perhaps_a_line() {
        let read = |text| {
            let (path, line) = read_location(text);
            (path.map(|path| path.to_string()), line)
        };
        assert_eq!(read("src/a.ts:45-50"), (Some("src/a.ts".into()), Some(45)));
        assert_eq!(read("`src/a.ts`"), (Some("src/a.ts".into()), None));
        assert_eq!(read("the change as a whole"), (None, None));
    }

    #[test]
    fn a_timestamp_without_an_offset_is_utc() {
        assert_eq!(timestamp("2026-02-03 10:00"), timestamp("2026-02-03T10:00:00Z"));
        assert!(timestamp("YYYY-MM-DD HH:MM").is_none());
    }

    proptest! {
        #[test]
        fn a_location_reads_back(
            bytes in prop_oneof![
                proptest::collection::vec(1u8.., 1..20),
                "[ab:0-9<!\\-\"` ./]{1,12}".prop_map(String::into_bytes)
            ],
            line in proptest::option::of(1u32..),
        ) {
            let path = RepoPath::from_bytes(bytes);
            let shown = location(Some(&path), line);
            prop_assert_eq!(read_location(&shown), (Some(path), line), "{}", shown);
        }

        #[test]
        fn reading_a_location_never_panics(text in "(?s).{0,40}") {
            read_location(&text);
            timestamp(&text);
            severity(&text);
            category(&text);
        }
    }
}
