use std::borrow::Cow;

use ast_grep_core::matcher::{Pattern, PatternBuilder, PatternError};
use ast_grep_core::source::Edit;
use ast_grep_core::tree_sitter::{LanguageExt, StrDoc, TSLanguage};
use ast_grep_core::{Doc, Language as Patterned};

use crate::language::Language;

/// A language with the dialect that its parser needs to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Grammar {
    pub(crate) language: Language,
    dialect: Dialect,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Dialect {
    Plain,
    Tsx,
}

impl Grammar {
    /// Of a file with this ending; nothing if there is no parser for it.
    pub(crate) fn of(language: Language, ending: &str) -> Option<Grammar> {
        let dialect = match (language, ending) {
            (_, "vue" | "svelte" | "groovy" | "gradle" | "m" | "mm" | "zsh") => return None,
            (Language::TypeScript, "tsx") => Dialect::Tsx,
            _ => Dialect::Plain,
        };
        let grammar = Grammar { language, dialect };
        grammar.parser().is_some().then_some(grammar)
    }

    /// Which of the two forms of a compiled pattern fits.
    pub(super) fn form(self) -> usize {
        match self.dialect {
            Dialect::Plain => 0,
            Dialect::Tsx => 1,
        }
    }

    /// All dialects of a language: a pattern has to be right in each.
    pub(super) fn all(language: Language) -> Vec<Grammar> {
        ["", "tsx"].iter().filter_map(|ending| Grammar::of(language, ending)).fold(Vec::new(), |mut all, one| {
            if !all.contains(&one) {
                all.push(one);
            }
            all
        })
    }

    fn parser(self) -> Option<TSLanguage> {
        Some(match (self.language, self.dialect) {
            (Language::Rust, _) => tree_sitter_rust::LANGUAGE.into(),
            (Language::Python, _) => tree_sitter_python::LANGUAGE.into(),
            (Language::JavaScript, _) => tree_sitter_javascript::LANGUAGE.into(),
            (Language::TypeScript, Dialect::Plain) => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            (Language::TypeScript, Dialect::Tsx) => tree_sitter_typescript::LANGUAGE_TSX.into(),
            (Language::Go, _) => tree_sitter_go::LANGUAGE.into(),
            (Language::Java, _) => tree_sitter_java::LANGUAGE.into(),
            (Language::Kotlin, _) => tree_sitter_kotlin_ng::LANGUAGE.into(),
            (Language::C, _) => tree_sitter_c::LANGUAGE.into(),
            (Language::Cpp, _) => tree_sitter_cpp::LANGUAGE.into(),
            (Language::CSharp, _) => tree_sitter_c_sharp::LANGUAGE.into(),
            (Language::Ruby, _) => tree_sitter_ruby::LANGUAGE.into(),
            (Language::Php, _) => tree_sitter_php::LANGUAGE_PHP.into(),
            (Language::Swift, _) => tree_sitter_swift::LANGUAGE.into(),
            (Language::Scala, _) => tree_sitter_scala::LANGUAGE.into(),
            (Language::Shell, _) => tree_sitter_bash::LANGUAGE.into(),
            _ => return None,
        })
    }
}

pub(crate) fn parse(grammar: Grammar, text: &[u8]) -> Option<tree_sitter::Tree> {
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&grammar.parser()?).ok()?;
    parser.parse(text, None)
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
        self.parser().map_or(0, |parser| parser.id_for_node_kind(kind, true))
    }

    fn field_to_id(&self, field: &str) -> Option<u16> {
        self.parser()?.field_id_for_name(field).map(std::num::NonZero::get)
    }

    fn build_pattern(&self, builder: &PatternBuilder<'_>) -> Result<Pattern, PatternError> {
        builder.build(|text| StrDoc::try_new(text, *self))
    }
}

impl LanguageExt for Grammar {
    /// Only ever asked of a grammar that [`Grammar::of`] made, which has a parser.
    fn get_ts_language(&self) -> TSLanguage {
        self.parser().unwrap_or_else(|| tree_sitter_python::LANGUAGE.into())
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
