//! Targets and scripts by which people and pipelines run the checks of a project.

use std::collections::{HashMap, HashSet};

use domain::words::Severity;

use super::options::{How, MOST, compared, narrowed, piped};
use super::tools::{Check, check_in};
use crate::context::FileContext;
use crate::pattern::Pattern;
use crate::source::Source;

static NAMES: Pattern = Pattern::new(
    r"^(?:(?:GNU)?[Mm]akefile|\.?[Jj]ustfile|Taskfile\.ya?ml|package\.json|tox\.ini|noxfile\.py|composer\.json)$",
);

/// A command that may fail: by a dash in front of it, or by what stands behind it.
static MAY_FAIL: Pattern = Pattern::new(
    r#"^\s*(?:commands\s*=\s*)?-\s*[\w.]|(?:(?:\|\||;)\s*(?:true|:|exit 0)|\|\|\s*echo\b[^&|;]*)\s*["',]*\s*$"#,
);

/// What a check that mends things, or waits for changes, may do.
static NO_CHECK: Pattern = Pattern::new(r"--(?:fix|write|watch\w*|update\S*)\b");

/// A line of a recipe that does nothing.
static IDLE_LINE: Pattern = Pattern::new(r"^\s*@?\s*(?:echo\b[^&|;]*|printf\b[^&|;]*|true|:|exit 0)\s*$");

/// A target or a list of environments, with what it runs.
static RUNS: Pattern =
    Pattern::new(r"^(?:check|test|tests|ci|all|verify|lint|envlist|env_list)\s*[:=]\s*(.*)$");

/// What is called like a check.
static CALLED: Pattern = Pattern::new(
    r"(?i)^(?:tests?|lint\w*|check\w*|type(?:s|check)?|mypy|ruff|flake8|clippy|fmt|format|audit|coverage|cov|security|unit|e2e|integration)(?:[-_]\w+)?$",
);

/// What of the checks is lost, and where it stands.
pub(super) struct Task {
    pub(super) place: Place,
    pub(super) message: &'static str,
    pub(super) severity: Severity,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Now(u32),
    Before(u32),
}

impl Task {
    pub(super) fn now(line: u32, message: &'static str, severity: Severity) -> Self {
        Task { place: Place::Now(line), message, severity }
    }

    fn before(line: u32, message: &'static str) -> Self {
        Task { place: Place::Before(line), message, severity: Severity::Medium }
    }
}

const LESS: &str = "The change makes a script that checks ask for less";
pub(super) const FAILS: &str = "The change makes a script that checks succeed in any case";
const IDLE: &str = "The change makes a script that checks do nothing";
const UNREAD: &str = "The change edits so many checks that not all were compared";
const GONE: &str = "The change takes a check out of the scripts that run them";

/// Whether people and pipelines run checks by the names of what is in such a file.
pub(super) fn is_named(name: &[u8]) -> bool {
    NAMES.regex().is_match(name)
}

/// The check that a line of a file with such a name runs.
pub(super) fn check_of<'l>(name: &[u8], line: &'l [u8]) -> Option<Check<'l>> {
    Form::of(name).check_in(line)
}

/// The checks elsewhere are those that the change adds to other scripts and pipelines.
pub(super) fn fewer_checks(file: &FileContext<'_>, elsewhere: &[Check<'_>]) -> Option<Task> {
    let name = file.change.path().file_name();
    if !is_named(name) || file.change.old.is_none() {
        return None;
    }
    let form = Form::of(name);
    fewer(file, form, elsewhere)
        .or_else(|| shorter_list(file).map(|number| Task::now(number, GONE, Severity::Medium)))
}

/// The same of a script for a shell.
pub(super) fn fewer_in_script(file: &FileContext<'_>, elsewhere: &[Check<'_>]) -> Option<Task> {
    fewer(file, Form::Lines, elsewhere)
}

fn fewer(file: &FileContext<'_>, form: Form, elsewhere: &[Check<'_>]) -> Option<Task> {
    let removed = file.change.removed();
    let old: Vec<Old<'_>> = removed
        .filter_map(|(number, line)| Some(Old { number, line, check: form.check_in(line)? }))
        .collect();
    if old.is_empty() {
        return None;
    }
    weaker(file, form, &old).or_else(|| gone(file, form, &old, elsewhere))
}

/// A line that is gone and ran a check.
struct Old<'a> {
    number: u32,
    line: &'a [u8],
    check: Check<'a>,
}

