//! What we accept and refuse is what the `jsonschema` crate does.

use domain::formats::schema::schema;
use domain::gate::GatePolicy;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};

use super::super::Validator;
use crate::answer::Shape;
use crate::scripted;

/// One schema, for both of us.
struct Both<'a> {
    schema: &'a Value,
    ours: Validator,
    theirs: jsonschema::Validator,
}

impl<'a> Both<'a> {
    fn new(schema: &'a Value) -> Self {
        let theirs = jsonschema::draft202012::new(schema).unwrap();
        Both { schema, ours: Validator::new(schema).unwrap(), theirs }
    }

    /// What both say of a value.
    fn accept(&self, value: &Value) -> bool {
        let errors = self.ours.errors(value);
        let accepted = self.theirs.is_valid(value);
        assert_eq!(errors.is_empty(), accepted, "{}\n{value}\n{errors:?}", self.schema);
        accepted
    }
}

/// Each keyword that is covered; some values fit each and some do not.
fn schemas() -> Vec<Value> {
    vec![
        json!({ "type": "null" }),
        json!({ "type": "boolean" }),
        json!({ "type": "integer" }),
        json!({ "type": "number" }),
        json!({ "type": "string" }),
        json!({ "type": "array" }),
        json!({ "type": "object" }),
        json!({ "type": ["integer", "null"] }),
        json!({ "enum": [1, "a", null, [1.0], { "a": 1, "b": 2.0 }] }),
        json!({ "const": 2.0 }),
        json!({ "const": null }),
        json!({ "const": { "b": 2, "a": 1.0 } }),
        json!({ "minimum": 2 }),
        json!({ "maximum": 2.5 }),
        json!({ "exclusiveMinimum": 2.0 }),
        json!({ "exclusiveMaximum": 9007199254740993_i64 }),
        json!({ "minLength": 2 }),
        json!({ "maxLength": 2.0 }),
        json!({ "pattern": "^[\\w-]+$" }),
        json!({ "pattern": "\\d[[]?" }),
        json!({ "minItems": 2 }),
        json!({ "maxItems": 1 }),
        json!({ "uniqueItems": true }),
        json!({ "minProperties": 1 }),
        json!({ "maxProperties": 1 }),
        json!({ "required": ["a"] }),
        json!({ "properties": { "a": { "type": "integer" } } }),
        json!({ "properties": { "a": true }, "additionalProperties": false }),
        json!({ "properties": { "a": true }, "additionalProperties": { "type": "integer" } }),
        json!({ "patternProperties": { "^a": { "type": "integer" } }, "additionalProperties": false }),
        json!({ "items": { "type": "integer" } }),
        json!({ "prefixItems": [{ "type": "string" }], "items": { "type": "integer" } }),
        json!({ "prefixItems": [true, false] }),
        json!({ "items": false }),
        json!({ "anyOf": [{ "type": "string" }, { "minimum": 2 }] }),
        json!({ "oneOf": [{ "type": "integer" }, { "minimum": 2 }] }),
        json!({ "allOf": [{ "type": "integer" }, { "minimum": 2 }] }),
        json!({ "not": { "type": ["integer", "array"] } }),
        json!({ "$ref": "#/$defs/a~1b%20c", "maximum": 5, "$defs": { "a/b c": { "type": "integer" } } }),
        json!({ "type": ["array", "integer"], "items": { "$ref": "#" } }),
    ]
}

fn values() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(0),
        json!(1),
        json!(2),
        json!(2.0),
        json!(2.5),
        json!(-3),
        json!(94.0),
        json!(1e300),
        json!(u64::MAX),
        json!(9007199254740992_i64),
        json!(9007199254740993_i64),
        json!(""),
        json!("a"),
        json!("a-b"),
        json!("äöü"),
        json!("é"),
        json!("1["),
        json!("٣"),
        json!([]),
        json!([1]),
        json!([1.0, 1]),
        json!(["a", 2]),
        json!([{ "a": 1 }, { "a": 1.0 }]),
        json!([0, false]),
        json!([[1], [[2]]]),
        json!([["a"]]),
        json!({}),
        json!({ "a": 1 }),
        json!({ "a": "x" }),
        json!({ "a": 1, "b": 2 }),
        json!({ "b": null }),
        json!({ "ab": 1.5 }),
    ]
}

#[test]
fn on_every_keyword() {
    for schema in schemas() {
        let both = Both::new(&schema);
        let accepted = values().iter().filter(|value| both.accept(value)).count();
        assert!((1..values().len()).contains(&accepted), "{schema} accepts all, or nothing");
    }
}

fn compound() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        4 => select(schemas()).prop_filter("references are relative to the root", |it| !it.to_string().contains("$ref")),
        1 => any::<bool>().prop_map(Value::Bool),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        (
            select(vec!["anyOf", "oneOf", "allOf", "prefixItems", "not", "items", "a", "b"]),
            prop::collection::vec(inner, 1..4),
        )
            .prop_map(|(keyword, schemas)| match keyword {
                "anyOf" | "oneOf" | "allOf" | "prefixItems" => json!({ keyword: schemas }),
                "not" | "items" => json!({ keyword: schemas[0] }),
                name => json!({ "properties": { name: schemas[0] }, "additionalProperties": schemas.last() }),
            })
    })
}

