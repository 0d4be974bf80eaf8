use std::borrow::Cow;
use std::collections::HashMap;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::words::words;
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};
use crate::syntax::{Function, Node, Notion, Visibility, functions};

static INFO: RuleInfo = RuleInfo {
    id: text("unused-function"),
    title: text("A new private function that nothing calls"),
    why: text("It is dead from the start, or somebody forgot to call it"),
    fix: text("Call it where it was meant to be called, or remove it"),
    severity: Severity::Low,
    category: Category::Readability,
    dimension: Dimension::CODE_QUALITY,
    confidence: Confidence::Medium,
    languages: Cow::Borrowed(&[
        Language::Rust,
        Language::Python,
        Language::JavaScript,
        Language::TypeScript,
        Language::Java,
        Language::C,
        Language::Cpp,
        Language::Kotlin,
        Language::CSharp,
        Language::Php,
        Language::Swift,
        Language::Scala,
    ]),
    examples: Cow::Borrowed(&[
        Example::bad("src/a.rs", "pub fn a() {}\nfn b() {}\n", &[2]),
        Example::good("src/a.rs", "pub fn a() { b() }\nfn b() {}\n"),
    ]),
};

pub(crate) struct UnusedFunction;

impl FileRule for UnusedFunction {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Literals {
            added: &[b"fn ", b"def ", b"function", b"=>", b"private", b"static"],
            removed: &[],
        }
    }

    fn check(&self, file: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        if !INFO.languages.contains(&file.language) || file.is_test_file() || hits.is_empty() {
            return;
        }
        let (Some(tree), Some(head)) = (file.touched_tree(), file.head()) else { return };
        if tree.root().has_error() || may_be_used_from_outside(tree.root(), file) {
            return;
        }
        let touched = file.touched_lines();
        let all = functions(tree);
        let is_new = |one: &&Function<'_>| {
            one.has_body() && touched.is_added(one.name_line()) && !file.in_test(one.name_line())
        };
        let new: Vec<&Function<'_>> =
            all.iter().filter(is_new).filter(|one| is_private(one, file.language)).collect();
        if new.is_empty() {
            return;
        }
        let mut counts: HashMap<&[u8], usize> = HashMap::new();
        words(tree.text()).for_each(|word| *counts.entry(word).or_default() += 1);
        let is_unused = |one: &&&Function<'_>| counts.get(one.name.as_bytes()).is_none_or(|count| *count < 2);
        let unused: Vec<&&Function<'_>> = new.iter().filter(is_unused).collect();
        // Where nothing is used, the file is a fragment, or used in a way that nobody can see from here.
        for function in unused.iter().filter(|_| unused.len() < all.len()) {
            let line = function.name_line();
            let message = format!("Nothing uses the new function `{}`", function.name);
            let draft = Draft::lines(head, line, line, message);
            report.add(if is_provable(function, file.language) {
                draft
            } else {
                draft.confidence(Confidence::Low)
            });
        }
    }
}

/// Whether others may reach what the file keeps to itself: its own modules, scripts on the same page, generated code.
fn may_be_used_from_outside(root: Node<'_>, file: &FileContext<'_>) -> bool {
    match file.language {
        Language::Rust => root.descendants().any(|node| {
            (node.kind() == "mod_item" && node.child("body").is_none()) || node.kind() == "macro_definition"
        }),
        Language::JavaScript | Language::TypeScript => {
            let is_module =
                |node: Node<'_>| node.is_kind(&["import_statement", "export_statement"]) || gives_out(node);
            !root.named_children().any(is_module)
        }
        Language::C => file.change.path().extension() != "c",
        Language::Cpp => !["cc", "cpp", "cxx"].contains(&file.change.path().extension().as_str()),
        // Part of a class may stand in another file; names are called as texts.
        Language::CSharp => memchr::memmem::find(root.bytes(), b"partial class").is_some(),
        Language::Php => memchr::memmem::find(root.bytes(), b"__call").is_some(),
        _ => false,
    }
}

