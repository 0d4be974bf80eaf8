use std::sync::Arc;

use domain::text::short_line;
use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::trouble::Trouble;

/// Reads the arguments of a call. What does not fit is told by the name of the field.
pub(crate) fn read<T: DeserializeOwned>(
    arguments: JsonObject,
    schema: impl FnOnce() -> Arc<JsonObject>,
) -> Result<T, Trouble> {
    let given: Vec<(String, Given)> =
        arguments.iter().map(|(name, value)| (name.clone(), Given::of(value))).collect();
    serde_json::from_value(Value::Object(arguments)).map_err(|error| {
        let what = wrong_type(&given, &schema()).unwrap_or_else(|| short_line(&error.to_string()));
        Trouble::new(what, "call again with arguments as the tool's input schema says; nothing was done")
    })
}

/// The first argument that is of another type than its schema asks for.
fn wrong_type(given: &[(String, Given)], schema: &JsonObject) -> Option<String> {
    let properties = schema.get("properties")?.as_object()?;
    given.iter().find_map(|(name, given)| {
        let wanted = properties.get(name)?.get("type")?.as_str()?;
        let fits = given.word() == wanted
            || (*given == Given::Integer && wanted == "number")
            || *given == Given::Null;
        (!fits).then(|| format!("{name}: is of type {}, expected {wanted}", given.word()))
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Given {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

impl Given {
    fn of(value: &Value) -> Given {
        match value {
            Value::Null => Given::Null,
            Value::Bool(_) => Given::Boolean,
            Value::Number(number) if number.is_f64() => Given::Number,
            Value::Number(_) => Given::Integer,
            Value::String(_) => Given::String,
            Value::Array(_) => Given::Array,
            Value::Object(_) => Given::Object,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Given::Null => "null",
            Given::Boolean => "boolean",
            Given::Integer => "integer",
            Given::Number => "number",
            Given::String => "string",
            Given::Array => "array",
            Given::Object => "object",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::schema::{Side, schema};
    use schemars::JsonSchema;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only what is wrong is looked at")]
    struct Sample {
        count: u8,
        #[serde(default)]
        name: Option<String>,
    }

    fn refused(arguments: Value) -> String {
        let arguments = arguments.as_object().unwrap().clone();
        read::<Sample>(arguments, || schema::<Sample>(Side::Input)).unwrap_err().what
    }

    #[test]
    fn a_wrong_argument_is_named() {
        assert_eq!(refused(json!({"count": "3"})), "count: is of type string, expected integer");
        assert_eq!(refused(json!({"count": 1, "name": {}})), "name: is of type object, expected string");
        assert_eq!(refused(json!({})), "missing field `count`");
        assert!(refused(json!({"count": 1, "nme": ""})).starts_with("unknown field `nme`, expected"));
        assert!(refused(json!({"count": 300})).contains("300"));
    }

    #[test]
    fn a_huge_argument_does_not_come_back_in_the_error() {
        assert!(refused(json!({"count": "x".repeat(10_000_000)})).len() < 200);
        assert!(refused(json!({"x".repeat(10_000_000): 1})).len() < 2_000);
    }
}
