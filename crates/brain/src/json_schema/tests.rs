mod agreement;

use serde_json::{Value, json};

use super::Validator;
use super::check::MAX_ERRORS;

fn errors(schema: Value, value: Value) -> Vec<String> {
    Validator::new(&schema).unwrap().errors(&value)
}

#[test]
fn errors_say_where_something_is_wrong_and_what_was_expected() {
    let schema = json!({
        "type": "object",
        "properties": {
            "type": { "type": ["integer", "null"] },
            "enum": { "enum": ["a", 1, null] },
            "const": { "const": "x" },
            "a/b~c": { "minimum": 3 },
            "list": { "items": { "exclusiveMaximum": 2.5 }, "maxItems": 2, "uniqueItems": true },
            "text": { "minLength": 3, "pattern": "^a" },
            "long": { "type": "boolean" },
            "some": { "anyOf": [{ "type": "null" }, { "properties": { "in": { "type": "string" } } }] },
            "one": { "oneOf": [{ "type": "string" }, { "minLength": 1 }] },
            "not": { "not": { "type": "array" } },
        },
        "required": ["type", "absent"],
        "additionalProperties": false,
        "maxProperties": 4,
    });
    let value = json!({
        "type": 1.5, "enum": "b", "const": { "x": 1 }, "a/b~c": 2, "list": [1, 3, 1], "text": "b",
        "long": "x".repeat(1_000), "some": { "in": 1 }, "one": "x", "not": [], "more": 1,
    });
    let expected = [
        "/type: it is 1.5, expected is a whole number or null",
        "/enum: it is \"b\", expected is one of \"a\", 1, null",
        "/const: it is an object, expected is \"x\"",
        "/a~1b~0c: it is 2, expected is at least 3",
        "/list/1: it is 3, expected is less than 2.5",
        "/list: it has 3 items, expected is at most 2",
        "/list: item 2 is the same as an earlier one, expected are different ones",
        "/text: it has 1 characters, expected is at least 3",
        "/text: it is \"b\", expected is a match of ^a",
        "/long: it is a string of 1000 bytes, expected is true or false",
        "/some: it fits none of what is possible (/some: it is an object, expected is null; or \
         /some/in: it is 1, expected is a string)",
        "/one: it fits 2 of what is possible, expected is one alone",
        "/not: it is an array, expected is something that the schema does not exclude",
        "/: \"absent\" is missing, but required",
        "/more: it is not allowed here",
        "/: it has 11 properties, expected is at most 4",
    ];
    assert_eq!(errors(schema, value), expected);
}

#[test]
fn errors_are_few_and_short() {
    let many = errors(json!({ "items": { "type": "null" } }), json!(vec![1; 1_000]));
    assert_eq!(many.len(), MAX_ERRORS);
    let options: Vec<_> = (0..1_000).map(|index| format!("{index}{}", "x".repeat(90))).collect();
    let schema = json!({ "additionalProperties": { "enum": options } });
    let long = errors(schema, json!({ "y".repeat(90): "z".repeat(90) }));
    assert_eq!(long.len(), 1);
    assert!(long[0].chars().count() <= 503 && long[0].contains("expected is one of \"0x"), "{long:?}");
}

#[test]
fn a_schema_that_is_malformed_is_none() {
    for schema in [
        json!(5),
        json!({ "type": 5 }),
        json!({ "type": "text" }),
        json!({ "type": [] }),
        json!({ "properties": { "a": 1 } }),
        json!({ "properties": [] }),
        json!({ "$defs": { "unused": { "type": 5 } } }),
        json!({ "items": [{ "type": "string" }] }),
        json!({ "anyOf": [] }),
        json!({ "if": { "minimum": "1" } }),
        json!({ "required": "a" }),
        json!({ "required": [1] }),
        json!({ "enum": "a" }),
        json!({ "minimum": null }),
        json!({ "maxLength": -1 }),
        json!({ "maxItems": 1.5 }),
        json!({ "uniqueItems": 1 }),
        json!({ "description": 5 }),
        json!({ "pattern": "(" }),
        json!({ "patternProperties": { "(": true } }),
        json!({ "$ref": "#/$defs/nowhere" }),
        json!({ "$ref": "https://example.com/schema.json" }),
        json!({ "$ref": "#/definitions/a", "definitions": { "a": { "type": 5 } } }),
        json!({ "$ref": "#/elsewhere", "elsewhere": { "type": 5 } }),
    ] {
        assert!(Validator::new(&schema).is_none(), "{schema}");
        assert!(jsonschema::draft202012::new(&schema).is_err(), "{schema}");
    }
}

