use std::collections::HashMap;

use ast_grep_core::Matcher as _;
use ast_grep_core::matcher::{MatcherExt as _, NodeMatch};
use tree_sitter::Node;

use super::condition::{Subject as Part, Test};
use super::document::Selector;
use super::entry::{Compiled, Entry, Form, Names, Utilities, last};
use super::grammar::Parsed;
use super::subject::{Subject, lines_of};
use crate::flow::Invocation;

/// A longer match is about its first line: what it holds further down is not what was written wrong.
const LONGEST_MATCH: u32 = 20;

/// What a document found.
pub(super) struct Found<'f> {
    pub(super) entry: usize,
    pub(super) node: Node<'f>,
    parts: Parts<'f>,
}

enum Parts<'f> {
    Pattern(Box<NodeMatch<'f, Parsed>>),
    Call(Invocation<'f>),
    Given { target: Node<'f>, value: Node<'f> },
}

impl<'f> Found<'f> {
    /// A part of it by name, for conditions and messages.
    fn variable(&self, name: &str) -> Option<Node<'f>> {
        match (&self.parts, name) {
            (Parts::Pattern(found), _) => {
                let environment = found.get_env();
                let one = environment.get_match(name).map(ast_grep_core::Node::get_inner_node);
                one.or_else(|| Some(environment.get_multiple_matches(name).first()?.get_inner_node()))
            }
            (Parts::Call(call), "RECEIVER") => call.receiver,
            (Parts::Call(call), "CALLEE") => Some(call.callee),
            (Parts::Given { target, .. }, "TARGET") => Some(*target),
            (Parts::Given { value, .. }, "VALUE") => Some(*value),
            (Parts::Call(_) | Parts::Given { .. }, _) => None,
        }
    }

    pub(super) fn pattern(&self) -> Option<&NodeMatch<'f, Parsed>> {
        match &self.parts {
            Parts::Pattern(found) => Some(found),
            Parts::Call(_) | Parts::Given { .. } => None,
        }
    }

    fn part(&self, part: &Part, subject: &Subject<'f>) -> Option<Node<'f>> {
        match (part, &self.parts) {
            (Part::Variable(name), _) => self.variable(name),
            (Part::Argument(selectors), Parts::Call(call)) => argument(call, selectors, subject),
            (Part::Argument(selectors), Parts::Pattern(found)) => {
                let call = Invocation::of(found.get_node().get_inner_node())?;
                argument(&call, selectors, subject)
            }
            (Part::Argument(_), Parts::Given { .. }) | (Part::Any, _) => None,
        }
    }

    fn arguments(&self) -> Vec<Node<'f>> {
        let call = match &self.parts {
            Parts::Call(call) => Some(*call),
            Parts::Pattern(found) => Invocation::of(found.get_node().get_inner_node()),
            Parts::Given { .. } => None,
        };
        call.map(|call| call.values()).unwrap_or_default()
    }

    fn meets(&self, test: &Test, subject: &Subject<'f>) -> bool {
        if test.subject == Part::Any {
            return self.arguments().into_iter().any(|one| test.holds(Some(one), subject.flow()));
        }
        // What cannot be seen may be passed all the same.
        let open = test.missing && matches!(&self.parts, Parts::Call(call) if call.is_open());
        !open && test.holds(self.part(&test.subject, subject), subject.flow())
    }

    /// The sentence of the rule with what was found in the place of `$NAME`.
    pub(super) fn message(&self, template: &str, text: &str) -> String {
        let mut message = String::new();
        let mut rest = template;
        while let Some(at) = rest.find('$') {
            message.push_str(&rest[..at]);
            let tail = rest[at..].trim_start_matches('$');
            let end = tail.find(|c: char| !(c.is_ascii_uppercase() || c == '_')).unwrap_or(tail.len());
            match self.variable(&tail[..end]).filter(|_| end > 0) {
                Some(node) => message.push_str(&shown(crate::flow::text_of(text.as_bytes(), node))),
                None => message.push_str(&rest[at..rest.len() - tail.len() + end]),
            }
            rest = &tail[end..];
        }
        message + rest
    }
}

/// The first line of a piece of code, short enough for a sentence.
fn shown(code: &str) -> String {
    const LONGEST: usize = 60;
    let line = code.lines().next().unwrap_or_default().trim();
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

fn argument<'f>(call: &Invocation<'f>, selectors: &[Selector], subject: &Subject<'f>) -> Option<Node<'f>> {
    selectors.iter().find_map(|selector| match selector {
        Selector::Place(index) => call.at(*index),
        Selector::Name(name) => call.named(name, subject.flow()),
    })
}

/// The documents that may find something in a file, by what they look at.
pub(super) struct Active<'b> {
    entries: &'b [Entry],
    by_kind: HashMap<u16, Vec<(usize, &'b Compiled)>>,
    calls: ByEnding<'b>,
    assigns: ByEnding<'b>,
    properties: ByEnding<'b>,
}

/// Documents by what the names they look for end in.
#[derive(Default)]
struct ByEnding<'b> {
    documents: HashMap<&'b str, Vec<usize>>,
}

