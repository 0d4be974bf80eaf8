//! How tests are switched off, language by language.

mod environment;
mod idle;
mod lines;
mod native;
mod scripts;
mod typed;

pub(crate) use lines::switches_off;

use std::cell::OnceCell;

use crate::context::FileContext;
use crate::language::Language;
use crate::syntax::{Call, Node, Notion, Test, Tree, tests};

/// What a marker says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Skip {
    Bare,
    /// With the reason beside it, or under a condition.
    Reasoned,
    /// Run only by who asks for it.
    Conditional,
    /// A title without a test.
    Announced,
}

/// What of a marker is looked at. Longer ones hold a whole test, and nothing more that matters.
const LONGEST: usize = 2_000;

/// The tests of a file, looked for when a node first may leave one of them.
pub(super) struct Tests<'t> {
    tree: &'t Tree,
    found: OnceCell<Vec<Test<'t>>>,
}

/// Tests may stand in each other; no more of them are looked at for one node.
const MOST_AROUND: usize = 20;

impl<'t> Tests<'t> {
    pub(super) fn of(tree: &'t Tree) -> Self {
        Tests { tree, found: OnceCell::new() }
    }

    /// Whether a node stands in a test and runs whenever that does.
    fn left_by(&self, node: Node<'t>) -> bool {
        self.around(node).is_some()
    }

    /// The test that a node stands in and runs whenever that does.
    fn around(&self, node: Node<'t>) -> Option<&Test<'t>> {
        let tests = self.found.get_or_init(|| tests(self.tree));
        let before = tests.partition_point(|test| test.node.range().start <= node.range().start);
        tests[..before]
            .iter()
            .rev()
            .take(MOST_AROUND)
            .find(|test| test.body.is_some_and(|body| body.contains(node) && is_unconditional(node, body)))
    }
}

/// Whether a node switches a test off, with what it is called.
pub(super) fn skip<'t>(node: Node<'t>, file: &FileContext<'_>, tests: &Tests<'t>) -> Option<(String, Skip)> {
    by_word(node, file, tests)
        .or_else(|| idle::idle(node, file))
        .or_else(|| environment::by_environment(node, file, tests))
}

/// Where a word of the framework says so.
fn by_word<'t>(node: Node<'t>, file: &FileContext<'_>, tests: &Tests<'t>) -> Option<(String, Skip)> {
    match file.language {
        Language::Rust => in_rust(node, file),
        Language::Python => in_python(node),
        Language::JavaScript | Language::TypeScript => scripts::in_script(node, tests),
        Language::Ruby => scripts::in_ruby(node, tests),
        Language::Php => scripts::in_php(node, tests),
        Language::Go => native::in_go(node, file),
        Language::C | Language::Cpp => native::in_c(node, tests),
        Language::Java | Language::Kotlin => typed::in_jvm(node, file, tests),
        Language::CSharp => typed::in_csharp(node, tests),
        Language::Swift => typed::in_swift(node, tests),
        Language::Scala => typed::in_scala(node, tests),
        _ => None,
    }
}

fn by_reason(name: impl Into<String>, has_reason: bool) -> Option<(String, Skip)> {
    Some((name.into(), if has_reason { Skip::Reasoned } else { Skip::Bare }))
}

fn beginning(node: Node<'_>) -> &[u8] {
    let bytes = node.bytes();
    &bytes[..bytes.len().min(LONGEST)]
}

/// Whether a text stands in the node that says something.
fn has_text(node: Node<'_>) -> bool {
    let says = |text: &[u8]| text.iter().any(u8::is_ascii_alphanumeric);
    node.descendants().take(LONGEST).any(|inner| inner.is(Notion::String) && says(inner.bytes()))
}

/// `#[ignore]` in front of a function. `#[cfg_attr(miri, ignore)]` is a condition.
fn in_rust(node: Node<'_>, file: &FileContext<'_>) -> Option<(String, Skip)> {
    let attribute = node.child_of(&["attribute"]).filter(|_| node.kind() == "attribute_item")?;
    let path = attribute.named_children().next().filter(|path| matches!(path.bytes(), b"ignore" | b"cfg"))?;
    let item = std::iter::successors(node.next_sibling(), Node::next_sibling)
        .take(50)
        .find(|next| !next.is_kind(&["attribute_item", "line_comment", "block_comment"]));
    if path.bytes() == b"cfg" {
        return item.and_then(|item| by_feature(attribute, item, file));
    }
    let owns = item.is_none_or(|item| item.kind() == "function_item");
    owns.then_some(())?;
    by_reason(format!("#[{}]", path.text()), has_text(attribute))
}

