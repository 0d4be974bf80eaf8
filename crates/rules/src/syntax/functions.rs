use std::collections::HashSet;
use std::ops::Range;

use super::arity::{Arity, Parameter, parameters};
use super::node::Node;
use super::notion::Notion;
use super::shapes::{Call, Visibility};
use super::tree::Tree;
use super::walk::definitions;
use crate::language::Language;

/// A function or method that has a name.
#[derive(Debug, Clone)]
pub struct Function<'t> {
    pub node: Node<'t>,
    pub name: String,
    pub name_node: Node<'t>,
    /// The types and modules around it, outermost first, joined by dots.
    pub container: &'t str,
    pub arity: Arity,
    pub visibility: Visibility,
    pub is_test: bool,
    /// Inside another function.
    pub local: bool,
    /// Absent for a declaration.
    pub body: Option<Node<'t>>,
}

impl<'t> Function<'t> {
    pub fn parameters(&self) -> Vec<Parameter<'t>> {
        parameters(self.node).unwrap_or_default()
    }

    /// One-based, inclusive.
    pub fn lines(&self) -> (u32, u32) {
        (self.node.line(), self.node.end_line())
    }

    pub fn name_line(&self) -> u32 {
        self.name_node.line()
    }

    pub fn body_range(&self) -> Option<Range<usize>> {
        self.body.map(|body| body.range())
    }

    pub fn has_body(&self) -> bool {
        self.body.is_some()
    }

    /// `Type.name`, or the name alone.
    pub fn path(&self) -> String {
        if self.container.is_empty() {
            self.name.clone()
        } else {
            format!("{}.{}", self.container, self.name)
        }
    }
}

/// All functions of a file in the order of the text, without those whose parameters cannot be read.
pub fn functions(tree: &Tree) -> Vec<Function<'_>> {
    let all = definitions(tree).filter(|one| one.notion == Notion::Function);
    all.filter_map(|one| {
        let signature = one.signature?;
        Some(Function {
            node: one.node,
            name: one.name.text().into_owned(),
            name_node: one.name,
            container: one.container,
            arity: signature.arity,
            visibility: one.visibility,
            is_test: signature.is_test,
            local: one.local,
            body: signature.body(tree),
        })
    })
    .collect()
}

/// A test, whether it is a function or a call that is given one.
#[derive(Debug, Clone)]
pub struct Test<'t> {
    pub node: Node<'t>,
    /// The function's name, or the title as it is written, without quotes.
    pub name: String,
    /// Absent where it is a call.
    pub name_node: Option<Node<'t>>,
    pub body: Option<Node<'t>>,
}

impl Test<'_> {
    /// Where people look for it.
    pub fn line(&self) -> u32 {
        self.name_node.unwrap_or(self.node).line()
    }
}

/// All tests of a file that may run, in the order of the text.
pub fn tests(tree: &Tree) -> Vec<Test<'_>> {
    let spec = &tree.table().spec;
    let mut tests: Vec<Test<'_>> = tree.root().descendants().filter_map(spec.written_test).collect();
    let written: HashSet<usize> = tests.iter().map(|test| test.node.range().start).collect();
    let named = functions(tree)
        .into_iter()
        .filter(|function| function.is_test && !written.contains(&function.node.range().start));
    tests.extend(named.map(|function| Test {
        node: function.node,
        name: function.name,
        name_node: Some(function.name_node),
        body: function.body,
    }));
    if !spec.test_calls.is_empty() {
        tests.extend(tree.all(Notion::Call).filter_map(|node| called_test(node, spec.test_calls)));
    }
    tests.retain(|test| !never_runs(test.node));
    tests.sort_by_key(|test| test.node.range().start);
    tests
}

