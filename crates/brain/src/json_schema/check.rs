use std::cmp::Ordering;
use std::fmt::Write;
use std::mem;

use domain::text::short_line;
use serde_json::{Map, Number, Value};

use super::{MAX_DEPTH, TYPES, Validator, is_of_type, one_or_more, target};

/// Enough for a model to see what is wrong.
pub(super) const MAX_ERRORS: usize = 20;
/// Each is a keyword, a comparison or some bytes of a text. An answer of a megabyte takes half of them.
const MAX_STEPS: usize = 2_000_000;
/// A longer text is not repeated in an error, nor a part of it, which could be half a secret.
const MAX_SHOWN_BYTES: usize = 120;
/// Of what is possible, so many are named in an error.
const MAX_NAMED: usize = 20;
const MAX_ALTERNATIVES: usize = 4;

/// What a reference leads to that leads nowhere: nothing is valid there.
static NOTHING: Value = Value::Bool(false);

/// One value held against one schema.
pub(super) struct Check<'a> {
    validator: &'a Validator,
    place: String,
    errors: Vec<String>,
    max_errors: usize,
    /// Once none are left, nothing more is checked, and the value is refused.
    steps: usize,
    depth: usize,
}

impl<'a> Check<'a> {
    pub(super) fn errors(validator: &'a Validator, value: &Value) -> Vec<String> {
        let (place, errors) = (String::new(), Vec::new());
        let mut check =
            Check { validator, place, errors, max_errors: MAX_ERRORS, steps: MAX_STEPS, depth: 0 };
        check.schema(&validator.schema, value);
        if check.steps == 0 && check.errors.is_empty() {
            return vec!["/: it is too large, or its schema too intricate, to be checked".to_owned()];
        }
        check.errors
    }

    fn spend(&mut self, steps: usize) {
        self.steps = self.steps.saturating_sub(steps);
    }

    fn spend_text(&mut self, text: &str) {
        self.spend(1 + text.len() / 16);
    }

    fn is_over(&self) -> bool {
        self.steps == 0 || self.errors.len() >= self.max_errors
    }

    fn error(&mut self, text: &str) {
        self.spend(MAX_NAMED + self.place.len() / 16);
        if !self.is_over() {
            let place = if self.place.is_empty() { "/" } else { &self.place };
            self.errors.push(short_line(&format!("{place}: {text}")));
        }
    }

    fn mismatch(&mut self, value: &Value, expected: &str) {
        self.error(&format!("it is {}, expected is {expected}", shown(value)));
    }

    fn schema(&mut self, schema: &'a Value, value: &Value) {
        self.spend(if self.depth < MAX_DEPTH { 1 } else { MAX_STEPS });
        if schema == &NOTHING {
            self.error("it is not allowed here");
        }
        self.depth += 1;
        for (keyword, said) in schema.as_object().into_iter().flatten() {
            self.spend(1);
            if self.is_over() {
                break;
            }
            match value {
                Value::Object(fields) => self.object(keyword, said, fields, schema),
                Value::Array(items) => self.array(keyword, said, items, schema),
                Value::String(text) => self.string(keyword, said, text),
                Value::Number(number) => self.number(keyword, said, number),
                Value::Null | Value::Bool(_) => {}
            }
            self.any(keyword, said, value);
        }
        self.depth -= 1;
    }

    fn below(&mut self, key: &str, schema: &'a Value, value: &Value) {
        self.spend_text(key);
        if !self.is_over() {
            let end = self.place.len();
            let _ = write!(self.place, "/{}", key.replace('~', "~0").replace('/', "~1"));
            self.schema(schema, value);
            self.place.truncate(end);
        }
    }

    /// The first thing that is wrong with `value` under a schema that it need not fit.
    fn attempt(&mut self, schema: &'a Value, value: &Value) -> Option<String> {
        let outer = (mem::take(&mut self.errors), mem::replace(&mut self.max_errors, 1));
        self.schema(schema, value);
        let first = mem::take(&mut self.errors).pop();
        (self.errors, self.max_errors) = outer;
        first
    }

