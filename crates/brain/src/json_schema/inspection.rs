use std::collections::HashSet;

use regex::{Error, Regex, RegexBuilder};
use serde_json::Value;

use super::{MAX_DEPTH, Patterns, TYPES, is_of_type, one_or_more, target};

/// Each is a keyword or a schema.
const MAX_STEPS: usize = 50_000;
/// More are not compiled, and restrict nothing.
const MAX_PATTERNS: usize = 50;
/// Memory of one that is compiled. Both that and matching it take time by its size.
const MAX_PATTERN_BYTES: usize = 256 << 10;

/// Looks whether a schema is well-formed, and compiles its patterns.
pub(super) struct Inspection<'a> {
    root: &'a Value,
    patterns: Patterns,
    /// What references lead to.
    targets: HashSet<*const Value>,
    ahead: Vec<&'a Value>,
    steps: usize,
}

impl<'a> Inspection<'a> {
    /// `None` if the schema cannot be worked with.
    pub(super) fn patterns(root: &'a Value) -> Option<Patterns> {
        let (patterns, targets) = (Patterns::new(), HashSet::new());
        let mut inspection = Inspection { root, patterns, targets, ahead: vec![root], steps: MAX_STEPS };
        while let Some(schema) = inspection.ahead.pop() {
            if !inspection.is_schema(schema, 0) {
                return None;
            }
        }
        Some(inspection.patterns)
    }

    fn afford(&mut self, steps: usize) -> bool {
        self.steps = self.steps.saturating_sub(steps);
        self.steps > 0
    }

    fn is_schema(&mut self, schema: &'a Value, depth: usize) -> bool {
        self.afford(1)
            && depth < MAX_DEPTH
            && match schema {
                Value::Bool(_) => true,
                Value::Object(keywords) => {
                    keywords.iter().all(|(keyword, said)| self.is_keyword(keyword, said, depth + 1))
                }
                Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => false,
            }
    }

    /// Also of what is not checked against: `if` of something that is no schema is no schema.
    fn is_keyword(&mut self, keyword: &str, said: &'a Value, depth: usize) -> bool {
        let is_afforded = self.afford(1);
        let form_fits = match keyword {
            "additionalProperties"
            | "items"
            | "not"
            | "if"
            | "then"
            | "else"
            | "contains"
            | "propertyNames"
            | "unevaluatedItems"
            | "unevaluatedProperties" => self.is_schema(said, depth),
            "allOf" | "anyOf" | "oneOf" | "prefixItems" => said.as_array().is_some_and(|schemas| {
                !schemas.is_empty() && schemas.iter().all(|schema| self.is_schema(schema, depth))
            }),
            "properties" | "$defs" | "definitions" | "dependentSchemas" => {
                said.as_object().is_some_and(|schemas| schemas.values().all(|it| self.is_schema(it, depth)))
            }
            "patternProperties" => said.as_object().is_some_and(|schemas| {
                schemas.iter().all(|(pattern, it)| self.is_pattern(pattern) && self.is_schema(it, depth))
            }),
            "pattern" => said.as_str().is_some_and(|pattern| self.is_pattern(pattern)),
            "$ref" => said.as_str().is_some_and(|reference| self.is_reference(reference)),
            "type" => {
                let types = one_or_more(said);
                let is_type = |said: &Value| TYPES.iter().any(|(name, _)| said == name);
                (1..=TYPES.len()).contains(&types.len()) && types.iter().all(is_type)
            }
            "enum" => said.is_array(),
            "required" => said.as_array().is_some_and(|names| names.iter().all(Value::is_string)),
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
                said.is_number()
            }
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
                is_of_type(said, "integer") && said.as_f64() >= Some(0.0)
            }
            "uniqueItems" => said.is_boolean(),
            "title" | "description" | "format" => said.is_string(),
            _ => true,
        };
        is_afforded && form_fits
    }

    fn is_reference(&mut self, reference: &str) -> bool {
        let Some(target) = target(self.root, reference) else { return false };
        if self.targets.insert(target) {
            self.ahead.push(target);
        }
        true
    }

    fn is_pattern(&mut self, pattern: &str) -> bool {
        if self.patterns.contains_key(pattern) {
            return true;
        }
        let regex = if self.patterns.len() < MAX_PATTERNS { compiled(pattern) } else { Ok(None) };
        regex.map(|regex| self.patterns.insert(pattern.to_owned(), regex)).is_ok()
    }
}

/// `None` of a pattern that only we cannot hold a text against: it looks around, as many do that are made for
/// JavaScript, or grows too large.
fn compiled(pattern: &str) -> Result<Option<Regex>, Error> {
    let looks_around = ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|look| pattern.contains(look));
    match RegexBuilder::new(&translated(pattern)).size_limit(MAX_PATTERN_BYTES).build() {
        Ok(regex) => Ok(Some(regex)),
        Err(Error::CompiledTooBig(_)) => Ok(None),
        Err(_) if looks_around => Ok(None),
        Err(error) => Err(error),
    }
}

/// JavaScript's `\d` and `\w` are ASCII, and its brackets do not nest.
fn translated(pattern: &str) -> String {
    let mut translated = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    let mut in_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('d') => translated.push_str("[0-9]"),
                Some('D') => translated.push_str("[^0-9]"),
                Some('w') => translated.push_str("[0-9A-Za-z_]"),
                Some('W') => translated.push_str("[^0-9A-Za-z_]"),
                escaped => {
                    translated.push('\\');
                    translated.extend(escaped);
                }
            },
            '[' if in_class => translated.push_str("\\["),
            _ => {
                in_class = c == '[' || in_class && c != ']';
                translated.push(c);
            }
        }
    }
    translated
}
