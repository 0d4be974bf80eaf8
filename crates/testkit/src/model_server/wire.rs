//! What the formats have in common.

use serde_json::Value;

use super::api::{Refusal, invalid};

/// Streams come in pieces, and a piece may end anywhere between two characters.
pub(super) fn pieces(text: &str) -> Vec<String> {
    const LENGTH: usize = 12;
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(LENGTH).map(|piece| piece.iter().collect()).collect()
}

pub(super) fn string<'a>(body: &'a Value, field: &str) -> Result<&'a str, Refusal> {
    match &body[field] {
        Value::String(string) if !string.is_empty() => Ok(string),
        Value::Null => Err(invalid(format!("{field}: Field required"))),
        _ => Err(invalid(format!("{field}: Input should be a valid string"))),
    }
}

pub(super) fn items<'a>(body: &'a Value, field: &str) -> Result<&'a Vec<Value>, Refusal> {
    match &body[field] {
        Value::Array(items) if !items.is_empty() => Ok(items),
        Value::Array(_) => Err(invalid(format!("{field}: at least one is required"))),
        Value::Null => Err(invalid(format!("{field}: Field required"))),
        _ => Err(invalid(format!("{field}: Input should be a valid list"))),
    }
}

pub(super) fn check_tool_name(name: &str, place: &str, taken: &[&str]) -> Result<(), Refusal> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() || name.len() > 64 || !name.chars().all(allowed) {
        return Err(invalid(format!("{place}: String should match pattern '^[a-zA-Z0-9_-]{{1,64}}$'")));
    }
    if taken.contains(&name) {
        return Err(invalid(format!("{place}: Tool names must be unique.")));
    }
    Ok(())
}

/// Ids that stay the same for the same script, and differ within a conversation.
pub(super) fn call_id(prefix: &str, question: Option<usize>, call: usize) -> String {
    format!("{prefix}_{:04}{call:04}", question.unwrap_or_default())
}
