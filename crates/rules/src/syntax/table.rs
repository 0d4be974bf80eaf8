use std::sync::OnceLock;

use domain::change::RepoPath;

use super::arity::Takes;
use super::functions::Test;
use super::languages;
use super::node::Node;
use super::notion::{Notion, Notions};
use super::shapes::{CallShape, Exports, Visibility};
use super::tree::Tree;
use crate::language::Language;

/// How a language writes what rules ask about. See [`Spec`].
pub struct Table {
    pub(super) spec: Spec,
    compiled: OnceLock<Compiled>,
}

/// The contents of a table: data, and a few functions for what data cannot say.
#[derive(Clone, Copy)]
pub(super) struct Spec {
    pub(super) language: Language,
    pub(super) grammar: fn() -> tree_sitter::Language,
    pub(super) notions: &'static [(Notion, &'static [&'static str])],
    pub(super) calls: &'static [CallShape],
    /// The tokens between operands of which the second may not be evaluated.
    pub(super) logical: &'static [&'static str],
    /// What is called with a title and a function to define a test, where tests are not functions themselves.
    pub(super) test_calls: &'static [&'static str],
    /// The name of a node as the given one of function, type, module, field, variant, constant. `None`: it is none.
    pub(super) name: for<'t> fn(Node<'t>, Notion) -> Option<Node<'t>>,
    /// The list of parameters of a function, or its only one. `None`: it takes none.
    pub(super) parameters: for<'t> fn(Node<'t>) -> Option<Node<'t>>,
    /// What one named child of that list stands for.
    pub(super) takes: for<'t> fn(Node<'t>) -> Takes,
    pub(super) body: for<'t> fn(Node<'t>) -> Option<Node<'t>>,
    /// The type that a function outside it belongs to.
    pub(super) owner: for<'t> fn(Node<'t>) -> Option<Node<'t>>,
    /// As the definition itself says; what stands around it is considered by [`super::items()`].
    pub(super) visibility: for<'t> fn(Node<'t>) -> Visibility,
    /// Names that the file exports elsewhere than at their definition.
    pub(super) exports: fn(&Tree) -> Exports,
    /// A test that is neither a function marked as one nor a call of `test_calls`, or one whose name stands elsewhere.
    pub(super) written_test: for<'t> fn(Node<'t>) -> Option<Test<'t>>,
    /// Whether a function is a test.
    pub(super) is_test: for<'t> fn(Node<'t>) -> bool,
    /// Whether a call asserts, by the last word of what is called.
    pub(super) asserts: fn(&str) -> bool,
}

/// A table by the numbers the grammar gives its kinds.
pub(super) struct Compiled {
    pub(super) grammar: tree_sitter::Language,
    kinds: Vec<String>,
    fields: Vec<String>,
    notions: Vec<Notions>,
    named: Vec<bool>,
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Table({})", self.spec.language.as_str())
    }
}

impl Table {
    pub(super) const fn new(spec: Spec) -> Self {
        Table { spec, compiled: OnceLock::new() }
    }

    pub fn language(&self) -> Language {
        self.spec.language
    }

    /// For what matches patterns on a tree.
    pub(crate) fn grammar(&'static self) -> &'static tree_sitter::Language {
        &self.compiled().grammar
    }

    /// Whether the grammar has a name of its own for a word: for keywords it is the word.
    pub(crate) fn has_kind(&'static self, word: &str) -> bool {
        self.compiled().kinds.iter().any(|kind| kind == word)
    }

    pub(super) fn compiled(&'static self) -> &'static Compiled {
        self.compiled.get_or_init(|| Compiled::of(&self.spec))
    }
}

impl Compiled {
    fn of(spec: &Spec) -> Self {
        let grammar = (spec.grammar)();
        let count = u16::try_from(grammar.node_kind_count()).unwrap_or(u16::MAX);
        let fields = u16::try_from(grammar.field_count()).unwrap_or_default();
        let owned = |name: Option<&str>| name.unwrap_or_default().to_owned();
        Compiled {
            kinds: (0..count).map(|id| owned(grammar.node_kind_for_id(id))).collect(),
            fields: (0..=fields).map(|id| owned(grammar.field_name_for_id(id))).collect(),
            notions: (0..count).map(|id| notions_of(spec, &grammar, id)).collect(),
            named: (0..count).map(|id| grammar.node_kind_is_named(id)).collect(),
            grammar,
        }
    }

    pub(super) fn kind(&self, id: u16) -> &str {
        self.kinds.get(usize::from(id)).map_or("ERROR", String::as_str)
    }

    /// Whether nodes of the kind are more than punctuation. What could not be read has a name as well.
    pub(super) fn is_named(&self, id: u16) -> bool {
        self.named.get(usize::from(id)).copied().unwrap_or(true)
    }

    pub(super) fn field(&self, id: u16) -> &str {
        self.fields.get(usize::from(id)).map_or("", String::as_str)
    }

    pub(super) fn notions(&self, id: u16) -> Notions {
        self.notions.get(usize::from(id)).copied().unwrap_or_default()
    }
}

fn notions_of(spec: &Spec, grammar: &tree_sitter::Language, id: u16) -> Notions {
    let Some(kind) = grammar.node_kind_for_id(id).filter(|_| grammar.node_kind_is_named(id)) else {
        return Notions::default();
    };
    let calls = spec.calls.iter().filter(|call| call.kind == kind).map(|_| Notion::Call);
    let others = spec.notions.iter().filter(|(_, kinds)| kinds.contains(&kind)).map(|(notion, _)| *notion);
    others.chain(calls).fold(Notions::default(), Notions::with)
}

/// The table for a file, unless its language has none, or its ending says that it is a dialect the grammar does not
/// know: Vue and Svelte components, Groovy, Objective-C, zsh.
pub(crate) fn table(language: Language, path: &RepoPath) -> Option<&'static Table> {
    match (language, path.extension().as_str()) {
        (_, "vue" | "svelte" | "groovy" | "gradle" | "m" | "mm" | "zsh") => None,
        (Language::TypeScript, "tsx") => Some(&languages::TSX),
        // Most headers of C++ end like those of C, and its grammar reads both.
        (Language::C, "h") => Some(&languages::CPP),
        (language, _) => languages::ALL.into_iter().find(|table| table.spec.language == language),
    }
}
