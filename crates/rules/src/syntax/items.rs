use std::borrow::Cow;

use super::arity::Arity;
use super::node::Node;
use super::notion::Notion;
use super::shapes::Visibility;
use super::tree::Tree;
use super::walk::definitions;

/// What other code may refer to by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ItemKind {
    Function,
    Type,
    Field,
    Variant,
    Constant,
}

impl ItemKind {
    /// As a sentence calls it.
    pub fn as_str(self) -> &'static str {
        match self {
            ItemKind::Function => "function",
            ItemKind::Type => "type",
            ItemKind::Field => "field",
            ItemKind::Variant => "variant",
            ItemKind::Constant => "constant",
        }
    }
}

/// A definition outside all functions, for the comparison of what two states of a file offer.
#[derive(Debug, Clone)]
pub struct Item<'t> {
    pub kind: ItemKind,
    pub node: Node<'t>,
    pub name_node: Node<'t>,
    pub name: String,
    /// The types and modules around it, outermost first, joined by dots.
    pub container: Cow<'t, str>,
    /// With everything considered that stands around it in the file.
    pub visibility: Visibility,
    /// Of a function whose parameters can be read.
    pub arity: Option<Arity>,
    /// Whether a function is called on something.
    pub has_receiver: bool,
}

impl Item<'_> {
    /// `Type.name`, or the name alone.
    pub fn path(&self) -> String {
        if self.container.is_empty() {
            self.name.clone()
        } else {
            format!("{}.{}", self.container, self.name)
        }
    }
}

/// All of a file in the order of the text.
pub fn items(tree: &Tree) -> Vec<Item<'_>> {
    definitions(tree)
        .filter(|one| !one.local)
        .filter_map(|one| {
            let kind = match one.notion {
                Notion::Function => ItemKind::Function,
                Notion::Type => ItemKind::Type,
                Notion::Field => ItemKind::Field,
                Notion::Variant => ItemKind::Variant,
                Notion::Constant => ItemKind::Constant,
                _ => return None,
            };
            Some(Item {
                kind,
                node: one.node,
                name_node: one.name,
                // Ruby names attributes by symbols.
                name: one.name.text().trim_start_matches(':').to_owned(),
                container: Cow::Borrowed(one.container),
                visibility: one.visibility,
                has_receiver: one.signature.is_some_and(|signature| signature.has_receiver),
                arity: one.signature.map(|signature| signature.arity),
            })
        })
        .collect()
}
