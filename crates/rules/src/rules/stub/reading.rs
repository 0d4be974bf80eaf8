//! What a "not implemented" may mean besides that somebody forgot to write it.

use std::collections::HashSet;

use super::BASE_NAME;
use super::refusal::said;
use crate::language::Language;
use crate::pattern::Pattern;
use crate::syntax::{Node, Notion, Tree};

/// How a statement that says "not implemented" is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// It refuses a value at run time, which its message names.
    Guard,
    /// It names the platform it does not support, or the ticket that will do it.
    Known,
    /// A subclass is meant to do it, or the type only stands in for another.
    Abstract,
    Stub,
}

/// A message that is put together from values.
static BUILT: Pattern = Pattern::new(r#"["'`]\s*\+|\$\{|["`]\s*,\s*[\w&]|%[svdqw]|\\\(|\.format\("#);

static KNOWN: Pattern = Pattern::new(
    r#"(?i)#\d+|\b[A-Z][A-Z0-9]+-\d+\b|https?://|\b(?:windows|linux|mac ?os|unix|android|ios|wasm\d*|platforms?|unsupported|not supported)\b"#,
);

static RUST_VALUE: Pattern = Pattern::new(r#"(?:unimplemented|unreachable|panic)!\s*[(\[{]\s*"[^"\n]*\{"#);

static LEFT_TO_OTHERS: Pattern =
    Pattern::new(r"(?i)overrid|subclass|@abstract|implementers?\b|derived class");

/// What others call to refuse is written itself.
static REFUSES: Pattern = Pattern::new(
    r"(?i)^_*(?:throw|raise|err|error|fail|panic)?_?(?:not_?(?:yet_?)?implemented|unimplemented|todo)",
);

static EXTENDED: Pattern = Pattern::new(r"(?:\bextends|:|<)\s*([A-Za-z_$][\w$]*)");

/// Reads the statements of one file.
pub(super) struct Reader {
    /// The names that types of the file inherit from.
    extended: HashSet<Vec<u8>>,
}

impl Reader {
    pub(super) fn of(tree: &Tree) -> Self {
        let headers = tree.all(Notion::Type).map(header);
        let names = headers
            .flat_map(|header| EXTENDED.regex().captures_iter(header).map(|groups| groups[1].to_vec()));
        Reader { extended: names.collect() }
    }

    pub(super) fn read(&self, node: Node<'_>, language: Language) -> Reading {
        let rust = language == Language::Rust;
        // Of a macro inside another the word alone is a node; the group with its message is behind it.
        let group = (node.kind() == "identifier").then(|| node.next_sibling()?.next_sibling()).flatten();
        let said = group.map_or_else(|| said(node), said);
        match () {
            () if !rust && language != Language::Shell && is_built(said) => Reading::Guard,
            () if KNOWN.regex().is_match(said) => Reading::Known,
            () if rust && RUST_VALUE.regex().is_match(said) => Reading::Known,
            () if rust && is_for_documentation(node) => Reading::Guard,
            () if rust && is_template(node) => Reading::Abstract,
            () if self.is_left_to_others(node) => Reading::Abstract,
            () => Reading::Stub,
        }
    }

    /// By what is said of the statement, the function and the type around it.
    fn is_left_to_others(&self, node: Node<'_>) -> bool {
        let mut function = false;
        for around in std::iter::once(node).chain(node.ancestors()) {
            let is_function = around.is(Notion::Function) || around.is(Notion::Lambda);
            let is_statement = !function && around.parent().is_some_and(|parent| parent.is(Notion::Block));
            if (is_function || is_statement) && is_explained(around) {
                return true;
            }
            let name = around.child("name").filter(|_| is_function);
            if name.is_some_and(|name| REFUSES.regex().is_match(name.bytes())) {
                return true;
            }
            function |= is_function;
            if around.is(Notion::Type) || around.is_kind(&["impl_item", "module", "companion_object"]) {
                return self.is_base(around, node);
            }
        }
        false
    }

    fn is_base(&self, around: Node<'_>, node: Node<'_>) -> bool {
        // What a trait provides and every implementation has to replace. `todo!` is open work there, too.
        if around.kind() == "trait_item" && !said(node).starts_with(b"todo") {
            return true;
        }
        let header = header(around);
        let name = around
            .child("type")
            .filter(|_| around.kind() == "impl_item")
            .or_else(|| around.child("name"))
            .or_else(|| around.child_of(&["identifier", "type_identifier", "name"]));
        let Some(name) = name else { return false };
        BASE_NAME.regex().is_match(name.bytes())
            || memchr::memmem::find(header, b"abstract ").is_some()
            || self.extended.contains(name.bytes())
    }
}

/// Whether it is part of code that a macro of Rust writes for others: `quote! { .. }`.
fn is_template(node: Node<'_>) -> bool {
    node.ancestors().filter_map(|around| around.child("macro")).any(|name| {
        let text = name.text();
        text.rsplit("::")
            .next()
            .is_some_and(|name| name.starts_with("quote") || name.starts_with("parse_quote"))
    })
}

/// Whether it is only there while the documentation is made: `#[cfg(doc)]`.
fn is_for_documentation(node: Node<'_>) -> bool {
    node.ancestors().any(|around| {
        let before = around.previous_sibling().filter(|before| before.kind() == "attribute_item");
        before.is_some_and(|attribute| attribute.bytes() == b"#[cfg(doc)]")
    })
}

/// Whether a message names what it was given.
pub(super) fn is_built(text: &[u8]) -> bool {
    BUILT.regex().is_match(text)
}

/// How far a header is looked at. In bytes.
const LONGEST_HEADER: usize = 600;

/// What stands before the body.
fn header(node: Node<'_>) -> &[u8] {
    let whole = node.bytes();
    let body =
        node.child("body").or_else(|| node.child_of(&["class_body", "enum_class_body", "declaration_list"]));
    let end = body.map_or(whole.len(), |body| body.range().start.saturating_sub(node.range().start));
    &whole[..end.min(whole.len()).min(LONGEST_HEADER)]
}

/// Whether a comment in front of it, or what stands before its body, says who is to do it.
fn is_explained(node: Node<'_>) -> bool {
    let before = std::iter::successors(node.previous_sibling(), Node::previous_sibling)
        .take_while(|before| before.is(Notion::Comment) || before.is_kind(&["attribute_item", "decorator"]))
        .take(20);
    let mut texts = before.map(|before| said(before)).chain([header(node)]);
    texts.any(|text| LEFT_TO_OTHERS.regex().is_match(text))
}
