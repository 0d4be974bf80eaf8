//! Tests that compare something with itself on purpose.

use super::assertion::{Assertion, key};
use crate::context::FileContext;
use crate::syntax::Node;

/// What a test or its file is called that is about giving the same again, or about being equal.
const MEANT: [&str; 38] = [
    "determin",
    "idempot",
    "stable",
    "stability",
    "same",
    "equal",
    "reflexiv",
    "symmetr",
    "cache",
    "memo",
    "pure",
    "repeat",
    "consisten",
    "identi",
    "hash",
    "twice",
    "again",
    "once",
    "singleton",
    "share",
    "reus",
    "seed",
    "random",
    "unique",
    "reproduc",
    "invariant",
    "ordering",
    "compar",
    "immutab",
    "copy",
    "clone",
    "intern",
    "lazy",
    "concurren",
    "thread",
    "parallel",
    "predictab",
    "nan",
];

/// The same, where it is a word of its own.
const MEANT_WORDS: [&str; 4] = ["eq", "ne", "cmp", "self"];

/// As much of a test as is looked through for what it says of itself.
const MOST_SAID: usize = 4_000;

/// Whether a test says, by its name, its file, its message or a comment, that it compares something with itself on purpose.
pub(super) fn is_meant(file: &FileContext<'_>, test: Option<Node<'_>>, assertion: &Assertion<'_>) -> bool {
    let name = test.map(|test| {
        let name = test.child("name").map(|name| name.text().into_owned()).unwrap_or_default();
        let title =
            test.call().and_then(|call| call.arguments().next()).map(|title| title.text().into_owned());
        key(test, &format!("{name} {}", title.unwrap_or_default()))
    });
    let path = String::from_utf8_lossy(file.change.path().file_name()).into_owned();
    let message = assertion.operands.iter().skip(2).map(|text| String::from_utf8_lossy(text).into_owned());
    let named = |text: String| {
        let text = text.to_ascii_lowercase();
        MEANT.iter().any(|word| text.contains(word))
            || text.split(|c: char| !c.is_alphanumeric()).any(|word| MEANT_WORDS.contains(&word))
    };
    let said = test.map(|test| test.bytes()).unwrap_or_default();
    let said = String::from_utf8_lossy(&said[..said.len().min(MOST_SAID)]).to_ascii_lowercase();
    name.into_iter().chain([path]).chain(message).any(named)
        || ["determin", "idempot", "reproduc", "reflexiv"].iter().any(|word| said.contains(word))
}
