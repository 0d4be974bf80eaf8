//! Whether anything in a test can fail, read as syntax.

use std::collections::HashSet;
use std::ops::Range;

use super::assertion::{marker_nodes, name_of, receiver};
use super::proof_words::{asserts_by_call, asserts_by_word, is_harmless};
use crate::language::Language;
use crate::syntax::{Call, Function, Node, Notion, Test, Tree, functions, tests};

/// A test, and what of it can fail.
#[derive(Debug)]
pub(super) struct Proof<'t> {
    pub(super) test: Test<'t>,
    /// The lines it takes, from its first marker on.
    pub(super) lines: (u32, u32),
    pub(super) asserts: bool,
    /// Whether it calls something of which this file does not tell what it does.
    pub(super) calls_out: bool,
}

/// More tests of one file are not looked at.
const MOST_TESTS: usize = 20_000;

/// The tests of a file that take lines the caller wants, without those that could not be read to their end. Where there are
/// none, the rest of the file is not looked at.
pub(super) fn proofs(tree: &Tree, wanted: impl Fn((u32, u32)) -> bool) -> Vec<Proof<'_>> {
    let language = tree.table().language();
    let mut found: Vec<(Proof<'_>, Vec<Node<'_>>)> = Vec::new();
    for test in tests(tree).into_iter().take(MOST_TESTS) {
        if test.node.has_error() || !needs_assertion(&test, language) {
            continue;
        }
        let markers = marker_nodes(test.node);
        let first = markers.iter().map(Node::line).min().unwrap_or(u32::MAX).min(test.node.line());
        let lines = (first, test.node.end_line());
        if wanted(lines) {
            found.push((Proof { test, lines, asserts: false, calls_out: false }, markers));
        }
    }
    if found.is_empty() {
        return Vec::new();
    }
    let functions = functions(tree);
    // What is inside another function is data of that one.
    if language == Language::Python {
        let local: HashSet<usize> =
            functions.iter().filter(|one| one.local).map(|one| one.node.range().start).collect();
        found.retain(|(proof, _)| !local.contains(&proof.test.node.range().start));
    }
    let mut signs = Signs::of(tree, language, &functions);
    signs.follow();
    let judged = found.into_iter().map(|(proof, markers)| {
        let inside = inside(&proof.test);
        Proof {
            asserts: announces(&proof.test, &markers)
                || any_in(&signs.assertions, &inside)
                || only_imports(&proof.test),
            calls_out: any_in(&signs.outside, &inside),
            ..proof
        }
    });
    judged.collect()
}

/// Behind the name: what a test is called proves nothing.
fn inside(test: &Test<'_>) -> Range<usize> {
    let whole = test.node.range();
    let list = || test.node.call().and_then(|call| call.argument_list()).map(|list| list.range().start);
    let from = test.name_node.map(|name| name.range().end).or_else(list);
    // Pest chains to a test what it is to end in: `it(...)->throws(E::class)`.
    let chained = std::iter::successors(Some(test.node), |node| {
        node.parent().filter(|around| around.kind() == "member_call_expression")
    });
    let end = chained.last().map_or(whole.end, |last| last.range().end);
    from.unwrap_or(whole.start)..end
}

/// Whether it is run as a test that has to say for itself what it expects.
fn needs_assertion(test: &Test<'_>, language: Language) -> bool {
    let holds = |node: Node<'_>, what: &[u8]| memchr::memmem::find(node.bytes(), what).is_some();
    match language {
        Language::Rust => !marker_nodes(test.node).into_iter().any(|marker| holds(marker, b"bench")),
        Language::Python => {
            let excused = |marker: Node<'_>| holds(marker, b"given") || holds(marker, b"fixture");
            !marker_nodes(test.node).into_iter().any(excused)
        }
        Language::Go => test.node.child("parameters").is_some_and(|list| holds(list, b"*testing.T)")),
        Language::Java => test.node.child("type").is_some_and(|kind| kind.bytes() == b"void"),
        Language::JavaScript | Language::TypeScript => is_plain_test(test),
        // What gives something back has the cases for a test, whatever its name.
        Language::Php => {
            let gives = |node: Node<'_>| node.is(Notion::Return) && node.named_children().next().is_some();
            !test.node.descendants().any(gives)
        }
        _ => true,
    }
}