impl<'b> ByEnding<'b> {
    fn add(&mut self, names: &'b Names, index: usize) {
        for ending in names.endings() {
            let known = self.documents.entry(ending).or_default();
            if known.last() != Some(&index) {
                known.push(index);
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// Those that may be about a name, in their order.
    fn about(&self, whole: &str) -> Vec<usize> {
        let of = |ending| self.documents.get(ending).into_iter().flatten().copied();
        let mut about: Vec<usize> = of(last(whole)).chain(of("*")).collect();
        about.sort_unstable();
        about.dedup();
        about
    }
}

impl<'b> Active<'b> {
    pub(super) fn new(
        entries: &'b [Entry],
        utilities: &Utilities,
        chosen: &[usize],
        subject: &Subject<'_>,
    ) -> Self {
        let (mut calls, mut assigns, mut properties) =
            (ByEnding::default(), ByEnding::default(), ByEnding::default());
        let mut by_kind: HashMap<u16, Vec<(usize, &'b Compiled)>> = HashMap::new();
        for &index in chosen {
            let Some(entry) = entries.get(index) else { continue };
            match &entry.form {
                Form::Call(names) => calls.add(names, index),
                Form::Assign(names) => assigns.add(names, index),
                Form::Property(names) => properties.add(names, index),
                Form::Pattern { .. } => {
                    let Some(compiled) = entry.compiled(subject.grammar, utilities) else { continue };
                    for kind in compiled.matcher.potential_kinds().iter().flatten() {
                        by_kind
                            .entry(u16::try_from(kind).unwrap_or(u16::MAX))
                            .or_default()
                            .push((index, compiled));
                    }
                }
            }
        }
        Active { entries, by_kind, calls, assigns, properties }
    }

    /// Everything that is found at this node and meets its conditions.
    pub(super) fn at<'f>(&self, node: Node<'f>, subject: &Subject<'f>, found: &mut Vec<Found<'f>>) {
        for (index, compiled) in self.by_kind.get(&node.kind_id()).into_iter().flatten() {
            if let Some(matched) = compiled.matcher.match_node(subject.code.adopt(node)) {
                let node = matched.get_node().get_inner_node();
                self.keep(
                    Found { entry: *index, node, parts: Parts::Pattern(Box::new(matched)) },
                    subject,
                    found,
                );
            }
        }
        if !self.calls.is_empty()
            && let Some(call) = Invocation::of(node)
        {
            let whole = subject.flow().name_of(call.callee);
            for index in self.calls.about(&whole) {
                if matches!(&self.entries[index].form, Form::Call(names) if names.fit(&whole)) {
                    self.keep(Found { entry: index, node, parts: Parts::Call(call) }, subject, found);
                }
            }
        }
        if let (false, Some((target, value))) = (self.assigns.is_empty(), assigned(node)) {
            let whole = subject.flow().name_of(target);
            for index in self.assigns.about(&whole) {
                if matches!(&self.entries[index].form, Form::Assign(names) if names.fit(&whole)) {
                    self.keep(
                        Found { entry: index, node, parts: Parts::Given { target, value } },
                        subject,
                        found,
                    );
                }
            }
        }
        if let (false, Some((target, value))) = (self.properties.is_empty(), pair(node)) {
            let key = subject.flow().text_of(target).trim_matches(['"', '\'']);
            for index in self.properties.about(key) {
                if matches!(&self.entries[index].form, Form::Property(names) if names.fit(key)) {
                    self.keep(
                        Found { entry: index, node, parts: Parts::Given { target, value } },
                        subject,
                        found,
                    );
                }
            }
        }
    }

    fn keep<'f>(&self, one: Found<'f>, subject: &Subject<'f>, found: &mut Vec<Found<'f>>) {
        let (first, last) = lines_of(one.node);
        let last = if last - first > LONGEST_MATCH { first } else { last };
        let entry = &self.entries[one.entry];
        let meets = || entry.tests.iter().all(|test| one.meets(test, subject));
        let excused = || {
            !entry.unless_near.is_empty() && {
                let around = subject.flow().text_around(one.node);
                entry.unless_near.iter().any(|word| around.contains(word.as_str()))
            }
        };
        if subject.touched.meets(first, last) && meets() && !excused() {
            found.push(one);
        }
    }
}

fn assigned(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let field = |name| node.child_by_field_name(name);
    match node.kind() {
        "assignment" | "assignment_expression" | "augmented_assignment_expression" => {
            Some((field("left")?, field("right")?))
        }
        "assignment_statement" | "short_var_declaration" => {
            let (left, right) = (field("left")?, field("right")?);
            (left.named_child_count() == 1 && right.named_child_count() == 1)
                .then(|| Some((left.named_child(0)?, right.named_child(0)?)))?
        }
        "variable_declarator" => Some((field("name")?, field("value")?)),
        _ => None,
    }
}

fn pair(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    match node.kind() {
        "pair" => Some((node.child_by_field_name("key")?, node.child_by_field_name("value")?)),
        "keyed_element" => {
            let (key, value) = (node.named_child(0)?, node.named_child(1)?);
            let inner = |node: Node<'_>| node.kind() == "literal_element";
            let value = if inner(value) { value.named_child(0)? } else { value };
            Some((if inner(key) { key.named_child(0)? } else { key }, value))
        }
        "keyword_argument" => Some((node.child_by_field_name("name")?, node.child_by_field_name("value")?)),
        _ => None,
    }
}