/// A value that is valid, and its schema: our own.
fn samples() -> Vec<(Value, Value)> {
    let finding = scripted::entry("src/a.rs", 2, "check(x);", "HIGH", "`x` is never checked");
    let review = serde_json::from_str(&scripted::report(&[finding.clone(), finding])).unwrap();
    let refutation = json!({ "refuted": true, "reason": "it is handled" });
    let report = json!({
        "ticket_id": "a", "reviewed_at": "2026-01-01T00:00:00Z", "reviewer": "code-review-agent",
        "status": "fail", "overall_score": 95, "revision_count": 0,
        "dimension_scores": domain::words::Dimension::BUILT_IN.map(|(dimension, weight)| {
            (dimension.to_string(), json!({ "score": 95, "weight": weight }))
        }).into_iter().collect::<serde_json::Map<_, _>>(),
        "findings": [{
            "dimension": "code_quality", "severity": "error", "file": "src/a.rs", "line": 2, "message": "x",
        }],
        "blocking_issues": [], "revision_notes": null, "approved": true,
        "pass_criteria_met": {
            "all_critical_dimensions_pass": true, "no_blocking_issues": true, "overall_score_above_threshold": true,
        },
        "countersign": {
            "subject": {
                "id": "a", "revision_count": 0,
                "scope": { "base_name": "main", "head": { "commit": "1" }, "head_name": "b", "notes": ["c"] },
            },
            "reviewer": "rules", "policy": "built in", "reviewed_at": "2026-01-01T00:00:00Z",
            "findings": [{
                "rule": "r", "severity": "LOW", "category": "security", "dimension": "code_quality",
                "confidence": "low", "message": "m", "impact": "", "suggestion": "",
                "place": { "kind": "lines", "path": "a", "side": "new", "start": 1, "end": 2, "text": "x" },
            }],
            "suppressed": [], "troubles": [], "coverage": { "files": [] },
            "decision": {
                "verdict": "inconclusive", "overall_score": 1, "dimension_scores": [], "criteria": [], "fail_on": "LOW",
            },
        },
    });
    vec![
        (Shape::review(&GatePolicy::default()).schema.schema, review),
        (Shape::refutation().schema.schema, refutation),
        (schema("review-report").unwrap(), report),
    ]
}

#[test]
fn on_our_own_schemas() {
    for (schema, value) in samples() {
        let both = Both::new(&schema);
        assert!(both.accept(&value), "{schema}\n{value}");
        let mut refused = 0;
        for place in places(&value) {
            for other in values() {
                let mut changed = value.clone();
                *changed.pointer_mut(&place).unwrap() = other;
                refused += usize::from(!both.accept(&changed));
            }
        }
        assert!(refused > values().len(), "{schema}");
    }
}

/// The pointers to everything in a value.
fn places(value: &Value) -> Vec<String> {
    let inner: Vec<(String, &Value)> = match value {
        Value::Array(items) => {
            items.iter().enumerate().map(|(index, item)| (index.to_string(), item)).collect()
        }
        Value::Object(fields) => fields.iter().map(|(name, field)| (name.clone(), field)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => vec![],
    };
    let below = inner.into_iter().flat_map(|(name, value)| {
        places(value).into_iter().map(move |place| format!("/{name}{place}")).collect::<Vec<_>>()
    });
    std::iter::once(String::new()).chain(below).collect()
}

#[derive(Debug, Clone)]
enum Mutation {
    Replace(Value),
    /// By something else of the same value: a word that is known, in the wrong place.
    Copy(Index),
    Add(String, Value),
    Remove(Index),
}

fn mutation() -> impl Strategy<Value = (Index, Mutation)> {
    let mutation = prop_oneof![
        select(values()).prop_map(Mutation::Replace),
        any::<i64>().prop_map(|number| Mutation::Replace(number.into())),
        (-10_f64..200.0).prop_map(|number| Mutation::Replace(number.into())),
        any::<Index>().prop_map(Mutation::Copy),
        (".{0,3}", select(values())).prop_map(|(name, value)| Mutation::Add(name, value)),
        any::<Index>().prop_map(Mutation::Remove),
    ];
    (any::<Index>(), mutation)
}

fn mutate(value: &mut Value, at: Index, mutation: Mutation) {
    let places = places(value);
    let pick = |index: Index| places[index.index(places.len())].as_str();
    let mutation = match mutation {
        Mutation::Copy(from) => Mutation::Replace(value.pointer(pick(from)).cloned().unwrap_or_default()),
        other => other,
    };
    let Some(target) = value.pointer_mut(pick(at)) else { return };
    match (mutation, target) {
        (Mutation::Replace(other), target) => *target = other,
        (Mutation::Add(name, other), Value::Object(fields)) => drop(fields.insert(name, other)),
        (Mutation::Add(_, other), Value::Array(items)) => items.push(other),
        (Mutation::Remove(which), Value::Object(fields)) if !fields.is_empty() => {
            let name = which.get(&fields.keys().cloned().collect::<Vec<_>>()).clone();
            fields.shift_remove(&name);
        }
        (Mutation::Remove(which), Value::Array(items)) if !items.is_empty() => {
            items.remove(which.index(items.len()));
        }
        (_, target) => *target = Value::Null,
    }
}

proptest! {
    #[test]
    fn on_compound_schemas(schema in compound()) {
        let both = Both::new(&schema);
        for value in values() {
            both.accept(&value);
        }
    }

    #[test]
    fn on_our_own_schemas_under_mutations(
        sample in select(samples()),
        mutations in prop::collection::vec(mutation(), 1..4),
    ) {
        let (schema, mut value) = sample;
        mutations.into_iter().for_each(|(at, mutation)| mutate(&mut value, at, mutation));
        Both::new(&schema).accept(&value);
    }
}