/// `it`, `test.only`, `it.each(...)`, but neither `test.describe` nor `it.skip`.
fn is_plain_test(test: &Test<'_>) -> bool {
    const MANNERS: [&str; 8] =
        ["only", "concurrent", "sequential", "fails", "failing", "each", "for", "serial"];
    let Some(call) = test.node.call() else { return false };
    let callee = String::from_utf8_lossy(call.callee());
    let chain = callee.split(['(', '`']).next().unwrap_or_default();
    chain.split('.').skip(1).all(|word| MANNERS.contains(&word.trim()))
}

/// What stands around the body may promise an outcome: `#[should_panic]`, `expected = ...`, `-> Result<(), E>`.
fn announces(test: &Test<'_>, markers: &[Node<'_>]) -> bool {
    const OUTCOMES: [&[u8]; 4] = [b"should_panic", b"expected", b"quickcheck", b"xfail"];
    const RETURNED: [&[u8]; 3] = [b"Result", b"impl ", b"ExitCode"];
    let holds = |node: &Node<'_>, words: &[&[u8]]| {
        words.iter().any(|word| memchr::memmem::find(node.bytes(), word).is_some())
    };
    markers.iter().any(|marker| holds(marker, &OUTCOMES))
        || test.node.child("return_type").is_some_and(|kind| holds(&kind, &RETURNED))
}

/// Whether all it does is to import something, which fails if that cannot be had.
fn only_imports(test: &Test<'_>) -> bool {
    let is_said = |node: &Node<'_>| {
        node.is(Notion::Comment) || node.named_children().next().is_some_and(|inner| inner.is(Notion::String))
    };
    let statements = test.body.into_iter().flat_map(|body| body.named_children());
    let mut statements = statements.filter(|node| !is_said(node)).peekable();
    statements.peek().is_some() && statements.all(|node| node.is(Notion::Import))
}

/// Where a file asserts, where it calls what it does not define, and where it names its own functions. Sorted.
struct Signs<'t> {
    assertions: Vec<usize>,
    outside: Vec<usize>,
    mentions: Vec<(usize, &'t [u8])>,
    helpers: Vec<(&'t [u8], Range<usize>)>,
}

impl<'t> Signs<'t> {
    fn of(tree: &'t Tree, language: Language, functions: &[Function<'t>]) -> Self {
        let mut helpers: Vec<(&[u8], Range<usize>)> = functions
            .iter()
            .map(|one| (one.name_node.bytes(), one.name_node.range().end..one.node.range().end))
            .collect();
        let macros = tree.root().descendants().filter(|node| node.kind() == "macro_definition");
        helpers.extend(macros.filter_map(|node| {
            let name = node.child("name")?;
            Some((name.bytes(), name.range().end..node.range().end))
        }));
        let defined: HashSet<&[u8]> = helpers.iter().map(|(name, _)| *name).collect();
        let bounds: HashSet<&[u8]> =
            functions.iter().filter(|one| is_bound(one)).map(|one| one.name_node.bytes()).collect();
        let mut signs = Signs { assertions: Vec::new(), outside: Vec::new(), mentions: Vec::new(), helpers };
        for node in tree.root().descendants() {
            let at = node.range().start;
            if asserts(node, language) {
                signs.assertions.push(at);
            }
            if calls_out(node, language, &defined, &bounds) {
                signs.outside.push(at);
            }
            if node.is_named() && node.children().next().is_none() && defined.contains(node.bytes()) {
                signs.mentions.push((at, node.bytes()));
            }
        }
        signs
    }

    /// Calling a function of the file does what it does, through up to three calls.
    fn follow(&mut self) {
        for offsets in [&mut self.assertions, &mut self.outside] {
            let mut left: Vec<&(&[u8], Range<usize>)> = self.helpers.iter().collect();
            for _ in 0..3 {
                offsets.sort_unstable();
                let (reaching, rest): (Vec<_>, Vec<_>) =
                    left.into_iter().partition(|(_, extent)| any_in(offsets, extent));
                left = rest;
                let names: HashSet<&[u8]> = reaching.iter().map(|(name, _)| *name).collect();
                if names.is_empty() {
                    break;
                }
                offsets
                    .extend(self.mentions.iter().filter(|(_, word)| names.contains(word)).map(|(at, _)| *at));
            }
            offsets.sort_unstable();
        }
    }
}

