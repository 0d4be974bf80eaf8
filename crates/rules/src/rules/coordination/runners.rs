//! What a project tells its test runner to do around the tests: which of them it finds, and what it says at the end.

use domain::words::Severity;

use super::exempt::is_usual_path;
use super::mentions;
use super::tasks::Task;
use crate::context::{AddedLine, FileContext};
use crate::pattern::Pattern;
use crate::source::Source;

/// A result that is set instead of found out.
static PASSED: Pattern = Pattern::new(
    r#"\b\w+\.outcome\s*=\s*["']passed["']|\bsession\.exitstatus\s*=\s*(?:0|(?:pytest\.)?ExitCode\.OK)\b"#,
);

/// That there was no test is no failure of one.
static NO_TESTS: Pattern = Pattern::new(r"(?i)\b5\b|NO_TESTS_COLLECTED|wasxfail");

/// Tests that are not looked for.
static IGNORED: Pattern = Pattern::new(
    r"^collect_ignore(?:_glob)?\s*(?:\+?=|\.(?:append|extend)\()|^def pytest_ignore_collect\b|^\s+items\[:\]\s*=\s*\[.*\bif\b",
);

static TEST_MAIN: Pattern = Pattern::new(r"(?m)^func TestMain\(\s*(\w+)\s+\*testing\.M\s*\)[^\n]*");

const RESULT: &str = "The change makes a test run pass whatever its tests say";
const FEWER: &str = "The change makes the test runner leave tests out";

pub(super) fn overridden(file: &FileContext<'_>) -> Option<Task> {
    let name = file.change.new.as_ref()?.path.file_name();
    match () {
        () if name == b"conftest.py" => in_conftest(file),
        () if name.ends_with(b"_test.go") => in_test_main(file),
        () => None,
    }
}

fn in_conftest(file: &FileContext<'_>) -> Option<Task> {
    let removed = |pattern: &Pattern| file.change.removed().any(|(_, line)| pattern.regex().is_match(line));
    let mut set = file.added().filter(|line| PASSED.regex().is_match(line.text));
    if let Some(line) = set.find(|line| is_code(file, line) && !is_about_no_tests(file, line.number)) {
        return (!removed(&PASSED)).then(|| Task::now(line.number, RESULT, Severity::High));
    }
    let mut left = file.added().filter(|line| IGNORED.regex().is_match(line.text) && is_code(file, line));
    let is_usual = |line: &[u8]| {
        let text = String::from_utf8_lossy(line);
        let tests = text.to_ascii_lowercase().contains("test");
        text.contains("setup.py") || (is_usual_path(&text) && !tests)
    };
    let line = left.find(|line| !is_usual(line.text))?;
    (!removed(&IGNORED)).then(|| Task::now(line.number, FEWER, Severity::Medium))
}

/// Not a comment, nor a text.
fn is_code(file: &FileContext<'_>, line: &AddedLine<'_>) -> bool {
    let start = line.text.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    file.kind(line, start) == Some(crate::mask::Kind::Code)
}

/// By the condition above it.
fn is_about_no_tests(file: &FileContext<'_>, number: u32) -> bool {
    const NEAR: u32 = 3;
    let Some(head) = file.head() else { return false };
    (number.saturating_sub(NEAR).max(1)..=number + 1).any(|near| {
        let line = head.line(near);
        let is_condition =
            line.trim_ascii_start().starts_with(b"if ") || memchr::memmem::find(line, b"wasxfail").is_some();
        is_condition && NO_TESTS.regex().is_match(line)
    })
}

/// A `TestMain` that runs nothing, or that says in any case that all is well.
fn in_test_main(file: &FileContext<'_>) -> Option<Task> {
    if !file
        .added()
        .any(|line| memchr::memmem::find(line.text, b"TestMain").is_some() || line.text.starts_with(b"\t"))
    {
        return None;
    }
    let head = file.head()?;
    let found = TEST_MAIN.regex().captures(head.code())?;
    let name = String::from_utf8_lossy(found.get(1)?.as_bytes()).into_owned();
    let start = head.line_of(found.get(0)?.start());
    let end = end_of_function(head, start);
    let touched = file.touched_lines();
    let added = (start..=end).find(|number| touched.is_added(*number))?;
    let body = &head.code()[head.start_of(start)..head.start_of(end + 1)];
    let says = |text: &str| memchr::memmem::find(body, text.as_bytes()).is_some();
    // Whoever is handed it may run it.
    let inside = memchr::memchr(b'{', body).map_or(body, |open| &body[open..]);
    let is_used = mentions(inside, &name);
    let call = format!("{name}.Run()");
    let is_run = says(&call);
    let idle = [call.clone(), format!("_ = {call}")];
    // What the tests said is asked for wherever the call is more than a statement of its own.
    let is_asked_for = body.split(|byte| b"\n;{}".contains(byte)).any(|statement| {
        let statement = statement.trim_ascii();
        memchr::memmem::find(statement, call.as_bytes()).is_some()
            && !idle.iter().any(|one| one.as_bytes() == statement)
    });
    let is_forgotten = is_run && says("os.Exit(0)") && !is_asked_for;
    (is_forgotten || !is_used).then(|| Task::now(added, RESULT, Severity::High))
}

/// The line of the closing bracket, which stands alone.
fn end_of_function(head: &Source, start: u32) -> u32 {
    let first = head.code_line(start).trim_ascii_end();
    if first.ends_with(b"}") {
        return start;
    }
    let mut below = start + 1..=head.line_count();
    below.find(|number| head.line(*number).starts_with(b"}")).unwrap_or(head.line_count())
}
