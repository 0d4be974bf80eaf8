//! Names that a test gives to a constant and to nothing else.

use std::collections::HashMap;

use super::assertion::{Assertion, Strength, is_literal};
use crate::language::Language;
use crate::syntax::Node;

/// Of a test with more names nothing is said: what was not looked at may be given to any of them.
const MOST: usize = 200;

/// What the names of a test stand for, as long as each is given a value once.
#[derive(Debug, Default)]
pub(super) struct FixedNames<'t> {
    /// `None` where it is given something else as well.
    values: HashMap<&'t [u8], Option<&'t [u8]>>,
}

impl<'t> FixedNames<'t> {
    pub(super) fn of(test: Node<'t>, language: Language) -> Self {
        let mut values: HashMap<&[u8], Option<&[u8]>> = HashMap::new();
        for (count, (name, value)) in test.descendants().filter_map(|node| given(node, language)).enumerate()
        {
            if count == MOST {
                return FixedNames::default();
            }
            let known = values.contains_key(name);
            values.insert(name, value.filter(|value| !known && is_fixed(value)));
        }
        FixedNames { values }
    }

    /// Whether an assertion compares such a name with the very value that it was given.
    pub(super) fn makes_trivial(&self, assertion: &Assertion<'_>) -> bool {
        let value = |operand: &[u8]| self.values.get(operand).copied().flatten().map(<[u8]>::to_vec);
        match (assertion.strength, assertion.operands.as_slice()) {
            (Strength::Exact, [one, other]) => match (value(one), value(other)) {
                (Some(one), Some(other)) => one == other,
                (Some(one), None) => is_literal(other) && one == *other,
                (None, Some(other)) => is_literal(one) && *one == other,
                (None, None) => false,
            },
            _ => false,
        }
    }
}

/// A value that nobody can change: a list that begins empty may be filled by what it is handed to.
fn is_fixed(value: &[u8]) -> bool {
    is_literal(value) && !value.ends_with(b"]") && !value.ends_with(b"}")
}

/// A name, and what it is given where that stands there to be read.
fn given<'t>(node: Node<'t>, language: Language) -> Option<(&'t [u8], Option<&'t [u8]>)> {
    let sides = |left: &str, right: &str| {
        let name = node.child(left).filter(|name| name.kind() == "identifier")?;
        Some((name.bytes(), node.child(right).map(|value| value.bytes())))
    };
    let opened = |name: Option<(&'t [u8], Option<&'t [u8]>)>| name.map(|(name, _)| (name, None));
    match (language, node.kind()) {
        (Language::Rust, "let_declaration") => {
            let changes = node.child_of(&["mutable_specifier"]).is_some();
            let name = sides("pattern", "value");
            if changes { opened(name) } else { name }
        }
        (Language::Python, "assignment") => sides("left", "right"),
        (Language::Python, "augmented_assignment" | "for_statement" | "named_expression") => {
            opened(sides("left", "right").or_else(|| sides("name", "value")))
        }
        (Language::JavaScript | Language::TypeScript, "variable_declarator") => {
            let name = sides("name", "value");
            let is_fixed = node.parent().is_some_and(|around| around.bytes().starts_with(b"const"));
            if is_fixed { name } else { opened(name) }
        }
        _ => None,
    }
}