#[test]
fn what_is_not_known_or_cannot_be_checked_restricts_nothing() {
    let schema =
        json!({ "format": "email", "pattern": "^(?!\\.).+$", "x-maximum": 5, "if": false, "then": false });
    for value in [json!(".@"), json!(9), json!([])] {
        assert_eq!(errors(schema.clone(), value), [""; 0]);
    }
    assert_eq!(errors(json!({ "pattern": "^(\\w{1,900}.){1,900}$" }), json!("")), [""; 0]);
    let many = |count: usize| {
        let patterns = (0..count).map(|index| format!("x|{index}")).chain(["y".to_owned()]);
        json!({ "allOf": patterns.map(|pattern| json!({ "pattern": pattern })).collect::<Vec<_>>() })
    };
    assert_eq!(errors(many(10), json!("x")), ["/: it is \"x\", expected is a match of y"]);
    assert_eq!(errors(many(1_000), json!("x")), [""; 0]);
    // A property that may or may not be one of a pattern is not taken for an unknown one.
    let named =
        json!({ "patternProperties": { "^(?=a)": { "type": "null" } }, "additionalProperties": false });
    assert_eq!(errors(named, json!({ "b": 1 })), [""; 0]);
}

const TOO_INTRICATE: &str = "/: it is too large, or its schema too intricate, to be checked";

#[test]
fn work_without_end_is_given_up_and_the_value_refused() {
    let mut wide = json!({ "$defs": { "d0": { "not": { "const": 1 } } }, "$ref": "#/$defs/d40" });
    for level in 1..=40 {
        let below = json!({ "$ref": format!("#/$defs/d{}", level - 1) });
        wide["$defs"][format!("d{level}")] = json!({ "allOf": [below, below] });
    }
    let branch = json!({ "items": { "$ref": "#" }, "minItems": 1 });
    let mut nested = json!(["a"]);
    (0..40).for_each(|_| nested = json!([nested]));
    let enum_of_many = json!({ "items": { "enum": (0..10_000).collect::<Vec<_>>() } });
    for (schema, value) in [
        (json!({ "$ref": "#" }), json!(1)),
        (json!({ "not": { "$ref": "#" } }), json!(1)),
        (json!({ "anyOf": [{ "$ref": "#" }, { "$ref": "#" }] }), json!(1)),
        (
            json!({ "allOf": [{ "properties": { "a": { "$ref": "#" } } }, { "$ref": "#/allOf/1" }] }),
            json!({}),
        ),
        (json!({ "oneOf": [branch, branch] }), nested),
        (wide, json!(2)),
        (enum_of_many, json!(vec![9_999; 10_000])),
        (json!({ "uniqueItems": true }), json!((0..100_000).collect::<Vec<_>>())),
        (json!({ "pattern": "^(a|b|ab){1,200}c$" }), json!("ab".repeat(2_000_000))),
    ] {
        assert_eq!(errors(schema, value), [TOO_INTRICATE]);
    }
}

#[test]
fn a_schema_that_is_too_large_is_none() {
    let mut deep = json!({ "type": "string" });
    (0..200).for_each(|_| deep = json!({ "items": deep }));
    let many: Vec<_> = (0..100_000).map(|index| json!({ "const": index })).collect();
    for schema in [deep, json!({ "anyOf": many })] {
        assert!(Validator::new(&schema).is_none());
    }
}

#[test]
fn the_largest_answer_that_is_looked_at_is_checked_whole() {
    let shape = crate::answer::Shape::review(&domain::gate::GatePolicy::default());
    let mut answer: Value = serde_json::from_str(&crate::scripted::report(&[])).unwrap();
    let mut finding = crate::scripted::entry("a", 1, "", "HIGH", "");
    let size = finding.to_string().len();
    answer["findings"] = json!(vec![finding.clone(); (1 << 20) / size]);
    assert_eq!(shape.errors(&answer), [""; 0]);
    finding["line"] = json!("1");
    answer["findings"].as_array_mut().unwrap().push(finding);
    assert!(shape.errors(&answer)[0].ends_with("/line: it is \"1\", expected is a whole number or null"));
}