/// A check that stays, and may fail now or asks for less.
fn weaker(file: &FileContext<'_>, form: Form, old: &[Old<'_>]) -> Option<Task> {
    let (base, head) = (file.base()?, file.head()?);
    let may_fail = |line: &[u8]| form.command(line).is_some_and(|one| MAY_FAIL.regex().is_match(one));
    let by_word: HashMap<&[u8], &[u8]> = old.iter().rev().map(|old| (old.check.word, old.line)).collect();
    let added = file.added().filter(|line| form.check_in(line.text).is_some()).count();
    let mut all = file.added().filter_map(|line| Some((line, form.check_in(line.text)?)));
    let found = all.by_ref().take(MOST).find_map(|(line, check)| {
        let was = by_word.get(check.word)?;
        if may_fail(line.text) && !may_fail(was) {
            let severity =
                if NO_CHECK.regex().is_match(line.text) { Severity::Medium } else { Severity::High };
            return Some(Task::now(line.number, FAILS, severity));
        }
        if let Some((_, how)) = compared(was, line.text, base.text(), head.text()) {
            let is_idle = how == How::Idle;
            return Some(Task::now(line.number, if is_idle { FAILS } else { LESS }, Severity::Medium));
        }
        // A check that is run in parts now leaves nothing out.
        let is_narrowed = added <= old.len() && narrowed(was, line.text, base.text()).is_some();
        let is_less = is_narrowed || piped(was, line.text, head.text()).is_some();
        is_less.then(|| Task::now(line.number, LESS, Severity::Medium))
    });
    found.or_else(|| all.next().map(|(line, _)| Task::now(line.number, UNREAD, Severity::Medium)))
}

/// A check that nothing in the new file or elsewhere stands in for.
fn gone(file: &FileContext<'_>, form: Form, old: &[Old<'_>], elsewhere: &[Check<'_>]) -> Option<Task> {
    let (base, head) = (file.base()?, file.head()?);
    let mut left: Vec<Check<'_>> = elsewhere.to_vec();
    for check in head.text().split(|byte| *byte == b'\n').filter_map(|line| form.check_in(line)) {
        if !left.iter().any(|known| known.is_like(&check)) {
            left.push(check);
        }
    }
    let lost = old.iter().find(|old| !left.iter().any(|other| old.check.is_replaced_by(other)))?;
    match emptied(base, head, lost.number) {
        Some(line) => Some(Task::now(line, IDLE, Severity::High)),
        None => Some(Task::before(lost.number, GONE)),
    }
}

/// Where the target whose recipe had a line does nothing any more.
fn emptied(base: &Source, head: &Source, number: u32) -> Option<u32> {
    let is_recipe = |line: &[u8]| line.first().is_some_and(|byte| b" \t".contains(byte));
    let is_blank = |line: &[u8]| line.trim_ascii().is_empty();
    let target =
        (1..number).rev().map(|above| base.line(above)).find(|line| !is_recipe(line) && !is_blank(line))?;
    let name = target.split(|byte| *byte == b':').next().filter(|name| name.len() < target.len())?;
    let is_target = |line: &[u8]| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(b":"));
    let at = (1..=head.line_count()).find(|number| is_target(head.line(*number)))?;
    let mut recipe = (at + 1..=head.line_count())
        .take_while(|number| is_recipe(head.line(*number)))
        .filter(|number| !is_blank(head.line(*number)));
    let first = recipe.next()?;
    let is_idle = |number: u32| IDLE_LINE.regex().is_match(head.line(number));
    (is_idle(first) && recipe.all(is_idle)).then_some(first)
}

/// How commands are written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Lines,
    /// Only texts behind a key are commands.
    Json,
}

impl Form {
    fn of(name: &[u8]) -> Self {
        if name.ends_with(b".json") { Form::Json } else { Form::Lines }
    }

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
    let removed = file.change.removed().map(|(_, line)| line).filter(|line| RUNS.regex().is_match(line));
    let mut old: HashMap<Option<Vec<u8>>, &[u8]> = HashMap::new();
    for line in removed {
        old.entry(key(line)).or_insert(line);
    }
    let mut added = file.added().filter(|line| RUNS.regex().is_match(line.text));
    added.find_map(|line| {
        let (was, is) = (words(old.get(&key(line.text))?), words(line.text));
        let lost = was.iter().any(|word| !is.contains(word) && CALLED.regex().is_match(word.as_bytes()));
        (lost && is.len() < was.len()).then_some(line.number)
    })
}
