use std::sync::Arc;

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// Which side of a call a schema describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Input,
    Output,
}

/// The schema of a type, whole in itself, without the words that only schema tools need: an agent pays for every one of
/// them in every conversation.
pub(super) fn schema<T: JsonSchema>(side: Side) -> Arc<JsonObject> {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    shorten(&mut schema, side);
    let mut fields = match schema {
        Value::Object(fields) => fields,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
    };
    fields.shift_remove("description");
    fields.entry("type").or_insert("object".into());
    Arc::new(fields)
}

fn shorten(schema: &mut Value, side: Side) {
    let Value::Object(fields) = schema else { return };
    for word in ["$schema", "title", "format", "default"] {
        fields.shift_remove(word);
    }
    if side == Side::Input {
        without_null(fields);
    }
    for (name, value) in fields.iter_mut() {
        match (name.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                properties.values_mut().for_each(|field| shorten(field, side));
            }
            ("items" | "additionalProperties", inner) => shorten(inner, side),
            ("anyOf" | "oneOf", Value::Array(choices)) => {
                choices.iter_mut().for_each(|choice| shorten(choice, side));
            }
            _ => {}
        }
    }
}

/// What may be left out may be null as well; saying so of each field helps nobody.
fn without_null(fields: &mut Map<String, Value>) {
    for word in ["type", "enum"] {
        if let Some(Value::Array(choices)) = fields.get_mut(word) {
            choices.retain(|choice| !choice.is_null() && choice != "null");
        }
    }
    if let Some(Value::Array(kinds)) = fields.get("type")
        && let [kind] = &kinds[..]
    {
        let kind = kind.clone();
        fields.insert("type".to_owned(), kind);
    }
    if let Some(Value::Array(choices)) = fields.get_mut("anyOf") {
        choices.retain(|choice| choice.get("type") != Some(&"null".into()));
        if let [Value::Object(only)] = &choices[..] {
            let only = only.clone();
            fields.shift_remove("anyOf");
            only.into_iter().for_each(|(name, value)| _ = fields.entry(name).or_insert(value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Sample {
        /// How many.
        count: u32,
        #[serde(default)]
        name: Option<String>,
    }

    #[test]
    fn a_schema_says_what_is_needed_and_no_more() {
        let expected = json!({"type": "object", "required": ["count"], "properties": {
            "count": {"description": "How many.", "type": "integer", "minimum": 0}, "name": {"type": "string"}}});
        assert_eq!(Value::Object((*schema::<Sample>(Side::Input)).clone()), expected);
        let output = schema::<Sample>(Side::Output);
        assert_eq!(output["properties"]["name"]["type"], json!(["string", "null"]));
    }
}
