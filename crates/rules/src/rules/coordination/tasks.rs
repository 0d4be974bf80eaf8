//! Targets and scripts by which people and pipelines run the checks of a project.

use std::collections::HashSet;

use super::options::{How, compared};
use super::tools::{Check, check_in};
use crate::context::FileContext;
use crate::pattern::Pattern;

static NAMES: Pattern = Pattern::new(
    r"^(?:(?:GNU)?[Mm]akefile|\.?[Jj]ustfile|Taskfile\.ya?ml|package\.json|tox\.ini|noxfile\.py|composer\.json)$",
);

/// A command that may fail: by a dash in front of it, or by what stands behind it.
static MAY_FAIL: Pattern =
    Pattern::new(r#"^\s*(?:commands\s*=\s*)?-\s*[\w.]|(?:\|\||;)\s*(?:true|:|exit 0)\s*["',]*\s*$"#);

/// A target or a list of environments, with what it runs.
static RUNS: Pattern =
    Pattern::new(r"^(?:check|test|tests|ci|all|verify|lint|envlist|env_list)\s*[:=]\s*(.*)$");

/// What is called like a check.
static CALLED: Pattern = Pattern::new(
    r"(?i)^(?:tests?|lint\w*|check\w*|type(?:s|check)?|mypy|ruff|flake8|clippy|fmt|format|audit|coverage|cov|security|unit|e2e|integration)(?:[-_]\w+)?$",
);

/// What of the checks is lost, and where it stands.
pub(super) enum Task {
    Now(u32, &'static str),
    Before(u32, &'static str),
}

const LESS: &str = "The change makes a script that checks ask for less";
const FAILS: &str = "The change makes a script that checks succeed in any case";
const GONE: &str = "The change takes a check out of the scripts that run them";

pub(super) fn fewer_checks(file: &FileContext<'_>) -> Option<Task> {
    let name = file.change.path().file_name();
    if !NAMES.regex().is_match(name) || file.change.old.is_none() {
        return None;
    }
    let form = if name.ends_with(b".json") { Form::Json } else { Form::Lines };
    let old: Vec<(u32, &[u8])> =
        file.change.removed().filter(|(_, line)| form.check_in(line).is_some()).take(MOST).collect();
    weaker(file, form, &old)
        .or_else(|| gone(file, form, &old))
        .or_else(|| shorter_list(file).map(|number| Task::Now(number, GONE)))
}

/// No change takes more checks away.
const MOST: usize = 200;

/// A check that stays, and may fail now or asks for less.
fn weaker(file: &FileContext<'_>, form: Form, old: &[(u32, &[u8])]) -> Option<Task> {
    let (base, head) = (file.base()?, file.head()?);
    let may_fail = |line: &[u8]| form.command(line).is_some_and(|one| MAY_FAIL.regex().is_match(one));
    file.added().filter(|_| !old.is_empty()).find_map(|line| {
        let check = form.check_in(line.text)?;
        let (_, was) =
            old.iter().find(|(_, old)| form.check_in(old).is_some_and(|was| was.word == check.word))?;
        if may_fail(line.text) && !may_fail(was) {
            return Some(Task::Now(line.number, FAILS));
        }
        let (_, how) = compared(was, line.text, base.text(), head.text())?;
        Some(Task::Now(line.number, if how == How::Idle { FAILS } else { LESS }))
    })
}

/// A check that nothing in the new file stands in for.
fn gone(file: &FileContext<'_>, form: Form, old: &[(u32, &[u8])]) -> Option<Task> {
    if old.is_empty() {
        return None;
    }
    let mut left: Vec<Check<'_>> = Vec::new();
    for check in file.head()?.text().split(|byte| *byte == b'\n').filter_map(|line| form.check_in(line)) {
        if !left.iter().any(|known| known.is_like(&check)) {
            left.push(check);
        }
    }
    let is_lost = |check: Check<'_>| !left.iter().any(|other| check.is_replaced_by(other));
    let lost = old.iter().find(|(_, line)| form.check_in(line).is_some_and(is_lost));
    lost.map(|(number, _)| Task::Before(*number, GONE))
}

/// How commands are written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Lines,
    /// Only texts behind a key are commands.
    Json,
}

impl Form {
    fn check_in(self, line: &[u8]) -> Option<Check<'_>> {
        check_in(self.command(line)?)
    }

    fn command(self, line: &[u8]) -> Option<&[u8]> {
        let code = line.trim_ascii();
        if code.is_empty() || code.starts_with(b"#") || code.starts_with(b"//") {
            return None;
        }
        if self == Form::Lines {
            return Some(line);
        }
        let at = memchr::memmem::find(code, b"\":")?;
        Some(code[at + 2..].trim_ascii()).filter(|value| value.starts_with(b"\""))
    }
}

/// `check: lint test` without `test`.
fn shorter_list(file: &FileContext<'_>) -> Option<u32> {
    let words = |line: &[u8]| -> HashSet<String> {
        let found = RUNS.regex().captures(line).and_then(|found| found.get(1));
        let text =
            found.map(|list| String::from_utf8_lossy(list.as_bytes()).into_owned()).unwrap_or_default();
        text.split([' ', ',', '\t']).map(str::to_owned).filter(|word| !word.is_empty()).collect()
    };
    let key = |line: &[u8]| line.split(|byte| b":= ".contains(byte)).next().map(<[u8]>::to_vec);
    let mut added = file.added().filter(|line| RUNS.regex().is_match(line.text));
    added.find_map(|line| {
        let old = file
            .change
            .removed()
            .find(|(_, old)| RUNS.regex().is_match(old) && key(old) == key(line.text))?;
        let (was, is) = (words(old.1), words(line.text));
        let lost = was.iter().any(|word| !is.contains(word) && CALLED.regex().is_match(word.as_bytes()));
        (lost && is.len() < was.len()).then_some(line.number)
    })
}
