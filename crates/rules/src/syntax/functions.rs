use std::ops::Range;

use super::arity::{Arity, Parameter, parameters};
use super::node::Node;
use super::notion::Notion;
use super::shapes::Visibility;
use super::tree::Tree;
use super::walk::definitions;

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

/// All tests of a file in the order of the text.
pub fn tests(tree: &Tree) -> Vec<Test<'_>> {
    let named = functions(tree).into_iter().filter(|function| function.is_test);
    let mut tests: Vec<Test<'_>> = named
        .map(|function| Test {
            node: function.node,
            name: function.name,
            name_node: Some(function.name_node),
            body: function.body,
        })
        .collect();
    let calls = tree.table().spec.test_calls;
    if !calls.is_empty() {
        tests.extend(tree.all(Notion::Call).filter_map(|node| called_test(node, calls)));
        tests.sort_by_key(|test| test.node.range().start);
    }
    tests
}

fn called_test<'t>(node: Node<'t>, names: &[&str]) -> Option<Test<'t>> {
    let call = node.call()?;
    let callee = String::from_utf8_lossy(call.callee());
    let first = callee.split(['.', '(', ' ', '[']).next().unwrap_or_default();
    if !names.contains(&first) {
        return None;
    }
    let given = call.arguments().chain(node.named_children());
    let body = given.into_iter().find(|argument| argument.is(Notion::Lambda))?;
    let title = call.arguments().find(|argument| argument.is(Notion::String));
    let quotes = |c: char| "\"'`".contains(c);
    let name = title.map(|title| title.text().trim_matches(quotes).to_owned()).unwrap_or_default();
    Some(Test { node, name, name_node: None, body: Some(body) })
}
