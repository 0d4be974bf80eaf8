//! What a file says as a tree, and the few notions rules share across languages.
//!
//! One [`Table`] per language maps the kinds of nodes of its grammar to [`Notion`]s; a new language is one such
//! file under `languages/` and its fixtures. Everything here is iterative and bounded: the text is hostile.

mod arity;
mod comments;
mod flat;
mod functions;
mod items;
mod languages;
mod node;
mod notion;
mod parse;
mod shapes;
mod table;
mod touched;
mod tree;
mod walk;

#[cfg(test)]
mod bounds;
#[cfg(test)]
mod fixtures;

pub(crate) use arity::arity_of;
pub use arity::{Arity, Parameter, Takes};
pub use functions::{Function, Test, functions, tests};
pub use items::{Item, ItemKind, items};
pub use node::{Children, Descendants, Node};
pub use notion::Notion;
pub(crate) use parse::{Replaced, parse, parse_parts, refusal, reparse, reparse_parts};
pub use shapes::{Call, Visibility};
pub use table::Table;
pub(crate) use table::table;
pub use touched::Touched;
pub use tree::Tree;
