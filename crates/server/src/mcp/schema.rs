use std::sync::Arc;

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// Which side of a call a schema describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Input,
    Output,
}

/// The schema of a type in as few words as it takes: whole in itself, without titles, drafts and formats of numbers. An
/// agent pays for every one of them in every conversation.
pub(crate) fn schema<T: JsonSchema>(side: Side) -> Arc<JsonObject> {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut fields = match schema.to_value() {
        Value::Object(fields) => fields,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
    };
    shorten(&mut fields, side);
    fields.shift_remove("description");
    fields.entry("type").or_insert("object".into());
    Arc::new(fields)
}

fn shorten(schema: &mut Map<String, Value>, side: Side) {
    for word in ["$schema", "title", "format", "default"] {
        schema.shift_remove(word);
    }
    match side {
        Side::Input => without_null(schema),
        // Names have to do: agents see what they get.
        Side::Output => _ = schema.shift_remove("description"),
    }
    if schema.get("minimum") == Some(&0.into()) && !schema.contains_key("maximum") {
        schema.shift_remove("minimum");
    }
    for (name, value) in schema.iter_mut() {
        match (name.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                properties
                    .values_mut()
                    .filter_map(Value::as_object_mut)
                    .for_each(|field| shorten(field, side));
            }
            ("items" | "additionalProperties", Value::Object(inner)) => shorten(inner, side),
            ("anyOf" | "oneOf", Value::Array(choices)) => {
                choices.iter_mut().filter_map(Value::as_object_mut).for_each(|choice| shorten(choice, side));
            }
            _ => {}
        }
    }
}

/// What may be left out may be null as well; saying so of each field helps nobody.
fn without_null(schema: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [kind] = &types[..] {
            let kind = kind.clone();
            schema.insert("type".to_owned(), kind);
        }
    }
    if let Some(Value::Array(choices)) = schema.get_mut("anyOf") {
        choices.retain(|choice| choice.get("type") != Some(&"null".into()));
        if let [Value::Object(only)] = &choices[..] {
            let only = only.clone();
            schema.shift_remove("anyOf");
            only.into_iter().for_each(|(name, value)| _ = schema.entry(name).or_insert(value));
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
        names: Option<Vec<String>>,
    }

    #[test]
    fn a_schema_says_what_is_needed_and_no_more() {
        let input = Value::Object((*schema::<Sample>(Side::Input)).clone());
        assert_eq!(
            input,
            json!({"type": "object", "required": ["count"], "properties": {
                "count": {"description": "How many.", "type": "integer"},
                "names": {"type": "array", "items": {"type": "string"}}}})
        );
        let output = Value::Object((*schema::<Sample>(Side::Output)).clone());
        assert_eq!(output["properties"]["names"]["type"], json!(["array", "null"]));
    }
}
