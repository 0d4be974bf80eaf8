//! The ways in which the lists of an epic may be written, for its schema alone. They are read by
//! [`EpicDocument`](crate::epic::EpicDocument), and written in the long form.

use std::borrow::Cow;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use super::{Directory, FunctionProfile, ProhibitedChange, SharedInterface};

/// Says something.
pub(super) const WORDS: &str = r"\S";
/// A folder, a file or a glob that stays inside the repository.
pub(super) const INSIDE: &str = r"^(?!/)(?!([^\\]*/)?\s*\.\.\s*(/|$))(?=\s*\S)[^\\]*$";

/// What is called by a name and may be remarked on: `name: remark`.
pub(super) trait Named: JsonSchema {
    /// What the name fits as the key of a mapping.
    const KEY: &str;
    /// What the name and, behind a colon, the remark fit as one text.
    const TEXT: &str;
    /// The keys of the long form.
    const LONG: &[&str];
}

impl Named for FunctionProfile {
    const KEY: &str = r"\S[\s\S]*/\s*0*([0-9]{1,2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])\s*$";
    const TEXT: &str = r"^\s*(?!:(\s|$))\S([^:]|:(?!\s|$))*/\s*0*([0-9]{1,2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])\s*(:(\s[\s\S]*)?)?$";
    const LONG: &[&str] = &["name", "arity", "intent"];
}

impl Named for Directory {
    const KEY: &str = INSIDE;
    const TEXT: &str = r"^(?!/)(?=\s*(?!:(\s|$))\S)(?!([^:\\]|:(?!\s|$))*/\s*\.\.\s*(/|$|:(\s|$)))(?!\s*\.\.\s*(/|$|:(\s|$)))([^:\\]|:(?!\s|$))*(:(\s[\s\S]*)?)?$";
    const LONG: &[&str] = &["path", "purpose"];
}

impl Named for SharedInterface {
    const KEY: &str = WORDS;
    const TEXT: &str = r"^\s*(?!:(\s|$))\S";
    const LONG: &[&str] = &["name", "description"];
}

/// A list, or a mapping of names to remarks.
pub(super) struct Listed<T>(PhantomData<T>);

impl<T: Named> JsonSchema for Listed<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("ListOf{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let long = generator.subschema_for::<T>();
        let remark = json!({ "type": ["string", "null"] });
        json_schema!({
            "description": "A list, or a mapping of names to remarks.",
            "anyOf": [
                { "type": "array", "items": { "anyOf": [
                    long,
                    { "type": "string", "pattern": T::TEXT },
                    {
                        "type": "object", "minProperties": 1, "maxProperties": 1,
                        "propertyNames": { "pattern": T::KEY, "not": { "enum": T::LONG } },
                        "additionalProperties": remark,
                    },
                ] } },
                { "type": "object", "propertyNames": { "pattern": T::KEY }, "additionalProperties": remark },
            ],
        })
    }
}

/// A list of sentences, or of what they mean in the long form.
pub(super) struct Prohibitions;

impl JsonSchema for Prohibitions {
    fn schema_name() -> Cow<'static, str> {
        "Prohibitions".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let long = generator.subschema_for::<ProhibitedChange>();
        json_schema!({ "type": "array", "items": { "anyOf": [long, sentence()] } })
    }
}

/// Sentences, each perhaps below a topic.
pub(super) struct Statements;

impl JsonSchema for Statements {
    fn schema_name() -> Cow<'static, str> {
        "Statements".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let said = json!({ "anyOf": [
            { "type": ["string", "null"] },
            { "type": "array", "items": sentence() },
        ] });
        json_schema!({ "anyOf": [
            { "type": "array", "items": { "anyOf": [
                sentence(),
                { "type": "object", "minProperties": 1, "maxProperties": 1, "additionalProperties": said },
            ] } },
            { "type": "object", "additionalProperties": said },
        ] })
    }
}

fn sentence() -> Value {
    json!({ "type": "string", "pattern": WORDS })
}