fn any_in(sorted: &[usize], range: &Range<usize>) -> bool {
    sorted.get(sorted.partition_point(|at| *at < range.start)).is_some_and(|at| *at < range.end)
}

/// A generic function that does nothing: calling it shows that a type keeps to its bounds.
fn is_bound(function: &Function<'_>) -> bool {
    let is_empty = |body: Node<'_>| body.named_children().all(|inner| inner.is(Notion::Comment));
    function.node.child("type_parameters").is_some() && function.body.is_some_and(is_empty)
}

fn asserts(node: Node<'_>, language: Language) -> bool {
    if node.is(Notion::Assertion) || (node.is(Notion::Throw) && language != Language::Rust) {
        return true;
    }
    if language == Language::Rust && (node.kind() == "try_expression" || is_question_in_tokens(node)) {
        return true;
    }
    if let Some(call) = node.call() {
        return asserts_by_call(&call, &name_of(&call), receiver(call.callee(), &call.name()), language);
    }
    let is_leaf = node.is_named() && node.children().next().is_none();
    match language {
        Language::Rust => called_in_tokens(node).is_some_and(|word| asserts_by_word(&word, language)),
        Language::Python | Language::Go => false,
        _ => {
            let is_word = node.kind().ends_with("identifier") || node.is_kind(&["name", "constant"]);
            is_leaf && is_word && asserts_by_word(&node.text(), language)
        }
    }
}

fn is_question_in_tokens(node: Node<'_>) -> bool {
    node.kind() == "?" && node.parent().is_some_and(|around| around.is_kind(&TOKENS))
}

/// What holds them in a macro, once or as often as it was given something.
const TOKENS: [&str; 2] = ["token_tree", "token_repetition"];

/// What a macro is given is not read by the grammar: a word before a group, or before a mark and a group, is a call.
fn called_in_tokens(node: Node<'_>) -> Option<String> {
    let in_tokens = node.kind() == "identifier" && node.parent()?.is_kind(&TOKENS);
    let next = node.next_sibling().filter(|_| in_tokens)?;
    let group = if next.kind() == "!" { next.next_sibling()? } else { next };
    (group.kind() == "token_tree" && (next.kind() == "!" || group.bytes().starts_with(b"(")))
        .then(|| node.text().into_owned())
}

/// Whether it calls what is neither defined in the file nor known to be harmless. What is called with its type alone, as
/// `is_send::<T>()`, counts as well: the compiler checks it.
fn calls_out(node: Node<'_>, language: Language, defined: &HashSet<&[u8]>, bounds: &HashSet<&[u8]>) -> bool {
    if node.is_kind(&["await_expression", "await"]) {
        // Waiting for a value fails if it does.
        return language != Language::Rust;
    }
    if node.is(Notion::Return) && matches!(language, Language::JavaScript | Language::TypeScript) {
        return node.named_children().next().is_some();
    }
    let Some(call) = node.call() else {
        let word = if language == Language::Rust { called_in_tokens(node) } else { None };
        return word.is_some_and(|word| {
            !is_harmless(&word.to_ascii_lowercase()) && !defined.contains(word.as_bytes())
        });
    };
    let name = name_of(&call);
    let name = name.trim_end_matches('!');
    let typed = language == Language::Rust && call.callee().ends_with(b">");
    if typed || bounds.contains(name.as_bytes()) {
        return true;
    }
    let word = name.to_ascii_lowercase();
    !constructs(&call, name, language)
        && word != "super"
        && !is_harmless(&word)
        && !defined.contains(name.as_bytes())
}

fn constructs(call: &Call<'_>, name: &str, language: Language) -> bool {
    call.node.is_kind(&["new_expression", "object_creation_expression"])
        || (name.starts_with(char::is_uppercase)
            && matches!(language, Language::Rust | Language::Python | Language::Kotlin))
}
