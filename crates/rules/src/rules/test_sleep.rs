use std::borrow::Cow;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::test_body::runs_in_test;
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};
use crate::syntax::{Call, Notion};

static INFO: RuleInfo = RuleInfo {
    id: text("test-sleep"),
    title: text("A test that waits for a fixed time"),
    why: text("It is slow on every run, and fails on a busy machine for no fault of the code"),
    fix: text("Wait for the condition itself, or put a clock into the test's hands"),
    severity: Severity::Low,
    category: Category::Testing,
    dimension: Dimension::TEST_QUALITY,
    confidence: Confidence::Medium,
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
        Language::Scala,
        Language::C,
        Language::Cpp,
    ]),
    examples: Cow::Borrowed(&[
        Example::bad("tests/test_a.py", "def test_a():\n    time.sleep(2)\n    assert f()\n", &[2]),
        Example::good("src/a.py", "def wait():\n    time.sleep(2)\n"),
    ]),
};

/// Finds fixed waits in tests. One inside a loop polls, and one in a function of its own plays something slow.
pub(crate) struct TestSleep;

impl FileRule for TestSleep {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Literals {
            added: &[b"sleep", b"setTimeout", b"waitForTimeout", b"delay(", b"Sleep", b"Delay("],
            removed: &[],
        }
    }

    fn check(&self, file: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        if !INFO.languages.contains(&file.language) || !hits.iter().any(|line| file.in_test(line.number)) {
            return;
        }
        let (Some(tree), Some(head)) = (file.touched_tree(), file.head()) else { return };
        // A clock that stands still makes no one wait.
        let paused = [&b"start_paused"[..], b"time::pause", b"useFakeTimers", b"freeze_time"];
        if paused.iter().any(|word| memchr::memmem::find(head.text(), word).is_some()) {
            return;
        }
        let mut told = 0;
        for node in tree.all(Notion::Call) {
            let line = node.line();
            let here = hits.binary_search_by_key(&line, |hit| hit.number).is_ok();
            if !here || line == told || !file.in_test(line) {
                continue;
            }
            let Some(call) = node.call().filter(|call| is_sleep(call, file.language)) else { continue };
            let polls = node.ancestors().any(|around| around.is(Notion::Loop));
            if !polls && runs_in_test(node, file.language) {
                told = line;
                let what = String::from_utf8_lossy(call.callee()).into_owned();
                report.add(Draft::lines(
                    head,
                    line,
                    line,
                    format!("`{what}` makes this test wait a fixed time"),
                ));
            }
        }
    }
}

fn is_sleep(call: &Call<'_>, language: Language) -> bool {
    let callee = call.callee();
    let given: Vec<&[u8]> = call.arguments().map(|argument| argument.bytes()).collect();
    let is_number = |text: &[u8]| text.first().is_some_and(u8::is_ascii_digit) && text != b"0";
    match language {
        Language::Rust => {
            !callee.contains(&b'.')
                && (callee == b"sleep" || callee.ends_with(b"::sleep"))
                && given.len() == 1
        }
        Language::Python => {
            [&b"time.sleep"[..], b"asyncio.sleep", b"sleep"].contains(&callee)
                && given.first() != Some(&&b"0"[..])
        }
        Language::JavaScript | Language::TypeScript => match callee {
            b"setTimeout" => given.get(1).is_some_and(|time| is_number(time)) && is_awaited_promise(call),
            b"sleep" | b"delay" => given.first().is_some_and(|time| is_number(time)),
            _ => callee.ends_with(b".waitForTimeout"),
        },
        Language::Go => callee == b"time.Sleep",
        Language::Java | Language::Kotlin | Language::Scala => {
            callee == b"Thread.sleep" || (callee.starts_with(b"TimeUnit.") && callee.ends_with(b".sleep"))
        }
        Language::CSharp => {
            [&b"Thread.Sleep"[..], b"Task.Delay"].contains(&callee)
                && given.first().is_some_and(|time| *time != b"0")
        }
        Language::Swift => {
            [&b"sleep"[..], b"usleep", b"Thread.sleep", b"Task.sleep"].contains(&callee) && given.len() == 1
        }
        Language::Php => [&b"sleep"[..], b"usleep"].contains(&callee),
        Language::Ruby => {
            [&b"sleep"[..], b"Kernel.sleep"].contains(&callee)
                && given.first().is_some_and(|time| *time != b"0")
        }
        Language::C => [&b"sleep"[..], b"usleep", b"nanosleep", b"Sleep"].contains(&callee),
        Language::Cpp => {
            [&b"sleep"[..], b"usleep", b"Sleep"].contains(&callee)
                || callee.ends_with(b"this_thread::sleep_for")
                || callee == b"sleep_for"
        }
        _ => false,
    }
}

/// `await new Promise(done => setTimeout(done, 100))`.
fn is_awaited_promise(call: &Call<'_>) -> bool {
    let promise = call.node.ancestors().take(8).find(|around| around.kind() == "new_expression");
    promise.is_some_and(|promise| {
        promise.bytes().starts_with(b"new Promise")
            && promise.parent().is_some_and(|parent| parent.kind() == "await_expression")
    })
}
