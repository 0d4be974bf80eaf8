//! YAML as a tree that remembers where each part stood, so that every mistake can be pointed at, not only the
//! first.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{DuplicateKeyPolicy, Location, Spanned};

use super::Position;
use crate::config::{ConfigError, explained};

/// Where something stands, and how long it is on its line, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) at: Position,
    pub(crate) length: usize,
}

#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) spot: Spot,
    pub(crate) value: Value,
}

#[derive(Debug)]
pub(crate) enum Value {
    Nothing,
    Text(String),
    Bool {
        value: bool,
        raw: String,
    },
    Number {
        value: f64,
        whole: Option<u64>,
        raw: String,
    },
    List(Vec<Node>),
    /// As written: a key may stand there twice.
    Map(Vec<(Key, Node)>),
}

#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) spot: Spot,
    pub(crate) name: String,
}

/// Reads one document. What is no YAML at all is the only mistake found here.
pub(crate) fn parse(file: &str, text: &str, example: &str) -> Result<Node, ConfigError> {
    // As editors read it: `on`, `off`, `yes` and `no` are words of YAML 1.1 alone.
    let options = serde_saphyr::options! {
        duplicate_keys: DuplicateKeyPolicy::LastWins,
        strict_booleans: true,
    };
    let raw: Spanned<Raw> = serde_saphyr::from_str_with_options(text, options)
        .map_err(|error| explained(file, text, example, error))?;
    Ok(located(raw, text))
}

/// A scalar is kept as what YAML takes it for; what was written is looked up by its place.
enum Raw {
    Nothing,
    Text(String),
    Bool(bool),
    Number(f64, Option<u64>),
    List(Vec<Spanned<Raw>>),
    Map(Vec<(Spanned<String>, Spanned<Raw>)>),
}

fn located(raw: Spanned<Raw>, text: &str) -> Node {
    let (used, defined) = (raw.referenced, raw.defined);
    let written = || written(text, defined).to_owned();
    let value = match raw.value {
        Raw::Nothing => Value::Nothing,
        Raw::Text(text) => Value::Text(text),
        Raw::Bool(value) => Value::Bool { value, raw: written() },
        Raw::Number(value, whole) => Value::Number { value, whole, raw: written() },
        Raw::List(items) => Value::List(items.into_iter().map(|item| located(item, text)).collect()),
        Raw::Map(entries) => Value::Map(
            entries
                .into_iter()
                .map(|(key, value)| {
                    (Key { spot: spot(key.referenced), name: key.value }, located(value, text))
                })
                .collect(),
        ),
    };
    let spot = match value {
        Value::List(_) | Value::Map(_) => Spot { length: 1, ..spot(used) },
        Value::Nothing | Value::Text(_) | Value::Bool { .. } | Value::Number { .. } => spot(used),
    };
    Node { spot, value }
}

fn spot(location: Location) -> Spot {
    Spot {
        at: Position { line: location.line().max(1), column: location.column().max(1) },
        length: usize::try_from(location.span().len()).unwrap_or(usize::MAX),
    }
}

fn written(text: &str, location: Location) -> &str {
    let span = location.span();
    let bound = |number: Option<u64>| number.and_then(|number| usize::try_from(number).ok());
    let (start, length) = (bound(span.byte_offset()), bound(span.byte_len()));
    let range = start.zip(length).and_then(|(start, length)| text.get(start..start.checked_add(length)?));
    range.unwrap_or_default().trim()
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

/// Beyond it a float does not tell one whole number from the next.
const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;

#[allow(clippy::cast_precision_loss, reason = "whole numbers are kept beside it")]
impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Raw, E> {
        Ok(Raw::Nothing)
    }

    fn visit_none<E>(self) -> Result<Raw, E> {
        Ok(Raw::Nothing)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Raw, D::Error> {
        Raw::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Raw, E> {
        Ok(Raw::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Raw, E> {
        Ok(Raw::Number(value as f64, u64::try_from(value).ok()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Raw, E> {
        Ok(Raw::Number(value as f64, Some(value)))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Raw, E> {
        Ok(Raw::Number(value as f64, None))
    }

    fn visit_u128<E>(self, value: u128) -> Result<Raw, E> {
        Ok(Raw::Number(value as f64, None))
    }

    /// `2.0` is a whole number, as it is for a JSON schema.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range was looked at")]
    fn visit_f64<E>(self, value: f64) -> Result<Raw, E> {
        let is_whole = value.fract() == 0.0 && (0.0..=LARGEST_EXACT).contains(&value);
        Ok(Raw::Number(value, is_whole.then_some(value as u64)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Raw, E> {
        Ok(Raw::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Raw, E> {
        Ok(Raw::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Raw, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Raw::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Raw::Map(entries))
    }
}
