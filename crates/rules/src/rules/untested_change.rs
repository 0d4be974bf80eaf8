use std::borrow::Cow;
use std::collections::HashMap;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};
use rayon::prelude::*;

use super::not_written::is_not_written;
use super::running::Running;
use super::test_habit::{TestHabit, test_habit};
use crate::context::{ChangeContext, FileContext};
use crate::language::Language;
use crate::reporter::{Draft, Reporter};
use crate::rule::{ChangeRule, RuleInfo, text};

static INFO: RuleInfo = RuleInfo {
    id: text("untested-change"),
    title: text(
        "New code without a test: MEDIUM, and MAJOR from 100 new lines of code on where the repository has tests for such code",
    ),
    why: text("Nothing shows that the new code works, and nothing will notice when it breaks"),
    fix: text("Add or change a test that would fail without this change"),
    severity: Severity::Medium,
    category: Category::Testing,
    dimension: Dimension::TEST_QUALITY,
    confidence: Confidence::Medium,
    languages: Cow::Borrowed(&[]),
    examples: Cow::Borrowed(&[]),
};

/// Below this a change may well be covered by the tests there are.
const WORTH_A_TEST: usize = 15;

/// From here on missing tests are a gap that has to be closed.
const SIGNIFICANT: usize = 100;

pub(crate) struct UntestedChange;