/// `#[cfg(feature = "slow")]` where `#[cfg(test)]` stood in front of a module of tests, or in front of a test that was there
/// before.
fn by_feature(attribute: Node<'_>, item: Node<'_>, file: &FileContext<'_>) -> Option<(String, Skip)> {
    let holds = |text: &[u8], word: &[u8]| memchr::memmem::find(text, word).is_some();
    let text = beginning(attribute);
    let asks = holds(text, b"feature") && !super::words(text).any(|word| word == b"test");
    let of_tests = item.kind() == "mod_item" && holds(item.bytes(), b"#[test]");
    let mut gone = file.change.removed().map(|(_, line)| line.trim_ascii());
    let replaces = of_tests && gone.any(|line| line == b"#[cfg(test)]");
    (asks && (replaces || is_old_test(item, file))).then_some(())?;
    Some((format!("#[{}]", String::from_utf8_lossy(text)), Skip::Conditional))
}

/// A test whose first line the change left alone. One that is new may be of what is new.
fn is_old_test(item: Node<'_>, file: &FileContext<'_>) -> bool {
    let is_test = || {
        let before = std::iter::successors(item.previous_sibling(), Node::previous_sibling).take(50);
        let attributes =
            before.take_while(|before| before.is_kind(&["attribute_item", "line_comment", "block_comment"]));
        attributes.filter(|one| one.kind() == "attribute_item").any(|one| one.bytes().ends_with(b"test]"))
    };
    item.kind() == "function_item" && !file.touched_lines().is_added(item.line()) && is_test()
}

fn in_python(node: Node<'_>) -> Option<(String, Skip)> {
    const MARKS: [&str; 10] = [
        "pytest.mark.skip",
        "mark.skip",
        "pytest.mark.xfail",
        "mark.xfail",
        "unittest.skip",
        "unittest.expectedFailure",
        "skip",
        "expectedFailure",
        "pytest.skip",
        "self.skipTest",
    ];
    match node.kind() {
        "decorator" => {
            let mark = node.named_children().next()?;
            let call = mark.call();
            let name = call.map_or(mark.bytes(), |call| call.callee());
            let name = std::str::from_utf8(name).ok()?;
            if call.is_some_and(|call| skips_always(&call, name)) {
                return by_reason(format!("@{name}"), call.is_some_and(|call| has_text(call.node)));
            }
            MARKS[..8].contains(&name).then_some(())?;
            // The condition may stand in front of the reason.
            let condition = call.is_some_and(|call| {
                call.arguments().next().is_some_and(|first| {
                    name.ends_with("xfail") && !first.is(Notion::String) && first.kind() != "keyword_argument"
                })
            });
            by_reason(format!("@{name}"), condition || call.is_some_and(|call| has_text(call.node)))
        }
        // For the whole module.
        "assignment" if node.child("left").is_some_and(|left| left.bytes() == b"pytestmark") => {
            let mark = node.child("right")?;
            let name = mark.call().map_or(mark.bytes(), |call| call.callee());
            let name = std::str::from_utf8(name).ok().filter(|name| MARKS[..4].contains(name))?;
            by_reason(name, has_text(mark))
        }
        "call" => {
            let call = node.call()?;
            let name = std::str::from_utf8(call.callee()).ok().filter(|name| MARKS[8..].contains(name))?;
            let around = node.enclosing(Notion::Function)?;
            let is_test = around.child("name").is_some_and(|name| name.bytes().starts_with(b"test"));
            (is_test && is_unconditional(node, around)).then_some(())?;
            by_reason(name, has_text(node))
        }
        _ => None,
    }
}

/// `skipif(True)`, `skipUnless(False)`.
fn skips_always(call: &Call<'_>, name: &str) -> bool {
    let condition = call.arguments().next().map(|first| first.bytes());
    match name.rsplit('.').next() {
        Some("skipif" | "skipIf") => matches!(condition, Some(b"True" | b"1" | b"not False")),
        Some("skipUnless") => matches!(condition, Some(b"False" | b"0" | b"not True")),
        _ => false,
    }
}

/// So much may stand before what leaves a test in any case.
const MOST_BEFORE: usize = 500;

/// Whether a statement runs whenever the function does. A way out before it is a condition, too.
fn is_unconditional(node: Node<'_>, function: Node<'_>) -> bool {
    const PLAIN: [&str; 12] = [
        "expression_statement",
        "block",
        "statement_list",
        "statement_block",
        "statements",
        "body_statement",
        "compound_statement",
        "function_body",
        "block_body",
        "try_expression",
        "throw_expression",
        "control_transfer_statement",
    ];
    let start = node.range().start;
    let before = function.descendants().take_while(|inner| inner.range().start < start);
    let before: Vec<Node<'_>> = before.take(MOST_BEFORE).collect();
    before.len() < MOST_BEFORE
        && !before.iter().any(|inner| inner.is(Notion::Return))
        && node
            .ancestors()
            .take_while(|around| *around != function)
            .all(|around| around.is_kind(&PLAIN) || is_always_taken(around, node))
}

/// `if true { ... }` around it.
fn is_always_taken(around: Node<'_>, node: Node<'_>) -> bool {
    let condition = around.child("condition").filter(|_| around.is(Notion::Branch));
    let taken =
        condition.is_some_and(|condition| matches!(condition.bytes(), b"true" | b"True" | b"(true)" | b"1"));
    taken && !around.child("alternative").is_some_and(|other| other.contains(node))
}
