use std::borrow::Cow;
use std::collections::HashSet;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::assertion::assertions_in;
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};
use crate::syntax::{Node, Notion, tests};

static INFO: RuleInfo = RuleInfo {
    id: text("unreached-assertion"),
    title: text("A test that returns before it asserts, or asserts where it never gets to"),
    why: text("The assertions below are never run, and the test is green"),
    fix: text("Take the return out, or delete what stands behind it"),
    severity: Severity::Major,
    category: Category::Testing,
    dimension: Dimension::TEST_QUALITY,
    confidence: Confidence::High,
    languages: Cow::Borrowed(&[
        Language::Rust,
        Language::Python,
        Language::JavaScript,
        Language::TypeScript,
        Language::Go,
        Language::Java,
        Language::Kotlin,
        Language::CSharp,
        Language::Ruby,
        Language::Php,
        Language::Swift,
        Language::C,
        Language::Cpp,
    ]),
    examples: Cow::Borrowed(&[
        Example::bad("test_a.py", "def test_a():\n    return\n    assert f() == 1\n", &[2]),
        Example::bad("test_a.py", "def test_a():\n    if False:\n        assert f() == 1\n", &[2]),
        Example::good("test_a.py", "def test_a():\n    if not posix:\n        return\n    assert f() == 1\n"),
    ]),
};

pub(crate) struct UnreachedAssertion;

impl FileRule for UnreachedAssertion {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Literals {
            added: &[
                b"return",
                b"next",
                b"False",
                b"if false",
                b"(false)",
                b"if 0",
                b"(0)",
                b"in []",
                b"in ()",
                b"of []",
                b"([] as",
                b"[].",
                b"{} {",
                b"vec![]",
                b"List.of()",
                b"mptyList",
            ],
            removed: &[],
        }
    }

    fn check(&self, file: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        let here = |line: &AddedLine<'_>| may_leave(line.text.trim_ascii()) && file.in_test(line.number);
        if !INFO.languages.contains(&file.language) || !hits.iter().any(here) {
            return;
        }
        let (Some(tree), Some(head)) = (file.touched_tree(), file.head()) else { return };
        let none = HashSet::new();
        for test in tests(tree) {
            let Some(body) = test.body.filter(|body| file.touched(*body)) else { continue };
            let mut told = 0;
            for never in assertions_in(body, file.language, &none).filter_map(|one| never_run(one.node, body))
            {
                let line = never.line();
                if line != told && file.touched_lines().is_added(line) {
                    told = line;
                    let message = format!("The test `{}` asserts in here, where it never gets to", test.name);
                    report.add(Draft::lines(head, line, line, message));
                }
            }
            let Some(exit) = first_exit(body).filter(|exit| file.touched_lines().is_added(exit.line()))
            else {
                continue;
            };
            let behind = assertions_in(body, file.language, &none)
                .any(|assertion| assertion.node.range().start > exit.range().end);
            if behind {
                let message = format!("The test `{}` returns here, before it asserts", test.name);
                report.add(Draft::lines(head, exit.line(), exit.line(), message));
            }
        }
    }
}

fn may_leave(line: &[u8]) -> bool {
    [&b"return"[..], b"next", b"if (true) return", b"if true"].iter().any(|word| line.starts_with(word))
        || memchr::memmem::find(line, b"return@").is_some()
        || is_never(line)
}

/// By its words alone: a condition that never holds, or a loop over nothing.
fn is_never(line: &[u8]) -> bool {
    const HEADS: [&[u8]; 4] = [b"if", b"while", b"for", b"} else if"];
    const NEVER: [&[u8]; 12] = [
        b"False",
        b"false",
        b" 0",
        b"(0)",
        b"in []",
        b"in ()",
        b"of []",
        b"([] as",
        b"{} {",
        b"vec![]",
        b"List.of()",
        b"mptyList",
    ];
    if line.starts_with(b"[].") {
        return true;
    }
    HEADS.iter().any(|head| line.starts_with(head))
        && NEVER.iter().any(|word| memchr::memmem::find(line, word).is_some())
}

/// What around an assertion keeps it from being run.
fn never_run<'t>(assertion: Node<'t>, body: Node<'t>) -> Option<Node<'t>> {
    let is_false = |condition: Node<'_>| {
        matches!(condition.bytes(), b"False" | b"false" | b"(false)" | b"0" | b"(0)" | b"not True")
    };
    let never = |around: &Node<'t>| {
        let in_other = around.child("alternative").is_some_and(|other| other.contains(assertion));
        let condition = around.child("condition").filter(|_| {
            around.is(Notion::Branch) || around.is(Notion::Loop) || around.kind() == "if_statement"
        });
        (condition.is_some_and(is_false) && !in_other) || goes_over_nothing(*around)
    };
    assertion.ancestors().take_while(|around| *around != body).find(never)
}

/// Whether it is a loop over a list that is written there without anything in it: `for x in []`, `[].forEach(...)`.
fn goes_over_nothing(node: Node<'_>) -> bool {
    if let Some(call) = node.call() {
        return matches!(call.callee(), b"[].forEach" | b"[].each" | b"[].map");
    }
    const ELSE: [&str; 3] = ["body", "pattern", "left"];
    let parts = node.named_children().filter(|part| !ELSE.contains(&part.field()));
    let over = parts.map(|part| if part.kind() == "range_clause" { part.child("right") } else { Some(part) });
    node.is(Notion::Loop) && over.flatten().any(|over| is_nothing(over))
}

fn is_nothing(list: Node<'_>) -> bool {
    const EMPTY: [&[u8]; 7] =
        [b"[]", b"()", b"{}", b"vec![]", b"List.of()", b"emptyList()", b"Collections.emptyList()"];
    let text = list.bytes();
    let of_go = || list.kind() == "composite_literal" && text.starts_with(b"[]") && text.ends_with(b"{}");
    let is_block = list.is(Notion::Block) || list.is_kind(&["parameters", "statement_block", "block"]);
    (EMPTY.contains(&text) && !is_block) || of_go()
}

/// The first return that nothing can keep from being reached.
fn first_exit(body: Node<'_>) -> Option<Node<'_>> {
    const PLAIN: [&str; 10] = [
        "expression_statement",
        "block",
        "statement_list",
        "statement_block",
        "statements",
        "function_body",
        "compound_statement",
        "body_statement",
        "block_body",
        "control_transfer_statement",
    ];
    let leaves = |node: &Node<'_>| {
        let swift = node.kind() == "control_transfer_statement" && node.bytes().starts_with(b"return");
        // A test of RSpec is a block, which is left by `next`.
        node.is(Notion::Return) || swift || (node.kind() == "next" && node.is(Notion::Jump))
    };
    let always = |around: Node<'_>| {
        let condition = around.child("condition").filter(|_| around.is(Notion::Branch));
        condition.is_some_and(|condition| matches!(condition.bytes(), b"true" | b"True" | b"(true)"))
    };
    let is_unconditional = |exit: &Node<'_>| {
        let within = exit.ancestors().take_while(|around| *around != body);
        within.into_iter().all(|around| around.is_kind(&PLAIN) || always(around))
    };
    body.descendants().filter(leaves).find(is_unconditional)
}
