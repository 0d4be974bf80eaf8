//! What a type of Rust that moved to another file did not take along.

use std::collections::{HashMap, HashSet};

use super::api::place;
use crate::language::Language;
use crate::syntax::{Item, ItemKind};

/// The new items of Rust of all files.
#[derive(Default)]
pub(super) struct Left<'i> {
    /// How often a type of that name is new.
    types: HashMap<&'i str, u32>,
    names: HashSet<&'i str>,
}

impl<'i> Left<'i> {
    pub(super) fn of<'t: 'i>(new: impl Iterator<Item = &'i Item<'t>>) -> Self {
        let mut left = Left::default();
        for item in new {
            if item.kind == ItemKind::Type {
                *left.types.entry(item.name.as_str()).or_default() += 1;
            }
            left.names.insert(&item.name);
        }
        left
    }

    /// What has its name elsewhere now may be the same by way of a trait.
    pub(super) fn on_the_way(&self, item: &Item<'_>) -> bool {
        let belongs = matches!(item.kind, ItemKind::Function | ItemKind::Field | ItemKind::Variant);
        let (owner, name) = place(item);
        let is_rust = item.node.tree().table().language() == Language::Rust;
        is_rust && belongs && self.types.get(owner) == Some(&1) && !self.names.contains(name)
    }
}
