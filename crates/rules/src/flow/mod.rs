//! What is known about a value inside one function: whether it is a constant, comes from a caller, or from outside
//! the program, and what text it was put together from.
//!
//! Calls are followed only inside a file, and no file is left: the answer is for rules that would otherwise take every variable for
//! an attack. Everything is bounded by a budget of steps; what costs more is unknown.

mod aliases;
mod arguments;
mod arms;
mod asked;
mod attempts;
mod branches;
mod called;
mod calls;
mod collections;
mod compared;
mod conditions;
mod csharp;
mod each;
mod entries;
mod evaluate;
mod filled;
mod go;
mod guards;
mod idle;
mod java;
mod letters;
mod lines;
mod made;
mod mapped;
mod methods;
mod models;
mod names;
mod native;
mod own;
mod parameters;
mod parents;
mod php;
mod php_tables;
mod places;
mod requests;
mod required;
mod ruby;
mod scope;
mod sources;
mod statement;
mod tables;
mod taken;
mod typed;
mod types;
mod value;
mod variables;
mod walk;

#[cfg(test)]
mod tests;

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use tree_sitter::Node;

use self::names::Names;
use self::parents::Parents;
use self::scope::Scope;
use crate::language::Language;

pub(crate) use arguments::Invocation;
pub(crate) use calls::follows_calls;
pub(crate) use value::{ENTRY_HOLE, HOLE, OWN_HOLE, Origin, Places, SEEN_HOLE, Use, Value};
pub(crate) use walk::{Step, walk};

/// One file, ready to be asked about its values.
#[derive(Debug)]
pub(crate) struct Flow<'t> {
    text: &'t [u8],
    language: Language,
    names: Names,
    scopes: RefCell<HashMap<usize, Rc<Scope<'t>>>>,
    parents: Parents<'t>,
    /// Whether the file speaks of a type that holds a request.
    has_requests: OnceCell<bool>,
    /// The types that fields are declared with, by name.
    fields: OnceCell<HashMap<&'t str, &'t str>>,
    calls: OnceCell<calls::Calls<'t>>,
    own: OnceCell<own::Own<'t>>,
    defined: OnceCell<idle::Defined<'t>>,
    /// The functions that are being looked into, with the calls that led there.
    following: RefCell<Vec<(usize, Node<'t>)>>,
    root: Node<'t>,
    /// How many questions are still answered: a file with more is generated or hostile.
    questions: Cell<u32>,
    /// With how many steps for all of them.
    steps: Cell<u32>,
    /// And how many conditions are still read for them.
    checks: Cell<u32>,
    /// Whether what a value is compared with is being looked at.
    comparing: Cell<bool>,
}

/// Of one file.
const QUESTIONS: u32 = 5_000;

/// A file that people write asks for a tenth of that.
const STEPS: u32 = 1_000_000;

const CHECKS: u32 = 20_000;

impl<'t> Flow<'t> {
    pub(crate) fn new(root: Node<'t>, text: &'t [u8], language: Language) -> Self {
        Flow {
            text,
            language,
            names: Names::of(root, text, language),
            scopes: RefCell::new(HashMap::new()),
            parents: Parents::default(),
            has_requests: OnceCell::new(),
            fields: OnceCell::new(),
            calls: OnceCell::new(),
            own: OnceCell::new(),
            defined: OnceCell::new(),
            following: RefCell::new(Vec::new()),
            root,
            questions: Cell::new(QUESTIONS),
            steps: Cell::new(STEPS),
            checks: Cell::new(CHECKS),
            comparing: Cell::new(false),
        }
    }

    /// Whether more was asked than is answered.
    pub(crate) fn is_spent(&self) -> bool {
        self.questions.get() == 0
    }

    pub(crate) fn text_of(&self, node: Node<'_>) -> &'t str {
        text_of(self.text, node)
    }

    /// The whole name of what is called, read or written, with imports resolved: `subprocess.run` for `sp.run` after
    /// `import subprocess as sp`. What cannot be named is `?`.
    pub(crate) fn name_of(&self, node: Node<'t>) -> String {
        self.names.whole(node, self.text)
    }

    /// Whether the file brings in a module, or something out of it.
    pub(crate) fn imports(&self, module: &str) -> bool {
        self.names.imports(module)
    }
}

pub(crate) fn text_of<'t>(text: &'t [u8], node: Node<'_>) -> &'t str {
    text.get(node.byte_range()).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
}
