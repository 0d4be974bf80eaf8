//! Commands of shell scripts whose failure the change stops telling of. By lines: that is how commands are written.

use std::collections::HashSet;

use domain::review::Confidence;
use domain::words::Severity;

use crate::context::FileContext;
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};

/// Has a script end where a command fails.
static STOPS: Pattern = Pattern::new(r"^\s*set\s+(?:-\w+\s+)*(?:-\w*e\w*\b|-o\s+errexit\b)");
/// The same, and taken back for a part of it.
static GOES_ON: Pattern = Pattern::new(r"^\s*set\s+(?:\+\w*e|\+o\s+errexit)");

pub(super) fn check(file: &FileContext<'_>, report: &mut Reporter<'_>) {
    let removed: HashSet<&[u8]> = file.change.removed().map(|(_, line)| line.trim_ascii()).collect();
    for line in file.added().filter(|_| !removed.is_empty()) {
        let dropped = without_failure(line.text.trim_ascii());
        if dropped.is_some_and(|command| removed.contains(command)) {
            let draft = Draft::line(&line, "The change drops the failure of this command");
            report.add(draft.severity(Severity::Medium).confidence(Confidence::Medium));
        }
    }
    check_stop(file, report);
    check_going_on(file, report);
}

/// From here on failures are no longer heard of, and nothing takes that back.
fn check_going_on(file: &FileContext<'_>, report: &mut Reporter<'_>) {
    let Some(line) = file.added().find(|line| GOES_ON.regex().is_match(line.text)) else { return };
    let Some(head) = file.head() else { return };
    let stops = |number: u32| STOPS.regex().is_match(head.line(number));
    let (before, after) = ((1..line.number).any(stops), (line.number..=head.line_count()).any(stops));
    if before && !after {
        let draft = Draft::line(&line, "From here on the script goes on where a command fails");
        report.add(draft.severity(Severity::Medium).confidence(Confidence::Medium));
    }
}

/// The command of `command || true`. With a comment behind it, somebody gave a reason.
fn without_failure(line: &[u8]) -> Option<&[u8]> {
    let command = [&b"|| true"[..], b"|| :", b"||true", b"|| exit 0", b"|| return 0"]
        .iter()
        .find_map(|ending| line.strip_suffix(*ending))?;
    // What it says is often thrown away together with how it ended.
    let loud = HUSHED.iter().find_map(|ending| command.trim_ascii_end().strip_suffix(*ending));
    Some(loud.unwrap_or(command).trim_ascii_end()).filter(|command| !command.is_empty())
}

/// How a command is kept from saying what went wrong.
const HUSHED: [&[u8]; 5] =
    [b">/dev/null 2>&1", b"> /dev/null 2>&1", b"&>/dev/null", b"2>/dev/null", b"2> /dev/null"];

/// A script that stopped at the first failure, and goes on now.
fn check_stop(file: &FileContext<'_>, report: &mut Reporter<'_>) {
    let gone = || file.change.removed().find(|(_, line)| STOPS.regex().is_match(line));
    let Some((number, _)) = gone() else { return };
    let (Some(base), Some(head)) = (file.base(), file.head()) else { return };
    let mut lines = head.text().split(|byte| *byte == b'\n');
    let stays = lines
        .clone()
        .any(|line| STOPS.regex().is_match(line) || (line.starts_with(b"#!") && line.ends_with(b" -e")));
    // What comes back after a part that may fail was taken out with that part.
    let is_switched = lines.any(|line| GOES_ON.regex().is_match(line));
    if !stays && !is_switched {
        let message = "The script no longer stops where a command fails";
        let draft = Draft::removed(base, number, message).severity(Severity::Medium);
        report.add(draft.confidence(Confidence::Medium));
    }
}
