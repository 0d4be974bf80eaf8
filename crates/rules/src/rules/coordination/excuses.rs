//! Lines by which a pipeline or a hook passes although a check failed, or never runs it.

use std::collections::HashSet;

use super::beginnings::Begun;
use super::checks::is_code;
use super::parts::Part;
use super::steps::Steps;
use super::tools::check_in;
use crate::context::{AddedLine, FileContext};
use crate::pattern::Pattern;

/// Settings of a step or a job.
static SETTING: Pattern = Pattern::new(
    r#"(?i)^\s*-?\s*(?:continue-on-error\s*:\s*["']?(?:\$\{\{\s*)?true|allow[_-]failure\s*:\s*(?:true|$)|if\s*:\s*["']?(?:false|\$\{\{\s*false\s*\}\})["']?\s*$|condition\s*:\s*["']?false|when\s*:\s*(?:never\b|false\s*$)|unless\s*:\s*true\s*$|continueOnError\s*:\s*true|stages\s*:\s*\[?\s*manual\s*\]?\s*$)"#,
);

/// What is right for a step that tidies up, or that somebody starts, and not for one that checks.
static NOT_FOR_CHECKS: Pattern = Pattern::new(
    r#"(?i)^\s*-?\s*(?:when\s*:\s*(?:manual|on_fail|on_failure)\b|shell\s*:\s*["']?\w*sh\b[^#]*\s\+e\b|(?:if|condition)\s*:\s*["']?(?:\$\{\{\s*)?(?:failure|failed|cancell?ed)\(\)(?:\s*\}\})?["']?\s*$)"#,
);

/// A list of nothing, where a job runs once for each of a list.
static EMPTY: Pattern = Pattern::new(r"^\s*([\w-]+)\s*:\s*\[\s*\]\s*$");

/// A stage of Jenkins that never runs.
static NEVER: Pattern = Pattern::new(r"\bexpression\s*\{\s*(?:return\s+)?false\s*;?\s*\}");

/// What comes behind a command, so that it succeeds in any case.
static BEHIND: Pattern = Pattern::new(
    r#"(?:\|\||;|&&)\s*(?:true|:|exit 0)\s*["')}]*\s*$|\|\|\s*echo\b[^&|;]*$|\breturnStatus\s*:\s*true\b"#,
);

/// Anything that lets a script go on.
static ANYWHERE: Pattern = Pattern::new(r"--no-verify\b|\bset \+e\b|\bcatchError\b");

/// A step that does nothing. One that is new may only wait for others.
static NOTHING: Pattern = Pattern::new(r"\brun\s*:\s*exit 0\s*$");

/// A hook that ends here.
static ENDS: Pattern = Pattern::new(r"^exit 0\s*$");

/// The first added line that excuses what had to succeed before. What is new as a whole was never asked for.
pub(super) fn excuse<'a>(file: &FileContext<'a>, part: Part) -> Option<AddedLine<'a>> {
    file.change.old.as_ref()?;
    let (steps, commands) = (Steps::of(file), Commands::of(file));
    file.added().find(|line| is_code(line.text) && excuses(part, &steps, &commands, line))
}

fn excuses(part: Part, steps: &Steps<'_, '_>, commands: &Commands, line: &AddedLine<'_>) -> bool {
    let text = line.text;
    if SETTING.regex().is_match(text) {
        return steps.older(line.number).is_some();
    }
    if NOT_FOR_CHECKS.regex().is_match(text) {
        return steps.older_check(line.number);
    }
    if let Some(found) = EMPTY.regex().captures(text) {
        let adds_nothing = [&b"include"[..], b"exclude"].contains(&&found[1]);
        return !adds_nothing && steps.older(line.number).is_some() && steps.parent_is(line.number, "matrix");
    }
    if NEVER.regex().is_match(text) {
        return steps.in_older_stage(line.number);
    }
    if NOTHING.regex().is_match(text) {
        return steps.older(line.number).is_some();
    }
    if let Some(found) = BEHIND.regex().find(text) {
        return commands.had(&text[..found.start()]);
    }
    ANYWHERE.regex().is_match(text) || (part == Part::Hook && ENDS.regex().is_match(text))
}

/// What a file ran before the change in lines that are gone.
pub(super) struct Commands {
    /// The names of checks.
    checks: HashSet<Vec<u8>>,
    begun: Begun<Vec<u8>>,
}

impl Commands {
    pub(super) fn of(file: &FileContext<'_>) -> Self {
        let removed = || file.change.removed().map(|(_, line)| line);
        let checks = removed().filter_map(|line| Some(check_in(line)?.word.to_vec())).collect();
        Commands { checks, begun: Begun::of(removed().map(|line| bare(line).to_vec())) }
    }

    pub(super) fn had_check(&self, command: &[u8]) -> bool {
        check_in(command).is_some_and(|check| self.checks.contains(check.word))
    }

    /// Whether an old line ran what stands before an excuse, or the same check.
    fn had(&self, command: &[u8]) -> bool {
        let is_known = self.had_check(command);
        let command = bare(command);
        is_known || (command.len() > 3 && self.begun.by(command))
    }
}

/// A command without the key in front of it.
fn bare(line: &[u8]) -> &[u8] {
    const KEYS: [&[u8]; 7] = [b"- ", b"run:", b"script:", b"bash:", b"command:", b"sh ", b"\""];
    let mut rest = line.trim_ascii();
    for key in KEYS {
        rest = rest.strip_prefix(key).unwrap_or(rest).trim_ascii_start();
    }
    rest.strip_prefix(b"'").unwrap_or(rest)
}
