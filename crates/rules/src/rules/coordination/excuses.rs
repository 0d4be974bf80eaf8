//! Lines by which a pipeline or a hook passes although a check failed, or never runs it.

use super::checks::{Part, is_code};
use super::tools::check_in;
use crate::context::{AddedLine, FileContext};
use crate::pattern::Pattern;
use crate::source::Source;

/// Settings of a step or a job.
static SETTING: Pattern = Pattern::new(
    r#"(?i)^\s*-?\s*(?:continue-on-error\s*:\s*true|allow[_-]failure\s*:\s*(?:true|$)|if\s*:\s*["']?(?:false|\$\{\{\s*false\s*\}\})["']?\s*$|condition\s*:\s*["']?false|when\s*:\s*never\b|continueOnError\s*:\s*true|stages\s*:\s*\[?\s*manual\s*\]?\s*$)"#,
);

/// A job that somebody has to start.
static BY_HAND: Pattern = Pattern::new(r"^\s*when\s*:\s*manual\b");

/// What comes behind a command, so that it succeeds in any case.
static BEHIND: Pattern =
    Pattern::new(r#"(?:\|\||;|&&)\s*(?:true|:|exit 0)\s*["')}]*\s*$|\breturnStatus\s*:\s*true\b"#);

/// Anything that lets a script go on.
static ANYWHERE: Pattern = Pattern::new(r"--no-verify\b|\bset \+e\b|\bcatchError\b|\brun\s*:\s*exit 0\s*$");

/// A hook that ends here.
static ENDS: Pattern = Pattern::new(r"^exit 0\s*$");

/// Keys above steps and jobs: what stands directly below them is a step or a job of its own.
const LISTS: [&str; 8] = ["jobs", "steps", "stages", "workflows", "repos", "hooks", "include", "commands"];

/// The first added line that excuses what had to succeed before. What is new as a whole was never asked for.
pub(super) fn excuse<'a>(file: &FileContext<'a>, part: Part) -> Option<AddedLine<'a>> {
    file.change.old.as_ref()?;
    file.added().find(|line| is_code(line.text) && excuses(file, part, line))
}

fn excuses(file: &FileContext<'_>, part: Part, line: &AddedLine<'_>) -> bool {
    let text = line.text;
    let (is_setting, by_hand) = (SETTING.regex().is_match(text), BY_HAND.regex().is_match(text));
    if is_setting || by_hand {
        let around = file.head().and_then(|head| Some((head, older_around(file, head, line.number)?)));
        // Many jobs wait for somebody; those that check should not.
        return around.is_some_and(|(head, line)| is_setting || checks_below(head, line));
    }
    if let Some(found) = BEHIND.regex().find(text) {
        let command = &text[..found.start()];
        return file.change.removed().any(|(_, old)| is_same_command(command, old));
    }
    ANYWHERE.regex().is_match(text) || (part == Part::Hook && ENDS.regex().is_match(text))
}

/// Whether an old line ran what stands before the excuse, or the same check.
fn is_same_command(command: &[u8], old: &[u8]) -> bool {
    let command = command.trim_ascii();
    let same_check = match (check_in(command), check_in(old)) {
        (Some(now), Some(was)) => now.word == was.word,
        _ => false,
    };
    let is_long = command.len() > 3;
    same_check || (is_long && memchr::memmem::find(old, command).is_some())
}

/// The line of the step or of the job around a line, if it was there before the change.
fn older_around(file: &FileContext<'_>, head: &Source, number: u32) -> Option<u32> {
    let touched = file.touched_lines();
    let mut column = key_column(head.line(number));
    let mut starts = starts_item(head.line(number));
    for above in (1..number).rev() {
        let line = head.line(above);
        let here = key_column(line);
        let is_around = here < column || (here == column && starts_item(line) && !starts);
        if !is_code(line) || !is_around {
            continue;
        }
        if !touched.is_added(above) {
            return (!is_list(line)).then_some(above);
        }
        (column, starts) = (here, starts_item(line));
    }
    None
}

/// Whether one of the lines that belong to a key runs a check.
fn checks_below(head: &Source, key: u32) -> bool {
    let column = key_column(head.line(key));
    let below = (key..=head.line_count()).map(|number| head.line(number));
    let mut own =
        below.enumerate().take_while(|(at, line)| *at == 0 || !is_code(line) || key_column(line) > column);
    own.any(|(_, line)| check_in(line).is_some())
}

/// Where the key begins, behind the dash of an item.
fn key_column(line: &[u8]) -> usize {
    line.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'-')).count()
}

fn starts_item(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"- ")
}

fn is_list(line: &[u8]) -> bool {
    let key = String::from_utf8_lossy(line);
    let key = key.trim().trim_start_matches("- ");
    key.strip_suffix(':').is_some_and(|key| LISTS.contains(&key.trim_matches(['"', '\''])))
}