    fn any(&mut self, keyword: &str, said: &'a Value, value: &Value) {
        match (keyword, said) {
            ("$ref", Value::String(reference)) => {
                self.spend_text(reference);
                self.schema(target(&self.validator.schema, reference).unwrap_or(&NOTHING), value);
            }
            ("type", said) => {
                let types = one_or_more(said);
                if !types.iter().filter_map(Value::as_str).any(|name| is_of_type(value, name)) {
                    let named = TYPES.iter().filter(|(name, _)| types.iter().any(|one| one == name));
                    self.mismatch(value, &named.map(|(_, words)| *words).collect::<Vec<_>>().join(" or "));
                }
            }
            ("enum", Value::Array(options)) if !options.iter().any(|option| self.is_same(value, option)) => {
                let mut named: Vec<_> = options.iter().take(MAX_NAMED).map(shown).collect();
                if options.len() > MAX_NAMED {
                    named.push(format!("{} more", options.len() - MAX_NAMED));
                }
                self.mismatch(value, &format!("one of {}", named.join(", ")));
            }
            ("const", constant) if !self.is_same(value, constant) => self.mismatch(value, &shown(constant)),
            ("allOf", Value::Array(schemas)) => {
                schemas.iter().for_each(|schema| self.schema(schema, value));
            }
            ("anyOf" | "oneOf", Value::Array(schemas)) => self.alternatives(keyword, schemas, value),
            ("not", schema) if self.attempt(schema, value).is_none() => {
                self.mismatch(value, "something that the schema does not exclude");
            }
            _ => {}
        }
    }

    fn alternatives(&mut self, keyword: &str, schemas: &'a [Value], value: &Value) {
        let mut wrong = Vec::new();
        let mut fitting = 0;
        for schema in schemas {
            match self.attempt(schema, value) {
                None if keyword == "anyOf" => return,
                None => fitting += 1,
                Some(error) if wrong.len() < MAX_ALTERNATIVES => wrong.push(error),
                Some(_) => {}
            }
        }
        match fitting {
            0 => self.error(&format!("it fits none of what is possible ({})", wrong.join("; or "))),
            1 => {}
            _ => self.error(&format!("it fits {fitting} of what is possible, expected is one alone")),
        }
    }

    fn object(&mut self, keyword: &str, said: &'a Value, fields: &Map<String, Value>, schema: &'a Value) {
        match (keyword, said) {
            ("properties", Value::Object(properties)) => {
                for (name, schema) in properties {
                    self.spend_text(name);
                    if let Some(value) = fields.get(name) {
                        self.below(name, schema, value);
                    }
                }
            }
            ("patternProperties", Value::Object(patterns)) => {
                for (pattern, schema) in patterns {
                    for (name, value) in fields {
                        if self.fits(pattern, name) == Some(true) {
                            self.below(name, schema, value);
                        }
                    }
                }
            }
            ("additionalProperties", additional) => {
                let named = schema.get("properties");
                let patterns = schema.get("patternProperties").and_then(Value::as_object);
                for (name, value) in fields {
                    self.spend_text(name);
                    let is_named = named.is_some_and(|named| named.get(name).is_some());
                    let mut patterns = patterns.into_iter().flatten();
                    if !is_named && patterns.all(|(pattern, _)| self.fits(pattern, name) == Some(false)) {
                        self.below(name, additional, value);
                    }
                }
            }
            ("required", Value::Array(names)) => {
                for name in names.iter().filter_map(Value::as_str) {
                    self.spend_text(name);
                    if !fields.contains_key(name) {
                        self.error(&format!("{} is missing, but required", shown(&name.into())));
                    }
                }
            }
            ("minProperties" | "maxProperties", said) => {
                self.limit(keyword, said, &fields.len().into(), "properties");
            }
            _ => {}
        }
    }

