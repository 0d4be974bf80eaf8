//! Scripts for a shell that run the checks of a project.

use domain::words::Severity;

use super::excuses::Commands;
use super::tasks::{FAILS, Task, fewer_in_script};
use super::tools::{Check, check_in, runs_checks};
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::pattern::Pattern;
use crate::source::Source;

/// A script that is called like what a change has to pass.
static NAMED: Pattern = Pattern::new(
    r"(?i)(?:^|[^a-z])(?:checks?|tests?|ci|lint|verify|validate|gate|pre-?commit|presubmit|run-?tests)(?:[^a-z]|$)",
);

static ENDS: Pattern = Pattern::new(r"^exit(?: 0)?\s*;?\s*(?:#.*)?$");

/// Whatever happened, the script succeeds.
static TRAPPED: Pattern =
    Pattern::new(r#"^\s*trap\s+["'](?:[^"']*[;\s])?exit 0\s*;?\s*["']\s+.*\b(?:EXIT|ERR)\b"#);

/// What comes behind a command, so that it succeeds in any case.
static BEHIND: Pattern =
    Pattern::new(r"(?:\|\||;)\s*(?:true|:|exit 0)\s*(?:#.*)?$|\|\|\s*(?:echo|printf)\b[^&|;]*$");

/// Somebody else's business.
static LEFT_ALONE: Pattern = Pattern::new(r"[^&|>\s]\s*&\s*(?:#.*)?$");

static WAITS: Pattern = Pattern::new(r"(?m)^\s*wait\b");

/// `if ! pytest; then`.
static UNLESS: Pattern = Pattern::new(r"^\s*if\s+!\s");

static SAYS: Pattern = Pattern::new(r"^\s*(?:then\b\s*)?(?:(?:echo|printf)\b[^&|;]*|true|:)?\s*(?:#.*)?$");

/// A script that stops where something fails.
static STOPS: Pattern =
    Pattern::new(r"(?m)^\s*set\s+(?:-o\s+\w+\s+)*(?:-[a-z]*e[a-z]*\b|.*\berrexit\b)|^#!.*\s-[a-z]*e\b");

const GOES_ON: &str = "The change makes a script that checks go on where something fails";

/// Whether a file is a script that may run checks.
pub(super) fn is_script(file: &FileContext<'_>) -> bool {
    file.language == Language::Shell
}

/// How a script that ran checks before checks less than that.
pub(super) fn checks_less(file: &FileContext<'_>, elsewhere: &[Check<'_>]) -> Option<Task> {
    if !is_script(file) || file.change.old.is_none() {
        return None;
    }
    let (base, head) = (file.base()?, file.head()?);
    if !runs_checks(base.text()) {
        return None;
    }
    let is_named = NAMED.regex().is_match(file.change.path().as_bytes());
    let severity = if is_named { Severity::High } else { Severity::Medium };
    if let Some(line) = succeeds(file, head) {
        return Some(Task::now(line, FAILS, severity));
    }
    fewer_in_script(file, elsewhere).or_else(|| {
        let goes_on = STOPS.regex().is_match(base.text()) && !STOPS.regex().is_match(head.text());
        let is_checked = || memchr::memmem::find(head.text(), b"exit 1").is_some();
        (goes_on && !is_checked()).then(|| Task::now(1, GOES_ON, Severity::Medium))
    })
}

/// The added line by which it succeeds in any case.
fn succeeds(file: &FileContext<'_>, head: &Source) -> Option<u32> {
    let commands = Commands::of(file);
    let last_check = (1..=head.line_count()).rev().find(|number| check_in(head.line(*number)).is_some());
    let waits = WAITS.regex().is_match(head.text());
    let excuses = |line: &AddedLine<'_>| {
        let text = line.text;
        if ENDS.regex().is_match(text) {
            return last_check.is_some_and(|check| check > line.number) && !ends_block(head, line.number);
        }
        if let Some(found) = BEHIND.regex().find(text) {
            return commands.had_check(&text[..found.start()]);
        }
        TRAPPED.regex().is_match(text)
            || (!waits && LEFT_ALONE.regex().is_match(text) && commands.had_check(text))
            || (UNLESS.regex().is_match(text) && commands.had_check(text) && only_says(head, line.number))
    };
    file.added().find(excuses).map(|line| line.number)
}

/// Whether a line is the last of a condition or of a function.
fn ends_block(head: &Source, number: u32) -> bool {
    const ENDS: [&[u8]; 6] = [b"fi", b"}", b";;", b"esac", b"done", b"el"];
    let mut below = (number + 1..=head.line_count()).map(|number| head.line(number).trim_ascii());
    let next = below.find(|line| !line.is_empty() && !line.starts_with(b"#"));
    next.is_some_and(|line| ENDS.iter().any(|end| line.starts_with(end)))
}

/// Whether what is done where a check fails is to say so.
fn only_says(head: &Source, number: u32) -> bool {
    const LONGEST: u32 = 50;
    let mut body =
        (number + 1..=head.line_count().min(number + LONGEST)).map(|number| head.line(number).trim_ascii());
    let is_end = |line: &[u8]| line == b"fi" || line.starts_with(b"fi ") || line.starts_with(b"el");
    body.by_ref().take_while(|line| !is_end(line)).all(|line| SAYS.regex().is_match(line))
}
