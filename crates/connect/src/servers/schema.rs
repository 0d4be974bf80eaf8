use std::sync::Arc;

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// The schema of a type, whole in itself, without the words that only schema tools need: an agent pays for every one of
/// them in every conversation.
pub(super) fn schema<T: JsonSchema>() -> Arc<JsonObject> {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    shorten(&mut schema);
    let mut fields = match schema {
        Value::Object(fields) => fields,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
    };
    fields.shift_remove("description");
    fields.entry("type").or_insert("object".into());
    Arc::new(fields)
}

fn shorten(schema: &mut Value) {
    let Value::Object(fields) = schema else { return };
    for word in ["$schema", "title", "format"] {
        fields.shift_remove(word);
    }
    for (name, value) in fields.iter_mut() {
        match (name.as_str(), value) {
            ("properties", Value::Object(properties)) => properties.values_mut().for_each(shorten),
            ("items" | "additionalProperties", inner) => shorten(inner),
            ("anyOf" | "oneOf", Value::Array(choices)) => choices.iter_mut().for_each(shorten),
            _ => {}
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
    }

    #[test]
    fn a_schema_says_what_is_needed_and_no_more() {
        let expected = json!({"type": "object", "required": ["count"], "properties": {
            "count": {"description": "How many.", "type": "integer", "minimum": 0}}});
        assert_eq!(Value::Object((*schema::<Sample>()).clone()), expected);
    }
}