    fn array(&mut self, keyword: &str, said: &'a Value, items: &[Value], schema: &'a Value) {
        match (keyword, said) {
            ("prefixItems", Value::Array(schemas)) => {
                for (index, (schema, item)) in schemas.iter().zip(items).enumerate() {
                    self.below(&index.to_string(), schema, item);
                }
            }
            ("items", rest) => {
                let first = schema.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
                for (index, item) in items.iter().enumerate().skip(first) {
                    self.below(&index.to_string(), rest, item);
                }
            }
            ("uniqueItems", Value::Bool(true)) => {
                let is_again = |index: &usize| {
                    self.steps == 0 || items[..*index].iter().any(|item| self.is_same(item, &items[*index]))
                };
                if let Some(index) = (1..items.len()).find(is_again) {
                    self.error(&format!(
                        "item {index} is the same as an earlier one, expected are different ones"
                    ));
                }
            }
            ("minItems" | "maxItems", said) => self.limit(keyword, said, &items.len().into(), "items"),
            _ => {}
        }
    }

    fn string(&mut self, keyword: &str, said: &Value, text: &str) {
        match (keyword, said) {
            ("minLength" | "maxLength", said) => {
                self.spend_text(text);
                self.limit(keyword, said, &text.chars().count().into(), "characters");
            }
            ("pattern", Value::String(pattern)) if self.fits(pattern, text) == Some(false) => {
                self.mismatch(&text.into(), &format!("a match of {pattern}"));
            }
            _ => {}
        }
    }

    fn number(&mut self, keyword: &str, said: &Value, number: &Number) {
        if let "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" = keyword {
            self.limit(keyword, said, number, "");
        }
    }

    /// `found` is the number itself, or how many there are `of` something.
    fn limit(&mut self, keyword: &str, limit: &Value, found: &Number, of: &str) {
        let Value::Number(limit) = limit else { return };
        let order = compare(found, limit);
        let (is_kept, expected) = match keyword {
            "exclusiveMinimum" => (order.is_gt(), "more than"),
            "exclusiveMaximum" => (order.is_lt(), "less than"),
            least if least.starts_with("min") => (order.is_ge(), "at least"),
            _ => (order.is_le(), "at most"),
        };
        if !is_kept {
            let it = if of.is_empty() { format!("is {found}") } else { format!("has {found} {of}") };
            self.error(&format!("it {it}, expected is {expected} {limit}"));
        }
    }

    /// `None` where that cannot be said.
    fn fits(&mut self, pattern: &str, text: &str) -> Option<bool> {
        self.spend_text(pattern);
        self.spend(text.len());
        let regex = self.validator.patterns.get(pattern)?.as_ref().filter(|_| self.steps > 0)?;
        Some(regex.is_match(text))
    }

    fn is_same(&mut self, one: &Value, other: &Value) -> bool {
        self.spend(1);
        match (one, other) {
            _ if self.steps == 0 => false,
            (Value::Number(one), Value::Number(other)) => compare(one, other).is_eq(),
            (Value::String(one), Value::String(other)) if one.len() == other.len() => {
                self.spend_text(one);
                one == other
            }
            (Value::Array(ones), Value::Array(others)) if ones.len() == others.len() => {
                ones.iter().zip(others).all(|(one, other)| self.is_same(one, other))
            }
            (Value::Object(ones), Value::Object(others)) if ones.len() == others.len() => {
                ones.iter().all(|(key, one)| {
                    self.spend_text(key);
                    others.get(key).is_some_and(|other| self.is_same(one, other))
                })
            }
            _ => one == other,
        }
    }
}

/// Whole numbers are compared exactly. JSON knows one kind of number: 94.0 is 94.
fn compare(one: &Number, other: &Number) -> Ordering {
    match (one.as_i128(), other.as_i128()) {
        (Some(one), Some(other)) => one.cmp(&other),
        _ => one.as_f64().partial_cmp(&other.as_f64()).unwrap_or(Ordering::Equal),
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) if text.len() > MAX_SHOWN_BYTES => format!("a string of {} bytes", text.len()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}
