use std::sync::Arc;

use domain::text::short_line;
use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::trouble::Trouble;

/// Reads the arguments of a call. What does not fit is told by the name of the field.
pub(crate) fn read<T: DeserializeOwned>(
    mut arguments: JsonObject,
    schema: impl Fn() -> Arc<JsonObject>,
) -> Result<T, Trouble> {
    if arguments.values().any(Value::is_f64) {
        make_whole(&mut arguments, &schema());
    }
    let given: Vec<(String, Given)> =
        arguments.iter().map(|(name, value)| (name.clone(), Given::of(value))).collect();
    let numbers: Vec<(String, String)> = arguments
        .iter()
        .filter(|(_, value)| value.is_number())
        .map(|(name, value)| (name.clone(), value.to_string()))
        .collect();
    serde_json::from_value(Value::Object(arguments)).map_err(|error| {
        let what = wrong_type(&given, &schema()).unwrap_or_else(|| in_words(&error.to_string(), &numbers));
        Trouble::new(what, "call again with arguments as the tool's input schema says; nothing was done")
    })
}

/// Some programs write 1 as 1.0.
fn make_whole(arguments: &mut JsonObject, schema: &JsonObject) {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    for (name, value) in arguments.iter_mut().filter(|(_, value)| value.is_f64()) {
        let wanted = properties.get(name).and_then(|field| field.get("type")?.as_str());
        let whole = value.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < EXACT);
        if let (Some("integer"), Some(whole)) = (wanted, whole) {
            // Without a fraction it is written as an integer is.
            *value = format!("{whole:.0}").parse::<i64>().map_or(Value::Null, Value::from);
        }
    }
}

/// What a number should have been, without the names that types have in here.
fn in_words(error: &str, numbers: &[(String, String)]) -> String {
    const TYPES: [&str; 5] = ["u8", "u16", "u32", "u64", "usize"];
    let unsigned = error
        .rsplit_once(", expected ")
        .filter(|(said, wanted)| said.starts_with("invalid value: integer") && TYPES.contains(wanted));
    let Some((said, _)) = unsigned else { return short_line(error) };
    let value = said.split('`').nth(1).unwrap_or_default();
    let wanted = match value.starts_with('-') {
        true => "a whole number from 0",
        false => "a smaller whole number",
    };
    match numbers.iter().find(|(_, given)| given == value) {
        Some((name, _)) => format!("{name}: is {value}, expected {wanted}"),
        None => format!("{value} does not fit, expected {wanted}"),
    }
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
        assert_eq!(refused(json!({"count": 300})), "count: is 300, expected a smaller whole number");
        assert_eq!(refused(json!({"count": -1})), "count: is -1, expected a whole number from 0");
        assert_eq!(refused(json!({"count": 1.5})), "count: is of type number, expected integer");
    }

    #[test]
    fn a_whole_number_may_be_written_with_a_point() {
        let arguments = json!({"count": 7.0}).as_object().unwrap().clone();
        let sample: Sample = read(arguments, || schema::<Sample>(Side::Input)).unwrap();
        assert_eq!(sample.count, 7);
    }

    #[test]
    fn a_huge_argument_does_not_come_back_in_the_error() {
        assert!(refused(json!({"count": "x".repeat(10_000_000)})).len() < 200);
        assert!(refused(json!({"x".repeat(10_000_000): 1})).len() < 2_000);
    }
}
