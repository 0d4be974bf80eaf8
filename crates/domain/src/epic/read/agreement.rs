//! What is read and what the published schema lets through are the same, as far as a schema can say it: it knows
//! neither which ids there are nor what leads in circles.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use jsonschema::Validator;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::epic::EpicDocument;
use crate::formats::schema::schema;

const WHOLE: &str = include_str!("whole.yaml");
const SHORT: &str = include_str!("short.yaml");

static VALIDATOR: LazyLock<Validator> =
    LazyLock::new(|| jsonschema::draft202012::new(&schema("epic").unwrap()).unwrap());

fn yaml(text: &str) -> Value {
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options(text, options).unwrap()
}

/// What the reader says, and what the schema says.
fn verdicts(epic: &Value) -> (bool, bool) {
    (EpicDocument::parse("epic.yaml", &epic.to_string()).is_ok(), VALIDATOR.is_valid(epic))
}

/// In every form there is. No wait begins above its ceiling, whatever that is: a schema cannot compare two numbers.
fn samples() -> Vec<Value> {
    let long = EpicDocument::parse("epic.yaml", WHOLE).unwrap();
    let mut whole = [yaml(WHOLE), serde_json::to_value(long).unwrap()];
    whole.iter_mut().for_each(|epic| epic["limits"]["backoff"]["first_seconds"] = json!(0));
    whole.into_iter().chain([yaml(SHORT)]).collect()
}

/// Every place in a document.
fn places(value: &Value, here: &str, all: &mut Vec<String>) {
    all.push(here.to_owned());
    let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
    match value {
        Value::Array(items) => {
            (0..)
                .zip(items)
                .for_each(|(index, item): (usize, _)| places(item, &format!("{here}/{index}"), all));
        }
        Value::Object(entries) => {
            entries.iter().for_each(|(key, value)| places(value, &format!("{here}/{}", escaped(key)), all));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn places_of(value: &Value) -> Vec<String> {
    let mut all = Vec::new();
    places(value, "", &mut all);
    all
}

/// Of each type, and what its neighbours do not take.
fn strange_values() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(12),
        json!(-1),
        json!(1.5),
        json!(2.0),
        json!(1e30),
        json!(""),
        json!(" "),
        json!("x y/.."),
        json!("../x"),
        json!([]),
        json!([null]),
        json!([12]),
        json!([true]),
        json!([""]),
        json!([[]]),
        json!([{}]),
        json!({}),
        json!({ "a": null }),
        json!({ "a": 12 }),
        json!({ "a": ["b"] }),
        json!({ "a": [12] }),
        json!({ "a": {} }),
        json!({ "a b": "c", "d e": "f" }),
    ]
}

#[test]
fn every_field_takes_the_same_values() {
    for sample in samples() {
        assert_eq!(verdicts(&sample), (true, true));
        for place in places_of(&sample) {
            for strange in strange_values() {
                let mut epic = sample.clone();
                *epic.pointer_mut(&place).unwrap() = strange.clone();
                let (read, fits) = verdicts(&epic);
                assert_eq!(read, fits, "{strange} at {place}");
            }
        }
    }
}

#[test]
fn the_same_keys_may_be_left_out_and_none_is_made_up() {
    for sample in samples() {
        for place in places_of(&sample) {
            let Some(keys) = sample.pointer(&place).and_then(Value::as_object) else { continue };
            for key in keys.keys() {
                let mut epic = sample.clone();
                epic.pointer_mut(&place).and_then(Value::as_object_mut).unwrap().remove(key);
                let (read, fits) = verdicts(&epic);
                assert_eq!(read, fits, "without {key} at {place}");
            }
            let mut epic = sample.clone();
            epic.pointer_mut(&place).unwrap()["zzz"] = json!(1);
            assert_eq!(verdicts(&epic), (false, false), "with another key at {place}");
        }
    }
}

#[test]
fn the_samples_have_every_field_of_the_schema() {
    let mut used = BTreeSet::new();
    for sample in samples() {
        let keys =
            places_of(&sample).into_iter().filter_map(|place| Some(place.rsplit_once('/')?.1.to_owned()));
        used.extend(keys);
    }
    let schema = schema("epic").unwrap();
    let definitions = schema["$defs"].as_object().unwrap().values().chain([&schema]);
    let fields: BTreeSet<String> = definitions
        .filter_map(|one| one["properties"].as_object())
        .flat_map(|all| all.keys().cloned())
        .collect();
    assert_eq!(fields.difference(&used).collect::<Vec<_>>(), [""; 0]);
    assert!(fields.len() > 40, "{fields:?}");
}

#[test]
fn limits_end_where_the_schema_ends_them() {
    let numbers =
        [("parallel", 128), ("tries", 100), ("seconds", 604_800), ("tokens", 1_000_000_000_000_000_u64)];
    for (name, most) in numbers {
        for (value, fine) in [(most, true), (most + 1, false)] {
            let mut epic = json!({ "id": "e", "tickets": [{ "id": "a", "path": "a.md" }] });
            match name {
                "parallel" => epic["parallel"] = json!(value),
                "tries" => epic["limits"] = json!({ "max_retries": value }),
                "seconds" => epic["commands"] = json!({ "timeout": value }),
                _ => epic["tickets"][0]["budget"] = json!({ "tokens": value }),
            }
            assert_eq!(verdicts(&epic), (fine, fine), "{name} {value}");
        }
    }
}

fn with_list(list: &str, items: &Value) -> Value {
    json!({ "id": "e", "tickets": [{ "id": "a", "path": "a.md" }], "coordination_requirements": { list: items } })
}

fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-10.0f64..1e7).prop_map(Value::from),
        "[a-z0-9/.: -]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[a-z/0-9 ]{1,6}", inner, 0..3)
                .prop_map(|all| Value::Object(all.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn short_forms_are_read_as_the_schema_has_them(text in "[fg/0-9:. \n\\\\-]{0,9}") {
        for list in ["function_profiles", "directory_structure", "shared_interfaces"] {
            for items in [json!([text]), json!([{ (text.clone()): "why" }]), json!({ (text.clone()): null })] {
                let (read, fits) = verdicts(&with_list(list, &items));
                prop_assert_eq!(read, fits, "{} in {}", items, list);
            }
        }
    }

    #[test]
    fn ids_paths_and_names_are_read_as_the_schema_has_them(text in "[aZ9/.:_ @{~\\\\-]{0,7}(\\.lock)?") {
        let epics = [
            json!({ "id": text, "tickets": [{ "id": "a", "path": "a.md" }] }),
            json!({ "id": "e", "tickets": [{ "id": "a", "path": text }] }),
            json!({ "id": "e", "base_branch": text, "tickets": [{ "id": "a", "path": "a.md" }] }),
            json!({ "id": "e", "builder": text, "tickets": [{ "id": "a", "path": "a.md" }] }),
            json!({ "id": "e", "commands": { "environment": [text] }, "tickets": [{ "id": "a", "path": "a.md" }] }),
        ];
        for epic in epics {
            let (read, fits) = verdicts(&epic);
            prop_assert_eq!(read, fits, "{}", epic);
        }
    }

    #[test]
    fn whatever_is_read_fits_the_schema(which in 0usize..3, place in any::<prop::sample::Index>(), value in anything()) {
        let mut epic = samples().remove(which);
        let places = places_of(&epic);
        let place: &String = place.get(&places);
        *epic.pointer_mut(place).unwrap() = value;
        let (read, fits) = verdicts(&epic);
        prop_assert!(fits || !read, "{}", epic);
    }
}
