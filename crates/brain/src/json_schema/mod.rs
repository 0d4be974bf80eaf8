//! Whether a value is as a JSON Schema (draft 2020-12) has it, and what is wrong with it if it is not.
//!
//! Covered is what our own schemas use and what most tools ask of their arguments. Any other keyword restricts
//! nothing: a tool checks its arguments itself once more. Schemas of tools are hostile until checked, so one that is
//! malformed makes no validator, and the work for a value is bounded, whatever the schema says.

mod check;
mod inspection;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::slice;

use percent_encoding::percent_decode_str;
use regex::Regex;
use serde_json::Value;

use check::Check;
use inspection::Inspection;

/// Of schemas within each other, through references too.
const MAX_DEPTH: usize = 128;
/// What values there are, and what an error calls them.
const TYPES: [(&str, &str); 7] = [
    ("boolean", "true or false"),
    ("integer", "a whole number"),
    ("number", "a number"),
    ("string", "a string"),
    ("array", "an array"),
    ("object", "an object"),
    ("null", "null"),
];

/// A schema that is well-formed.
#[derive(Debug)]
pub(crate) struct Validator {
    schema: Value,
    patterns: Patterns,
}

/// Without a regex where ours cannot say whether a text fits.
type Patterns = HashMap<String, Option<Regex>>;

impl Validator {
    /// `None` if it is no schema, or too large to be worked with.
    pub(crate) fn new(schema: &Value) -> Option<Validator> {
        Some(Validator { schema: schema.clone(), patterns: Inspection::patterns(schema)? })
    }

    /// What is wrong with `value`, each with the place in it as a JSON pointer, and what was expected there.
    pub(crate) fn errors(&self, value: &Value) -> Vec<String> {
        Check::errors(self, value)
    }
}

/// Where a reference within the same document leads.
fn target<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    root.pointer(&percent_decode_str(reference.strip_prefix('#')?).decode_utf8().ok()?)
}

fn one_or_more(said: &Value) -> &[Value] {
    said.as_array().map_or(slice::from_ref(said), Vec::as_slice)
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}
