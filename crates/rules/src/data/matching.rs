use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use ast_grep_core::Matcher as _;
use ast_grep_core::matcher::{MatcherExt as _, NodeMatch};
use tree_sitter::Node;

use super::beside::Index;
use super::compiled::{Compiled, Utilities};
use super::condition::{Subject as Part, Test};
use super::entry::Form;
use super::given::{Keyed, assigned, key_text, keyed};
use super::grammar::Parsed;
use super::loaded::Unread;
use super::names::{Names, last};
use super::shapes::Selector;
use super::subject::{Subject, lines_of};
use super::template::{Piece, pieces};
use crate::flow::{Invocation, Use};
use crate::language::Language;

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
                let call = Invocation::in_document(found.get_node().get_inner_node())?;
                argument(&call, selectors, subject)
            }
            (Part::Argument(_), Parts::Given { .. }) | (Part::Any, _) => None,
        }
    }

    fn arguments(&self) -> Vec<Node<'f>> {
        let call = match &self.parts {
            Parts::Call(call) => Some(*call),
            Parts::Pattern(found) => Invocation::in_document(found.get_node().get_inner_node()),
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

    /// Whether one of the conditions holds, and may do so for an honest program.
    pub(super) fn is_doubtful(&self, tests: &[Test], subject: &Subject<'f>) -> bool {
        tests.iter().any(|test| test.doubts(self.part(&test.subject, subject), subject.flow()))
    }

    /// The sentence of the rule with what was found in the place of `$NAME`.
    pub(super) fn message(&self, template: &str, text: &str) -> String {
        let said = |piece| match piece {
            Piece::Text(text) => text.to_owned(),
            // Of what may be found in several ways, this one has no such part.
            Piece::Variable { name, .. } => {
                self.said(name, text).map_or_else(String::new, |code| shown(&code))
            }
        };
        pieces(template).into_iter().map(said).collect()
    }

    /// What a variable stands for, as it is written.
    fn said<'s>(&'s self, name: &str, text: &'s str) -> Option<Cow<'s, str>> {
        match &self.parts {
            Parts::Call(call) if name == "CALLEE" => text.get(call.name_range()).map(Cow::Borrowed),
            Parts::Pattern(found) => {
                let environment = found.get_env();
                let list = environment.get_multiple_matches(name);
                match (environment.get_transformed(name), list.as_slice()) {
                    (Some(made), _) => Some(String::from_utf8_lossy(made)),
                    (None, [first, .., last]) => {
                        text.get(first.range().start..last.range().end).map(Cow::Borrowed)
                    }
                    _ => self.written(name, text),
                }
            }
            _ => self.written(name, text),
        }
    }

    fn written<'s>(&self, name: &str, text: &'s str) -> Option<Cow<'s, str>> {
        self.variable(name).map(|node| Cow::Borrowed(crate::flow::text_of(text.as_bytes(), node)))
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

/// A whole name as documents have it: parted by dots, and in C++ without the types that a template is given.
fn spelled(whole: String, language: Language) -> String {
    match language {
        Language::Cpp => whole.split('<').next().unwrap_or_default().replace("::", "."),
        _ => whole,
    }
}