impl ChangeRule for UntestedChange {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn check(&self, change: &ChangeContext<'_>, report: &mut Reporter<'_>) {
        if change.files.iter().any(touches_test_file) {
            return;
        }
        let mut removed = removed_lines(change);
        let code: Vec<(&FileContext<'_>, usize)> = change
            .files
            .iter()
            .filter(|file| is_tested_code(file))
            .map(|file| (file, count(file, &mut removed, None)))
            .filter(|(_, lines)| *lines > 0)
            .collect();
        let total = |code: &[(&FileContext<'_>, usize)]| code.iter().map(|(_, lines)| lines).sum::<usize>();
        if total(&code) < WORTH_A_TEST
            || code.iter().any(|(file, _)| shows_inline_test(file))
            || code.par_iter().any(|(file, _)| reaches_into_tests(file))
        {
            return;
        }
        let mut removed = removed_lines(change);
        let code: Vec<(&FileContext<'_>, usize)> = code
            .into_iter()
            .filter(|(file, _)| !is_not_written(change, file))
            .map(|(file, _)| (file, count(file, &mut removed, Running::of(file).as_ref())))
            .filter(|(_, lines)| *lines > 0)
            .collect();
        let total = total(&code);
        if total < WORTH_A_TEST {
            return;
        }
        let Some((biggest, _)) = code.iter().max_by_key(|(_, lines)| *lines) else { return };
        let files = if code.len() == 1 { "file" } else { "files" };
        let message = format!(
            "The change adds {total} new lines of code in {} {files} and touches no test",
            code.len()
        );
        let expected = || test_habit(change, biggest, &code);
        let severity = match total >= SIGNIFICANT && expected() == TestHabit::Tested {
            true => Severity::Major,
            false => Severity::Medium,
        };
        report.add_in(biggest.change, Draft::file(message).severity(severity));
    }
}

/// By an added line that is more than a comment; what tests read, as snapshots are, has none.
fn touches_test_file(file: &FileContext<'_>) -> bool {
    let written = |line: &[u8]| !file.language.is_program() || is_written(line);
    file.is_test_file()
        && file.change.new.is_some()
        && file.added().any(|line| !line.text.trim_ascii().is_empty() && written(line.text))
}

fn is_tested_code(file: &FileContext<'_>) -> bool {
    const ENTRY: [&str; 4] = ["build.rs", "setup.py", "conf.py", "manage.py"];
    const FOLDERS: [&[u8]; 14] = [
        b"bench",
        b"benchmark",
        b"benchmarks",
        b"perf",
        b"mocks",
        b"examples",
        b"example",
        b"docs",
        b"doc",
        b"benches",
        b"scripts",
        b"migrations",
        b"demo",
        b"storybook",
    ];
    let path = file.change.path();
    let name = String::from_utf8_lossy(path.file_name());
    file.language.is_program()
        && file.skipped.is_none()
        && !ENTRY.contains(&name.as_ref())
        && !name.starts_with("mock_")
        && !name.starts_with("bench_")
        && !name.contains(".bench.")
        && !name.contains(".config.")
        && !name.contains(".stories.")
        && !name.ends_with(".d.ts")
        && !path.folders().any(|folder| FOLDERS.contains(&folder))
}

/// Whether the line has something to execute or declare: good enough to tell 5 from 50.
fn is_code(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    is_written(line) && !is_annotation(line) && !is_data(line)
}

/// Whether it is more than a comment or an import, by how it begins.
fn is_written(line: &[u8]) -> bool {
    const PREFIXES: [&[u8]; 8] = [b"//", b"#", b"/*", b"*", b"--", b"import ", b"use ", b"from "];
    let line = line.trim_ascii();
    let attribute = line.starts_with(b"#[");
    line.iter().any(u8::is_ascii_alphanumeric)
        && (attribute || !PREFIXES.iter().any(|prefix| line.starts_with(prefix)))
}

/// `@Override`, `@Column(name = "a")`, `#[derive(Debug)]`: what stands behind it on the line is code.
fn is_annotation(line: &[u8]) -> bool {
    if line.starts_with(b"#[") {
        return line.ends_with(b"]");
    }
    let Some(name) = line.strip_prefix(b"@") else { return false };
    let length = name.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"_.:".contains(byte)).count();
    let rest = &name[length..];
    length > 0 && (rest.is_empty() || rest.starts_with(b"(") && rest.ends_with(b")"))
}

/// Nothing but texts and numbers, and what separates them.
fn is_data(line: &[u8]) -> bool {
    let mut rest = line;
    while let Some(byte) = rest.first().copied() {
        if byte.is_ascii_alphabetic() || byte == b'_' || byte == b'`' {
            return false;
        }
        let length = match byte {
            b'"' | b'\'' => {
                let end = rest.iter().skip(1).position(|other| *other == byte).map(|end| end + 2);
                let Some(end) = end else { return false };
                end
            }
            _ if byte.is_ascii_digit() => {
                rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'.').count()
            }
            _ => 1,
        };
        rest = &rest[length..];
    }
    true
}

/// The added lines of code that were not moved or merely written in another way. Where it is known which lines run, the
/// others do not count.
fn count(file: &FileContext<'_>, removed: &mut HashMap<Vec<u8>, usize>, running: Option<&Running>) -> usize {
    let runs = |line: u32| running.is_none_or(|running| running.holds(line));
    let was_there =
        |line: &[u8], removed: &mut HashMap<Vec<u8>, usize>| match removed.get_mut(&normalised(line)) {
            Some(left) if *left > 0 => {
                *left -= 1;
                true
            }
            _ => false,
        };
    let fresh = file.added().filter(|line| is_code(line.text) && !was_there(line.text, removed));
    fresh.filter(|line| runs(line.number)).count()
}

/// Of the whole change, each as often as it was removed.
fn removed_lines(change: &ChangeContext<'_>) -> HashMap<Vec<u8>, usize> {
    let mut removed = HashMap::new();
    for (_, line) in change.files.iter().flat_map(|file| file.change.removed()) {
        if is_code(line) {
            *removed.entry(normalised(line)).or_default() += 1;
        }
    }
    removed
}

/// What formatters change is left out: white space, the kind of quotes, a comma or semicolon at the end.
fn normalised(line: &[u8]) -> Vec<u8> {
    let line = line.trim_ascii();
    let line = line.strip_suffix(b",").or_else(|| line.strip_suffix(b";")).unwrap_or(line);
    line.iter().copied().filter(|byte| !byte.is_ascii_whitespace() && !b"\"'`".contains(byte)).collect()
}

/// Rust keeps unit tests beside the code, so does Python with doctests. This much the diff itself tells: an
/// added test, or a hunk that git found inside `mod tests`.
fn shows_inline_test(file: &FileContext<'_>) -> bool {
    const MARKERS: [&[u8]; 4] = [b"#[test]", b"::test]", b"cfg(test)", b"proptest!"];
    let marked = |line: &[u8]| MARKERS.iter().any(|marker| memchr::memmem::find(line, marker).is_some());
    match file.language {
        Language::Rust => {
            file.change.hunks().iter().any(|hunk| hunk.heading.starts_with("mod test"))
                || file.added().any(|line| marked(line.text))
        }
        Language::Python => file.added().any(|line| line.text.trim_ascii_start().starts_with(b">>> ")),
        _ => false,
    }
}

/// Needs the whole file, so it is asked last.
fn reaches_into_tests(file: &FileContext<'_>) -> bool {
    file.language == Language::Rust && file.added().any(|line| file.in_test(line.number))
}