fn called_test<'t>(node: Node<'t>, names: &[&str]) -> Option<Test<'t>> {
    let call = node.call()?;
    let callee = String::from_utf8_lossy(call.callee());
    let first = callee.split(['.', '(', ' ', '[']).next().unwrap_or_default();
    if !names.contains(&first) {
        return None;
    }
    let block = call.argument_list().filter(|list| list.is(Notion::Block));
    let mut given = call.arguments().chain(node.named_children());
    let body = block.or_else(|| given.find_map(function_in))?;
    let title = title(&call).or_else(|| title(&call.first.call()?));
    Some(Test { node, name: title.unwrap_or_default(), name_node: None, body: Some(body) })
}

/// The function that is given, whatever the grammar puts around it.
fn function_in(given: Node<'_>) -> Option<Node<'_>> {
    let inner = match given.kind() {
        "argument" | "value_argument" | "annotated_lambda" => given.named_children().last()?,
        _ => given,
    };
    inner.is(Notion::Lambda).then_some(inner)
}

/// What the test is called: the first text that is given, without its quotes.
fn title(call: &Call<'_>) -> Option<String> {
    let is_text = |node: &Node<'_>| node.is(Notion::String);
    let given = call.arguments().filter(|given| function_in(*given).is_none());
    let found =
        given.map(|given| if is_text(&given) { Some(given) } else { given.descendants().find(is_text) });
    found.flatten().next().map(unquoted)
}

/// A text as it is written, without its quotes.
pub(super) fn unquoted(text: Node<'_>) -> String {
    text.text().trim_matches(|c: char| "\"'`".contains(c)).to_owned()
}

/// Whether something around a test keeps it from ever being compiled or run: `if False:`, `#if 0`, `#[cfg(any())]`.
fn never_runs(test: Node<'_>) -> bool {
    std::iter::once(test).chain(test.ancestors()).any(|around| {
        let holds = |branch: Node<'_>| branch.contains(test) || branch == test;
        let is_guard = around.is_kind(&["if_statement", "preproc_if"]) && around != test;
        let guarded = || around.child("condition").is_some_and(|condition| is_never(condition.bytes()));
        let otherwise = || around.child("alternative").is_some_and(holds);
        (is_guard && guarded() && !otherwise()) || is_left_out(around) || is_between(around)
    })
}

fn is_never(condition: &[u8]) -> bool {
    let plain = condition.trim_ascii();
    let plain = plain.strip_prefix(b"(").and_then(|rest| rest.strip_suffix(b")")).unwrap_or(plain);
    matches!(plain.trim_ascii(), b"0" | b"false" | b"False" | b"FALSE")
}

/// Between `#if false` and what ends it, which the grammar of Swift leaves side by side.
fn is_between(item: Node<'_>) -> bool {
    let is_item = item.tree().table().language() == Language::Swift
        && item.is_kind(&["function_declaration", "class_declaration"]);
    let before = std::iter::successors(item.previous_sibling().filter(|_| is_item), Node::previous_sibling);
    let directive = before.take(MOST_BEFORE).find(|node| node.kind() == "directive");
    directive.is_some_and(|found| found.bytes().strip_prefix(b"#if").is_some_and(is_never))
}

/// How far back a directive is looked for.
const MOST_BEFORE: usize = 200;

/// Whether an attribute in front of an item of Rust leaves it out of every build of the tests.
fn is_left_out(item: Node<'_>) -> bool {
    const NEVER: [&[u8]; 5] =
        [b"#[cfg(any())]", b"#[cfg(not(test))]", b"#[cfg(FALSE)]", b"#[cfg(false)]", b"#[cfg(not(all()))]"];
    item.is_kind(&["function_item", "mod_item"])
        && std::iter::successors(item.previous_sibling(), Node::previous_sibling)
            .take(MOST_BEFORE)
            .take_while(|before| before.is_kind(&["attribute_item", "line_comment", "block_comment"]))
            .filter(|before| before.kind() == "attribute_item")
            .any(|before| {
                let text: Vec<u8> =
                    before.bytes().iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
                NEVER.contains(&text.as_slice())
            })
}