/// The documents that may find something in a file, by what they look at.
pub(super) struct Active<'b, 'f> {
    entries: &'b [Unread],
    utilities: &'b Utilities,
    by_kind: HashMap<u16, Vec<(usize, &'b Compiled)>>,
    calls: ByEnding<'b>,
    assigns: ByEnding<'b>,
    properties: ByEnding<'b>,
    /// By function and document.
    excused: RefCell<HashMap<(usize, usize), bool>>,
    /// What documents look for beside what they find, by document and number.
    besides: RefCell<HashMap<(usize, usize), Rc<Index<'f>>>>,
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

impl<'b, 'f> Active<'b, 'f> {
    pub(super) fn new(
        entries: &'b [Unread],
        utilities: &'b Utilities,
        chosen: &[usize],
        subject: &Subject<'f>,
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
        let (excused, besides) = (RefCell::default(), RefCell::default());
        Active { entries, utilities, by_kind, calls, assigns, properties, excused, besides }
    }

    /// Everything that is found at this node and meets its conditions.
    pub(super) fn at(&self, node: Node<'f>, subject: &Subject<'f>, found: &mut Vec<Found<'f>>) {
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
            && let Some(call) = Invocation::in_document(node)
        {
            let whole = spelled(subject.flow().name_of(call.callee), subject.grammar.language);
            self.keep_named(&self.calls, &whole, || (node, Parts::Call(call)), subject, found);
        }
        if let (false, Some((target, value))) = (self.assigns.is_empty(), assigned(node)) {
            let whole = spelled(subject.flow().name_of(target), subject.grammar.language);
            let given = || (node, Parts::Given { target, value });
            self.keep_named(&self.assigns, &whole, given, subject, found);
            // The sign is part of the name there, but people leave it out.
            if let (Language::Php, Some(bare)) = (subject.grammar.language, whole.strip_prefix('$')) {
                self.keep_named(&self.assigns, bare, given, subject, found);
            }
        }
        if !self.properties.is_empty() {
            for Keyed { node, key, value } in keyed(node, subject.grammar.language) {
                let name = key_text(subject.flow().text_of(key));
                let given = || (node, Parts::Given { target: key, value });
                self.keep_named(&self.properties, name, given, subject, found);
            }
        }
    }

    /// Keeps what the documents about a name find there.
    fn keep_named(
        &self,
        documents: &ByEnding<'b>,
        whole: &str,
        found_there: impl Fn() -> (Node<'f>, Parts<'f>),
        subject: &Subject<'f>,
        found: &mut Vec<Found<'f>>,
    ) {
        for entry in documents.about(whole) {
            if self.entries[entry].form.names().is_some_and(|names| names.fit(whole)) {
                let (node, parts) = found_there();
                self.keep(Found { entry, node, parts }, subject, found);
            }
        }
    }

    fn keep(&self, one: Found<'f>, subject: &Subject<'f>, found: &mut Vec<Found<'f>>) {
        let (first, last) = lines_of(one.node);
        let last = if last - first > LONGEST_MATCH { first } else { last };
        let entry = &self.entries[one.entry];
        let meets =
            || entry.tests.iter().all(|test| one.meets(test, subject)) && self.is_accompanied(&one, subject);
        if subject.touched.meets(first, last) && meets() && !self.is_excused(&one, subject) {
            found.push(one);
        }
    }

    /// Whether everything stands beside it that has to.
    fn is_accompanied(&self, one: &Found<'f>, subject: &Subject<'f>) -> bool {
        let mut since = None;
        self.entries[one.entry].besides.iter().enumerate().all(|(number, beside)| {
            let known = self.besides.borrow().get(&(one.entry, number)).map(Rc::clone);
            let index = known.unwrap_or_else(|| {
                let index = Rc::new(beside.index(subject, self.utilities));
                self.besides.borrow_mut().insert((one.entry, number), Rc::clone(&index));
                index
            });
            beside.holds(one.node, |name| one.variable(name), &index, subject, &mut since)
        })
    }

    /// Whether the function around it has what the document looks for there. Asked once for each of them: a long one may
    /// have a thousand calls in it.
    fn is_excused(&self, one: &Found<'f>, subject: &Subject<'f>) -> bool {
        let entry = &self.entries[one.entry];
        if entry.tests.iter().any(|test| test.is_about(Use::Path))
            && subject.flow().is_cut_to_its_name(one.node)
        {
            return true;
        }
        if [&entry.unless_near, &entry.unless_said, &entry.unless_compared]
            .iter()
            .all(|words| words.is_empty())
        {
            return false;
        }
        let flow = subject.flow();
        let around = flow.around(one.node);
        *self.excused.borrow_mut().entry((around.id(), one.entry)).or_insert_with(|| {
            let text = flow.text_of(around);
            // What is only promised in a comment protects nothing.
            let in_code = |at: usize| !subject.is_comment(around.start_byte() + at);
            let stands = |word: &String| text.match_indices(word.as_str()).any(|(at, _)| in_code(at));
            entry.unless_said.iter().any(|word| text.contains(word.as_str()))
                || entry.unless_near.iter().any(stands)
                || flow.compares(around, &entry.unless_compared)
        })
    }
}
