use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashSet;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::assertion::{Assertion, Strength, assertions_in};
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};
use crate::source::Source;
use crate::syntax::{Node, Notion};

static INFO: RuleInfo = RuleInfo {
    id: text("swallowed-assertion"),
    title: text("A test that catches what its own assertions raise"),
    why: text("The assertions may fail as they like: the test stays green"),
    fix: text(
        "Let the failure through; if the code is expected to fail, assert that with the means of the framework",
    ),
    severity: Severity::Major,
    category: Category::Testing,
    dimension: Dimension::TEST_QUALITY,
    confidence: Confidence::High,
    languages: Cow::Borrowed(&[
        Language::Python,
        Language::JavaScript,
        Language::TypeScript,
        Language::Java,
        Language::CSharp,
        Language::Kotlin,
        Language::Php,
        Language::Ruby,
        Language::Scala,
        Language::Rust,
    ]),
    examples: Cow::Borrowed(&[
        Example::bad(
            "test_a.py",
            "def test_a():\n    try:\n        assert f() == 1\n    except Exception:\n        pass\n",
            &[4],
        ),
        Example::edit_bad(
            "test_a.py",
            "def test_a():\n    assert f() == 1\n",
            "def test_a():\n    with pytest.raises(AssertionError):\n        assert f() == 1\n",
            &[2],
        ),
        Example::good(
            "test_a.py",
            "def test_a():\n    try:\n        assert f() == 1\n    finally:\n        close()\n",
        ),
    ]),
};

pub(crate) struct SwallowedAssertion;

impl FileRule for SwallowedAssertion {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Literals {
            added: &[b"except", b"catch", b"rescue", b"runCatching", b"Try", b"suppress(", b"AssertionError"],
            removed: &[],
        }
    }

    fn check(&self, file: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        if !INFO.languages.contains(&file.language) || !hits.iter().any(|hit| file.in_test(hit.number)) {
            return;
        }
        let (Some(tree), Some(head)) = (file.touched_tree(), file.head()) else { return };
        let none = HashSet::new();
        for call in tree.all(Notion::Call).filter(|call| is_new(hits, *call) && drops_failures(*call)) {
            // A macro of Rust is not read by the grammar, nor is what a block of Python holds part of the call.
            let inside = call.ancestors().find(|around| around.kind() == "with_statement").unwrap_or(call);
            if assertions_in(inside, file.language, &none).next().is_some() && file.in_test(call.line()) {
                let message = "This swallows what the assertions inside raise, so the test cannot fail";
                report.add(Draft::lines(head, call.line(), call.line(), message));
            }
        }
        let free = OnceCell::new();
        for turned in tree.all(Notion::Call).filter(|call| is_new(hits, *call)).filter_map(turned) {
            check_turned(file, turned, head, &free, report);
        }
        for catch in tree.all(Notion::Catch) {
            let line = catch.line();
            if !is_new(hits, catch) || !catches_assertions(catch, file.language) || !is_idle(catch) {
                continue;
            }
            let body = catch.parent().and_then(tried);
            let asserts = body.is_some_and(|body| assertions_in(body, file.language, &none).next().is_some());
            if asserts {
                let message = "This swallows what the assertions above raise, so the test cannot fail";
                report.add(Draft::lines(head, line, line, message));
            }
        }
    }
}

/// An assertion that has to fail now says the opposite of what it did. One that comes with the change may be a test of
/// what asserts, or a way to say that something is not so.
fn check_turned(
    file: &FileContext<'_>,
    turned: Node<'_>,
    head: &Source,
    free: &OnceCell<HashSet<(String, Vec<u8>)>>,
    report: &mut Reporter<'_>,
) {
    let none = HashSet::new();
    let is_read = |one: &Assertion<'_>| !matches!(one.strength, Strength::Custom | Strength::Helper);
    let Some(body) = turned.child("body").filter(|_| file.in_test(turned.line())) else { return };
    let inside: Vec<Assertion<'_>> =
        assertions_in(body, file.language, &none).filter(is_read).take(MOST_TURNED).collect();
    if inside.is_empty() {
        return;
    }
    let free = free.get_or_init(|| free_before(file));
    let stood = inside.iter().any(|now| free.contains(&(function_around(now.node), now.text.clone())));
    let plain = body.named_children().all(|statement| statement.kind() == "assert_statement");
    let line = turned.line();
    let draft = |message: &str| Draft::lines(head, line, line, message);
    if stood {
        report.add(draft("The assertion inside has to fail now: the test is green where the code is wrong"));
    } else if plain && !is_about_asserting(file, turned) {
        let message = "The assertion inside has to fail, so all that the test says is what is not so";
        report.add(draft(message).severity(Severity::Medium).confidence(Confidence::Low));
    }
}

/// What was asserted before the change where nobody caught it, each with the function around it.
fn free_before(file: &FileContext<'_>) -> HashSet<(String, Vec<u8>)> {
    let none = HashSet::new();
    let Some(base) = file.base_tree() else { return HashSet::new() };
    let before = assertions_in(base.root(), file.language, &none);
    let free = before.filter(|one| !one.node.ancestors().any(is_turning));
    free.map(|one| (function_around(one.node), one.text)).collect()
}

fn function_around(node: Node<'_>) -> String {
    let function = node.ancestors().find(|around| around.is(Notion::Function));
    let name = function.and_then(|function| function.child("name"));
    name.map(|name| name.text().into_owned()).unwrap_or_default()
}

/// More assertions in one block are not looked for.
const MOST_TURNED: usize = 50;

