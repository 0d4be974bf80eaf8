use std::collections::BTreeMap;

use domain::gate::GatePolicy;
use domain::words::{Category, Dimension, Severity};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema as Generated};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::call::Schema;
use crate::json_schema::Validator;

/// What a model is asked to fill in.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(super) struct ModelAnswer {
    /// The outcome in a few sentences.
    pub(super) summary: String,
    pub(super) findings: Vec<ModelFinding>,
    pub(super) dimension_scores: Option<BTreeMap<String, i64>>,
    pub(super) verdict: ModelVerdict,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(super) struct ModelFinding {
    /// Null if it is about the change as a whole.
    pub(super) file: Option<String>,
    /// Null if it is about the whole file.
    pub(super) line: Option<u32>,
    /// The last line, if there are several.
    pub(super) end_line: Option<u32>,
    /// The code of that line.
    pub(super) quote: Option<String>,
    pub(super) severity: Severity,
    pub(super) category: Category,
    pub(super) dimension: String,
    pub(super) confidence: ModelConfidence,
    pub(super) message: String,
    pub(super) impact: Option<String>,
    pub(super) suggestion: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum ModelConfidence {
    Low,
    Medium,
    High,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum ModelVerdict {
    Pass,
    Fail,
}

/// What somebody says who tried to refute a finding.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct Refutation {
    pub refuted: bool,
    pub reason: String,
}

/// The shape of an answer: told to the model, and held against what it says.
#[derive(Debug)]
pub struct Shape {
    pub schema: Schema,
    validator: Option<Validator>,
}

impl Shape {
    /// Of a review by the dimensions of `gate`.
    pub fn review(gate: &GatePolicy) -> Shape {
        let mut schema = strict::<ModelAnswer>();
        let dimensions: Vec<_> = gate.dimensions().into_iter().map(|(dimension, ..)| dimension).collect();
        if let Some(scores) = schema.pointer_mut("/properties/dimension_scores") {
            *scores = scores_schema(&dimensions);
        }
        if let Some(dimension) = schema.pointer_mut("/properties/findings/items/properties/dimension") {
            *dimension = json!({ "type": "string", "enum": dimensions });
        }
        Shape::new("code_review", schema)
    }

    pub fn refutation() -> Shape {
        Shape::new("second_opinion", strict::<Refutation>())
    }

    fn new(name: &'static str, schema: Value) -> Shape {
        let validator = Validator::new(&schema);
        Shape { schema: Schema { name, schema }, validator }
    }

    /// What is wrong with `value`, each with the place in it.
    pub fn errors(&self, value: &Value) -> Vec<String> {
        self.validator.as_ref().map(|validator| validator.errors(value)).unwrap_or_default()
    }
}

fn scores_schema(dimensions: &[Dimension]) -> Value {
    let properties: serde_json::Map<_, _> =
        dimensions.iter().map(|dimension| (dimension.to_string(), json!({ "type": "integer" }))).collect();
    let object = json!({
        "type": "object", "properties": properties, "required": dimensions, "additionalProperties": false,
    });
    json!({ "anyOf": [object, { "type": "null" }] })
}

/// As the strict modes of providers want it: complete in itself, every key required (what may be missing is
/// null instead), no other key allowed, and no keyword they do not know.
fn strict<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let generated: Generated = settings.into_generator().into_root_schema_for::<T>();
    let mut value = generated.to_value();
    tighten(&mut value);
    if let Some(fields) = value.as_object_mut() {
        fields.remove("description");
    }
    value
}

fn tighten(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for unknown in ["title", "format", "minimum", "default"] {
                if !fields.get(unknown).is_some_and(Value::is_object) {
                    fields.remove(unknown);
                }
            }
            if let Some(Value::Object(properties)) = fields.get("properties") {
                let keys: Vec<_> = properties.keys().cloned().collect();
                fields.insert("required".to_owned(), keys.into());
                fields.insert("additionalProperties".to_owned(), false.into());
            }
            fields.iter_mut().for_each(|(_, value)| tighten(value));
        }
        Value::Array(items) => items.iter_mut().for_each(tighten),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every_object(value: &Value, check: &mut dyn FnMut(&serde_json::Map<String, Value>)) {
        match value {
            Value::Object(fields) => {
                if fields.contains_key("properties") {
                    check(fields);
                }
                fields.values().for_each(|value| every_object(value, check));
            }
            Value::Array(items) => items.iter().for_each(|value| every_object(value, check)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    #[test]
    fn every_key_is_required_and_no_other_is_allowed() {
        for shape in [Shape::review(&GatePolicy::default()), Shape::refutation()] {
            let mut objects = 0;
            every_object(&shape.schema.schema, &mut |fields| {
                objects += 1;
                let keys = fields["properties"].as_object().unwrap().len();
                assert_eq!(fields["required"].as_array().unwrap().len(), keys);
                assert_eq!(fields["additionalProperties"], false);
            });
            assert!(objects > 0 && !shape.schema.schema.to_string().contains("$ref"));
        }
    }

    #[test]
    fn the_schema_of_a_review() {
        let mut gate = GatePolicy::default();
        let own = domain::gate::DimensionPolicy { weight: domain::words::Weight::Moderate, minimum: None };
        gate.dimensions.insert(Dimension::try_from("accessibility".to_owned()).unwrap(), own);
        insta::assert_snapshot!(serde_json::to_string_pretty(&Shape::review(&gate).schema.schema).unwrap());
    }

    #[test]
    fn errors_name_their_place() {
        let shape = Shape::refutation();
        assert!(shape.errors(&json!({ "refuted": true, "reason": "it is handled" })).is_empty());
        let errors = shape.errors(&json!({ "refuted": "yes", "reason": "x", "more": 1 }));
        assert_eq!(errors.len(), 2, "{errors:?}");
        assert!(errors.iter().any(|error| error.starts_with("/refuted: ")), "{errors:?}");
    }
}
