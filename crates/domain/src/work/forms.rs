//! The ways in which the lists of an epic may be written, for its schema alone. They are read by
//! [`EpicDocument`](crate::epic::EpicDocument), and written in the long form.
#![allow(dead_code, reason = "a schema is made of these types, never a value")]

use std::collections::BTreeMap;

use schemars::JsonSchema;

/// A list, or a mapping of names to remarks.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum Listed<T> {
    Items(Vec<Item<T>>),
    Remarks(BTreeMap<String, Option<String>>),
}

#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum Item<T> {
    Long(T),
    Name(String),
    Remark(BTreeMap<String, Option<String>>),
}

#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum OrSentence<T> {
    Long(T),
    Sentence(String),
}

#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum Statements {
    Items(Vec<OrSentence<BTreeMap<String, Said>>>),
    ByTopic(BTreeMap<String, Said>),
}

#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum Said {
    Nothing(()),
    Once(String),
    Several(Vec<String>),
}