/// The block of Python in which an assertion has to fail, where nobody looks at how it does.
fn turned(call: Node<'_>) -> Option<Node<'_>> {
    let around = call.parent().filter(|around| around.kind() == "with_item")?;
    let block = around.ancestors().find(|outer| outer.kind() == "with_statement")?;
    let read = call.call().filter(|call| ["raises", "assertRaises"].contains(&call.name().as_str()))?;
    let given: Vec<&[u8]> = read.arguments().map(|one| one.bytes()).collect();
    (given == [&b"AssertionError"[..]]).then_some(block)
}

fn is_turning(around: Node<'_>) -> bool {
    const LONGEST: usize = 200;
    let head = &around.bytes()[..around.bytes().len().min(LONGEST)];
    around.kind() == "with_statement" && memchr::memmem::find(head, b"AssertionError").is_some()
}

/// Whether what is tested is something that asserts itself, by the names around.
fn is_about_asserting(file: &FileContext<'_>, block: Node<'_>) -> bool {
    const WORDS: [&str; 12] = [
        "assert", "expect", "match", "approx", "mock", "fail", "raise", "error", "plugin", "fixture", "diff",
        "report",
    ];
    let function = block.ancestors().find(|around| around.is(Notion::Function));
    let name = function.and_then(|function| function.child("name")).map(|name| name.text().into_owned());
    let path = String::from_utf8_lossy(file.change.path().file_name()).into_owned();
    let is_about = |text: String| WORDS.iter().any(|word| text.to_ascii_lowercase().contains(word));
    name.into_iter().chain([path]).any(is_about)
}

fn is_new(hits: &[AddedLine<'_>], node: Node<'_>) -> bool {
    hits.binary_search_by_key(&node.line(), |hit| hit.number).is_ok()
}

/// `runCatching { ... }`, `Try(...)`, `catch_unwind(...)` and `suppress(AssertionError)`, whose outcome nobody takes.
fn drops_failures(call: Node<'_>) -> bool {
    let Some((name, parent)) = call.call().map(|call| call.name()).zip(call.parent()) else { return false };
    let alone = parent.is(Notion::Block)
        || parent.kind() == "lambda_literal"
        || parent.kind() == "expression_statement";
    let given = || call.call().into_iter().flat_map(|call| call.arguments());
    match (call.tree().table().language(), name.as_str()) {
        (Language::Kotlin, "runCatching") | (Language::Scala, "Try") => alone,
        (Language::Rust, "catch_unwind") => {
            alone || parent.child("pattern").is_some_and(|pattern| pattern.bytes() == b"_")
        }
        (Language::Python, "suppress") => {
            parent.kind() == "with_item"
                && given().any(|one| {
                    [&b"AssertionError"[..], b"Exception", b"BaseException"].contains(&one.bytes())
                })
        }
        _ => false,
    }
}

/// What a handler is for. Ruby writes it before the handler, in the same block.
fn tried(whole: Node<'_>) -> Option<Node<'_>> {
    whole
        .child("body")
        .or_else(|| whole.child_of(&["block"]))
        .or_else(|| whole.is_kind(&["begin", "body_statement"]).then_some(whole))
}

/// By what it names. Who names nothing catches everything.
fn catches_assertions(catch: Node<'_>, language: Language) -> bool {
    let block = catch.children().find(|child| child.is(Notion::Block));
    let end = block.map_or(catch.range().end, |block| block.range().start);
    let header = catch.tree().text().get(catch.range().start..end).unwrap_or_default();
    let header = String::from_utf8_lossy(header);
    let names: Vec<&str> =
        header.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect();
    let named = |wanted: &[&str]| names.iter().any(|name| wanted.contains(name));
    match language {
        Language::Python => names.len() == 1 || named(&["Exception", "BaseException", "AssertionError"]),
        Language::JavaScript | Language::TypeScript => true,
        Language::Java | Language::Kotlin => named(&["Throwable", "Error", "AssertionError"]),
        Language::Scala => {
            named(&["Throwable", "Error", "AssertionError", "TestFailedException"]) || named(&["_"])
        }
        Language::Php => {
            named(&["Throwable", "Exception", "AssertionFailedError", "ExpectationFailedException"])
        }
        // What a test raises is no `StandardError`, which is all that is caught without a name.
        Language::Ruby => named(&["Exception", "Assertion", "ExpectationNotMetError"]),
        Language::CSharp => names.len() == 1 || named(&["Exception"]),
        _ => false,
    }
}

/// `case _: Throwable =>` with nothing behind it.
fn is_idle_case(case: Node<'_>) -> bool {
    case.child("body").is_none_or(|body| [&b"()"[..], b"{}"].contains(&body.bytes()))
}

/// Whether nothing in it could make the test fail: it is empty, or only prints.
fn is_idle(catch: Node<'_>) -> bool {
    let block = catch.children().find(|child| child.is(Notion::Block));
    let Some(block) = block else {
        return catch.kind() == "rescue"
            || catch.descendants().filter(|inner| inner.kind() == "case_clause").any(is_idle_case);
    };
    block.named_children().filter(|statement| !statement.is(Notion::Comment)).all(|statement| {
        let text = statement.text();
        statement.is_kind(&["pass_statement", "empty_statement", ";"])
            || ["...", "return", "return;", "return None", "nil"].contains(&text.as_ref())
            || [
                "print(",
                "console.",
                "log.",
                "logger.",
                "logging.",
                "System.out.",
                "Console.Write",
                "println(",
                "puts ",
                "echo ",
            ]
            .iter()
            .any(|beginning| text.starts_with(beginning))
    })
}
