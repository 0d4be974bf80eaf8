use std::borrow::Cow;

use ast_grep_core::matcher::{Pattern, PatternBuilder, PatternError};
use ast_grep_core::source::Edit;
use ast_grep_core::tree_sitter::{LanguageExt, StrDoc, TSLanguage};
use ast_grep_core::{Doc, Language as Patterned};
use bytes::Bytes;
use domain::change::RepoPath;

use crate::language::Language;
use crate::syntax::{self, Table, table};

/// A language with the dialect that its parser needs to know.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grammar {
    pub(crate) language: Language,
    table: &'static Table,
}

impl Grammar {
    /// Of a file with this ending; nothing if there is no parser for it.
    pub(crate) fn of(language: Language, ending: &str) -> Option<Grammar> {
        let path = RepoPath::from(format!("a.{ending}").as_str());
        Some(Grammar { language, table: table(language, &path)? })
    }

    /// Which of the two forms of a compiled pattern fits: that of the language, or that of its dialect.
    pub(super) fn form(self) -> usize {
        let plain = Grammar::of(self.language, "");
        usize::from(plain.is_some_and(|plain| !std::ptr::eq(plain.table, self.table)))
    }

    /// All dialects of a language: a pattern has to be right in each.
    pub(super) fn all(language: Language) -> Vec<Grammar> {
        let mut all: Vec<Grammar> = Vec::new();
        for grammar in ["", "tsx", "h"].iter().filter_map(|ending| Grammar::of(language, ending)) {
            if !all.iter().any(|known| std::ptr::eq(known.table, grammar.table)) {
                all.push(grammar);
            }
        }
        all
    }
}

/// `None` for a text that is too large, nested too deep, or takes the parser too long.
pub(crate) fn parse(grammar: Grammar, text: &[u8]) -> Option<tree_sitter::Tree> {
    syntax::parse(&Bytes::copy_from_slice(text), grammar.table)?.raw().cloned()
}

impl Patterned for Grammar {
    fn pre_process_pattern<'q>(&self, query: &'q str) -> Cow<'q, str> {
        with_sigil(query, self.expando_char())
    }

    /// A letter to every parser that knows no `$` in names.
    fn expando_char(&self) -> char {
        match self.language {
            Language::JavaScript
            | Language::TypeScript
            | Language::Java
            | Language::Scala
            | Language::Shell => '$',
            Language::C | Language::Cpp => '\u{10000}',
            _ => 'µ',
        }
    }

    fn kind_to_id(&self, kind: &str) -> u16 {
        self.table.grammar().id_for_node_kind(kind, true)
    }

    fn field_to_id(&self, field: &str) -> Option<u16> {
        self.table.grammar().field_id_for_name(field).map(std::num::NonZero::get)
    }

    fn build_pattern(&self, builder: &PatternBuilder<'_>) -> Result<Pattern, PatternError> {
        builder.build(|text| StrDoc::try_new(text, *self))
    }
}

impl LanguageExt for Grammar {
    fn get_ts_language(&self) -> TSLanguage {
        self.table.grammar().clone()
    }
}

/// `$NAME` and `$$$` with another sign, and every other `$` left alone.
fn with_sigil(query: &str, sigil: char) -> Cow<'_, str> {
    if sigil == '$' || !query.contains('$') {
        return Cow::Borrowed(query);
    }
    let mut written = String::with_capacity(query.len());
    let mut rest = query;
    while let Some(at) = rest.find('$') {
        written.push_str(&rest[..at]);
        let after = rest[at..].trim_start_matches('$');
        let count = rest.len() - at - after.len();
        let is_variable = after.starts_with(|c: char| c.is_ascii_uppercase() || c == '_') || count == 3;
        written.extend(std::iter::repeat_n(if is_variable { sigil } else { '$' }, count));
        rest = after;
    }
    written.push_str(rest);
    Cow::Owned(written)
}

/// A file that patterns are matched on, with a tree that was parsed before.
#[derive(Clone)]
pub(crate) struct Parsed {
    text: String,
    grammar: Grammar,
    tree: tree_sitter::Tree,
}

impl Parsed {
    /// What is no text becomes `?` byte by byte, so that places stay what they are in the tree.
    pub(crate) fn new(grammar: Grammar, bytes: &[u8], tree: tree_sitter::Tree) -> Self {
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => bytes.utf8_chunks().fold(String::with_capacity(bytes.len()), |mut text, chunk| {
                text.push_str(chunk.valid());
                text.extend(std::iter::repeat_n('?', chunk.invalid().len()));
                text
            }),
        };
        Parsed { text, grammar, tree }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

impl Doc for Parsed {
    type Source = String;
    type Lang = Grammar;
    type Node<'r> = tree_sitter::Node<'r>;

    fn get_lang(&self) -> &Grammar {
        &self.grammar
    }

    fn get_source(&self) -> &String {
        &self.text
    }

    fn do_edit(&mut self, _edit: &Edit<String>) -> Result<(), String> {
        Err("files under review are not edited".to_owned())
    }

    fn root_node(&self) -> tree_sitter::Node<'_> {
        self.tree.root_node()
    }

    fn get_node_text<'a>(&'a self, node: &tree_sitter::Node<'a>) -> Cow<'a, str> {
        String::from_utf8_lossy(self.text.as_bytes().get(node.byte_range()).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_variables_get_another_sign() {
        assert_eq!(with_sigil("f($A, $$$, $$$B, '$x', $)", 'µ'), "f(µA, µµµ, µµµB, '$x', $)");
        assert_eq!(with_sigil("f(a)", 'µ'), "f(a)");
    }

    #[test]
    fn bytes_that_are_no_text_keep_their_places() {
        let grammar = Grammar::of(Language::Python, "py").unwrap();
        let bytes = b"a = '\xff\xc3'\nb = 1\n";
        let parsed = Parsed::new(grammar, bytes, parse(grammar, bytes).unwrap());
        assert_eq!(parsed.text().len(), bytes.len());
        assert!(parsed.text().ends_with("b = 1\n"));
    }
}
