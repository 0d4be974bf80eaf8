//! What providers demand of a schema before they let it bind a model's answer.

use serde_json::Value;

use super::api::{Refusal, invalid};

/// How much a schema has to spell out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Strictness {
    /// Anthropic: every object is closed.
    Closed,
    /// OpenAI: every object is closed, and every property required.
    ClosedAndRequired,
}

pub(super) fn check(schema: &Value, strictness: Strictness, place: &str) -> Result<(), Refusal> {
    if !schema.is_object() {
        return Err(invalid(format!("{place}: Input should be a valid dictionary")));
    }
    if schema["type"] != "object" && schema.get("$ref").is_none() {
        return Err(invalid(format!("{place}: schema must have type 'object'")));
    }
    check_node(schema, strictness, place)
}

fn check_node(node: &Value, strictness: Strictness, place: &str) -> Result<(), Refusal> {
    if let Some(properties) = node["properties"].as_object() {
        if node["additionalProperties"] != Value::Bool(false) {
            return Err(invalid(format!(
                "{place}: For 'object' type, 'additionalProperties' must be explicitly set to false"
            )));
        }
        if strictness == Strictness::ClosedAndRequired {
            let required: Vec<&str> =
                node["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            if let Some(missing) = properties.keys().find(|name| !required.contains(&name.as_str())) {
                return Err(invalid(format!(
                    "{place}: 'required' is required to be supplied and to be an array including every key in \
                     properties. Missing '{missing}'."
                )));
            }
        }
    }
    match node {
        Value::Object(fields) => fields.values().try_for_each(|field| check_node(field, strictness, place)),
        Value::Array(items) => items.iter().try_for_each(|item| check_node(item, strictness, place)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}
