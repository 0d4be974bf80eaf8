//! What else has to stand in the same file, class or function as what a document found. A pattern could search there itself,
//! by `inside` and `has`, but would do so for each match anew; here it is sought once for a file and then looked up.

use std::collections::HashMap;
use std::sync::OnceLock;

use ast_grep_config::SerializableRuleCore;
use ast_grep_core::Matcher as _;
use ast_grep_core::matcher::{MatcherExt as _, NodeMatch};
use tree_sitter::Node;

use super::compiled::{Compiled, Utilities};
use super::condition::{Subject as Part, Test};
use super::document::{BesideDocument, Order, Place};
use super::grammar::{Grammar, Parsed};
use super::read::Wrong;
use super::subject::Subject;
use crate::flow::{Step, Use, walk};

/// One thing that has to stand there, or must not.
pub(super) struct Beside {
    place: Place,
    order: Option<Order>,
    none: bool,
    tie: Tie,
    core: SerializableRuleCore,
    tests: Vec<Test>,
    /// By [`Grammar::form`].
    compiled: [OnceLock<Option<Compiled>>; 2],
}

/// What it has in common with what was found.
enum Tie {
    /// These meta-variables stand for the same text.
    Same(Vec<String>),
    /// What this one stands for is named somewhere in it.
    Mentions(String),
}

impl Tie {
    fn variables(&self) -> &[String] {
        match self {
            Tie::Same(names) => names,
            Tie::Mentions(name) => std::slice::from_ref(name),
        }
    }
}

/// Where all that fits stands in a file, in order: by its place, and by what it has in common.
#[derive(Default)]
pub(super) struct Index<'f> {
    starts: HashMap<(usize, Vec<&'f str>), Vec<usize>>,
}

impl Beside {
    pub(super) fn new(document: &BesideDocument, used: Use) -> Result<Beside, Wrong> {
        let tie = match (document.same.as_slice(), &document.mentions) {
            (same, None) => Tie::Same(same.to_vec()),
            ([], Some(name)) => Tie::Mentions(name.clone()),
            _ => {
                let wrong = "what stands beside has `same` or `mentions`, not both";
                return Err(Wrong::new(wrong, "take one of them out"));
            }
        };
        let tests: Result<Vec<Test>, Wrong> =
            document.tests.as_slice().iter().map(|test| Test::new(test, used)).collect();
        let core = SerializableRuleCore {
            rule: document.rule.clone(),
            constraints: document.constraints.clone(),
            utils: None,
            transform: None,
        };
        Ok(Beside {
            place: document.place,
            order: document.order,
            none: document.none,
            tie,
            core,
            tests: tests?,
            compiled: [const { OnceLock::new() }; 2],
        })
    }

    /// Whether the pattern is one for a grammar, and so are the regular expressions.
    pub(super) fn check(&self, grammar: Grammar, utilities: &Utilities) -> Result<(), Wrong> {
        self.tests.iter().try_for_each(Test::check)?;
        Compiled::new(&self.core, None, grammar, utilities).map(drop).map_err(|(_, wrong)| wrong)
    }

    /// Where all of it stands in a file.
    pub(super) fn index<'f>(&self, subject: &Subject<'f>, utilities: &Utilities) -> Index<'f> {
        let mut index = Index::default();
        let Some(compiled) = self.compiled(subject.grammar, utilities) else { return index };
        let kinds = compiled.matcher.potential_kinds().unwrap_or_default();
        walk(subject.root(), |node| {
            if !node.is_named() || !kinds.contains(usize::from(node.kind_id())) {
                return Step::Into;
            }
            let Some(matched) = compiled.matcher.match_node(subject.code.adopt(node)) else {
                return Step::Into;
            };
            if !self.tests.iter().all(|test| meets(test, &matched, subject)) {
                return Step::Into;
            }
            let place = self.place_of(node, subject);
            match &self.tie {
                Tie::Same(names) => {
                    let texts: Option<Vec<&str>> =
                        names.iter().map(|name| text(&matched, name, subject)).collect();
                    if let Some(texts) = texts {
                        index.add(place, texts, node);
                    }
                    Step::Into
                }
                // All that is named inside is named by this, too.
                Tie::Mentions(_) => {
                    walk(node, |inner| {
                        if inner.is_named() && inner.child_count() == 0 {
                            index.add(place, vec![subject.flow().text_of(inner)], node);
                        }
                        Step::Into
                    });
                    Step::Over
                }
            }
        });
        index
    }

    /// Whether it stands, or does not stand, where it has to for a match. `since` is where the one asked about before this
    /// stands, and becomes that of this one.
    pub(super) fn holds<'f>(
        &self,
        node: Node<'f>,
        variable: impl Fn(&str) -> Option<Node<'f>>,
        index: &Index<'f>,
        subject: &Subject<'f>,
        since: &mut Option<usize>,
    ) -> bool {
        let text = |name: &String| variable(name).map(|node| subject.flow().text_of(node));
        let Some(texts) = self.tie.variables().iter().map(text).collect::<Option<Vec<&str>>>() else {
            return self.none;
        };
        let starts =
            index.starts.get(&(self.place_of(node, subject), texts)).map(Vec::as_slice).unwrap_or_default();
        let here = node.start_byte();
        let before = &starts[..starts.partition_point(|start| *start < here)];
        let after = &starts[starts.partition_point(|start| *start <= here)..];
        let found = match self.order {
            None => starts.first(),
            Some(Order::Before) => before.last(),
            Some(Order::After) => after.first(),
            Some(Order::Between) => before.last().filter(|start| since.is_some_and(|since| since < **start)),
        };
        if let Some(found) = found.filter(|_| !self.none) {
            *since = Some(*found);
        }
        found.is_some() != self.none
    }

    fn compiled(&self, grammar: Grammar, utilities: &Utilities) -> Option<&Compiled> {
        let slot = self.compiled.get(grammar.form())?;
        slot.get_or_init(|| Compiled::new(&self.core, None, grammar, utilities).ok()).as_ref()
    }

    fn place_of<'f>(&self, node: Node<'f>, subject: &Subject<'f>) -> usize {
        match self.place {
            Place::File => subject.root().id(),
            Place::Class => subject.flow().class_around(node).id(),
            Place::Function => subject.flow().around(node).id(),
        }
    }
}

impl<'f> Index<'f> {
    fn add(&mut self, place: usize, texts: Vec<&'f str>, node: Node<'f>) {
        let starts = self.starts.entry((place, texts)).or_default();
        if starts.last() != Some(&node.start_byte()) {
            starts.push(node.start_byte());
        }
    }
}

fn variable<'f>(matched: &NodeMatch<'f, Parsed>, name: &str) -> Option<Node<'f>> {
    matched.get_env().get_match(name).map(ast_grep_core::Node::get_inner_node)
}

fn text<'f>(matched: &NodeMatch<'f, Parsed>, name: &str, subject: &Subject<'f>) -> Option<&'f str> {
    variable(matched, name).map(|node| subject.flow().text_of(node))
}

fn meets<'f>(test: &Test, matched: &NodeMatch<'f, Parsed>, subject: &Subject<'f>) -> bool {
    match &test.subject {
        Part::Variable(name) => test.holds(variable(matched, name), subject.flow()),
        Part::Argument(_) | Part::Any => false,
    }
}