fn is_private(function: &Function<'_>, language: Language) -> bool {
    let node = function.node;
    let is_marked = |kinds: &[&str]| {
        let before = node.previous_sibling().is_some_and(|before| before.is_kind(kinds));
        before
            || node
                .descendants()
                .take_while(|inner| *inner != function.name_node)
                .any(|inner| inner.is_kind(kinds))
    };
    let is_special =
        function.name.starts_with("__") && (language != Language::Python || function.name.ends_with("__"));
    if function.is_test || is_special || function.name == "main" {
        return false;
    }
    match language {
        Language::Rust => {
            let around = node.parent().and_then(|list| list.parent());
            let is_free =
                around.is_none_or(|around| around.kind() != "trait_item" && around.child("trait").is_none());
            function.visibility == Visibility::Private
                && is_free
                && !function.local
                && !function.name.starts_with('_')
                && node.child_of(&["visibility_modifier"]).is_none()
                && !is_marked(&["attribute_item", "extern_modifier"])
        }
        // Whatever stands in a module may be imported; what stands in a function may not, and what begins with `_` is asked
        // not to be. A method of that name may be there for classes that are made of this one, unless it has two.
        Language::Python => {
            let holder = node.parent().map(|parent| parent.kind());
            let is_hidden = function.name.starts_with("__") && holder == Some("block");
            let is_reserved = function.name.starts_with('_') && holder == Some("module");
            function.local && holder == Some("block") && in_function(node)
                || function.name.len() > 2 && (is_hidden || is_reserved)
        }
        Language::JavaScript | Language::TypeScript => {
            node.is_kind(&["function_declaration", "generator_function_declaration"])
                && function.visibility == Visibility::Private
                && node.parent().is_some_and(|parent| parent.kind() == "program")
        }
        Language::Java => {
            function.visibility == Visibility::Private
                && node.kind() == "method_declaration"
                && says_private(node)
                && !is_marked(&["annotation", "marker_annotation"])
                && !["readObject", "writeObject", "readResolve", "writeReplace"]
                    .contains(&function.name.as_str())
        }
        // In C++ what a class declares is defined elsewhere.
        Language::Cpp => {
            function.visibility == Visibility::Private
                && node.kind() == "function_definition"
                && node.bytes().starts_with(b"static")
                && node.enclosing(Notion::Type).is_none()
                && !is_marked(&["attribute_declaration", "attribute_specifier"])
        }
        Language::Kotlin | Language::Swift | Language::Scala | Language::CSharp | Language::Php => {
            const MARKS: [&str; 4] = ["annotation", "attribute", "attribute_list", "partial"];
            const CALLED_BY_NAME: [&str; 4] = ["readObject", "writeObject", "readResolve", "init"];
            function.visibility == Visibility::Private
                && !function.local
                && !is_marked(&MARKS)
                && !node.is_kind(&["constructor_declaration", "init_declaration"])
                && memchr::memmem::find(header_of(function), b"private").is_some()
                && memchr::memmem::find(header_of(function), b"operator").is_none()
                && memchr::memmem::find(header_of(function), b"implicit").is_none()
                && memchr::memmem::find(header_of(function), b"override").is_none()
                && !CALLED_BY_NAME.contains(&function.name.as_str())
                // A framework calls what it finds in classes that come from its own.
                && !(language == Language::CSharp && inherits(node))
        }
        _ => {
            function.visibility == Visibility::Private
                && !function.local
                && !node.is(Notion::Type)
                && !is_marked(&["attribute_specifier"])
        }
    }
}

/// `module.exports = ...`, as modules of Node say what others may use.
fn gives_out(node: Node<'_>) -> bool {
    node.kind() == "expression_statement"
        && [&b"module.exports"[..], b"exports."].iter().any(|word| node.bytes().starts_with(word))
}

/// Whether no other file can call it.
fn is_provable(function: &Function<'_>, language: Language) -> bool {
    language != Language::Python || function.local || function.name.starts_with("__")
}

/// What stands in front of its name.
fn header_of<'t>(function: &Function<'t>) -> &'t [u8] {
    let length = function.name_node.range().start.saturating_sub(function.node.range().start);
    &function.node.bytes()[..length.min(function.node.bytes().len())]
}

fn inherits(node: Node<'_>) -> bool {
    node.enclosing(Notion::Type).is_some_and(|outer| outer.child_of(&["base_list"]).is_some())
}

fn in_function(node: Node<'_>) -> bool {
    let around = node.parent().and_then(|block| block.parent());
    around.is_some_and(|around| around.kind() == "function_definition")
}

fn says_private(node: Node<'_>) -> bool {
    node.child_of(&["modifiers"]).is_some_and(|words| words.children().any(|word| word.kind() == "private"))
}
