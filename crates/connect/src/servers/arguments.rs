use domain::text::short_line;
use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::tool::Answer;
use crate::rest::Trouble;

/// Reads the arguments of a call. What does not fit is told by the name of the field; `schema` is asked only then.
pub(super) fn read<T: DeserializeOwned>(
    arguments: JsonObject,
    schema: impl FnOnce() -> std::sync::Arc<JsonObject>,
) -> Answer<T> {
    let arguments: Map<String, Value> =
        arguments.into_iter().map(|(name, value)| (name, with_whole_numbers(value))).collect();
    let kinds: Vec<(String, &'static str)> =
        arguments.iter().map(|(name, value)| (name.clone(), kind(value))).collect();
    let unfit: Vec<(String, String)> = arguments
        .iter()
        .filter(|(_, value)| value.is_i64() || value.is_u64())
        .map(|(name, value)| (name.clone(), value.to_string()))
        .collect();
    serde_json::from_value(Value::Object(arguments)).map_err(|error| {
        let what = wrong_kind(&kinds, &schema())
            .unwrap_or_else(|| in_words(&short_line(&error.to_string()), &unfit));
        Trouble::invalid(what, "call again with arguments as the tool's input schema says; nothing was sent")
    })
}

/// Some programs write 1 as 1.0. No tool takes a number that is not whole.
fn with_whole_numbers(value: Value) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        Value::Number(number) if number.is_f64() => {
            let whole = number.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < EXACT);
            whole
                .and_then(|whole| format!("{whole:.0}").parse::<i64>().ok())
                .map_or(Value::Number(number), Value::from)
        }
        Value::Array(items) => items.into_iter().map(with_whole_numbers).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, with_whole_numbers(value))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}

/// A number that does not fit, without the names that types have in here.
fn in_words(error: &str, numbers: &[(String, String)]) -> String {
    let value = error.strip_prefix("invalid value: integer `").and_then(|rest| rest.split('`').next());
    let Some(value) = value.filter(|_| error.contains(", expected u") || error.contains(", expected i"))
    else {
        return error.to_owned();
    };
    let wanted = if value.starts_with('-') { "a whole number from 1" } else { "a smaller whole number" };
    match numbers.iter().find(|(_, given)| given == value) {
        Some((name, _)) => format!("{name}: is {value}, expected {wanted}"),
        None => format!("{value} does not fit, expected {wanted}"),
    }
}

/// The first argument that is of another type than its schema asks for.
fn wrong_kind(given: &[(String, &'static str)], schema: &JsonObject) -> Option<String> {
    let properties = schema.get("properties")?.as_object()?;
    given.iter().find_map(|(name, given)| {
        let wanted = properties.get(name)?.get("type")?.as_str()?;
        let fits = *given == wanted || *given == "null";
        (!fits).then(|| format!("{name}: is of type {given}, expected {wanted}"))
    })
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::servers::ids::{Number, Repo};
    use crate::servers::schema::{Side, schema};
    use schemars::JsonSchema;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only what is wrong is looked at")]
    struct Sample {
        repo: Repo,
        number: Number,
    }

    fn refused(arguments: &Value) -> String {
        let arguments = arguments.as_object().unwrap().clone();
        read::<Sample>(arguments, || schema::<Sample>(Side::Input)).unwrap_err().what
    }

    #[test]
    fn a_wrong_argument_is_named() {
        assert_eq!(
            refused(&json!({"repo": "a/b", "number": "1"})),
            "number: is of type string, expected integer"
        );
        assert_eq!(refused(&json!({"repo": "a/b", "number": 0})), "numbers are counted from 1");
        assert_eq!(
            refused(&json!({"repo": "a/b", "number": -1})),
            "number: is -1, expected a whole number from 1"
        );
        assert_eq!(refused(&json!({"repo": "../x", "number": 1})), "repo: expected owner/name");
        assert_eq!(refused(&json!({"number": 1})), "missing field `repo`");
        assert!(
            refused(&json!({"repo": "a/b", "number": 1, "nmber": 1})).starts_with("unknown field `nmber`")
        );
    }

    #[test]
    fn a_whole_number_may_be_written_with_a_point() {
        let arguments = json!({"repo": "a/b", "number": 7.0}).as_object().unwrap().clone();
        assert!(read::<Sample>(arguments, || schema::<Sample>(Side::Input)).is_ok());
        assert_eq!(
            refused(&json!({"repo": "a/b", "number": 7.5})),
            "number: is of type number, expected integer"
        );
    }

    #[test]
    fn a_huge_argument_does_not_come_back_in_the_error() {
        assert!(refused(&json!({"repo": "x".repeat(1_000_000), "number": 1})).len() < 200);
        assert!(refused(&json!({"x".repeat(1_000_000): 1})).len() < 2_000);
    }
}
