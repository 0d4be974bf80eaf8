//! Options of a check that stays: without those that make it strict, or with such that leave things out.

use super::checks::is_code;
use super::tools::check_in;
use crate::context::{AddedLine, FileContext};
use crate::pattern::Pattern;

/// An option without which a check lets more pass.
static STRICT: Pattern = Pattern::new(
    r"(?:^|\s)(-D ?warnings|--deny[- ]warnings|--error-on-warnings|--fail-on-\w+|--strict(?:-\w+)?|-Werror|-W error|--exit-code[= ]1|--check|--max-warnings[= ]\d+|--(?:cov-)?fail-under[= ]\d+)\b",
);

/// An option by which it leaves something out.
static LEAVES_OUT: Pattern = Pattern::new(
    r#"(?:^|\s)(--ignore[= ]|--deselect[= ]|-k ["']?not |-m ["']?not |--passWithNoTests|--testPathIgnorePatterns|--soft-fail|--exclude[= ]|--skip[= ])"#,
);

/// An option by which it does nothing.
static IDLE: Pattern = Pattern::new(
    r#"(?:^|\s)(-DskipTests(?:=true)?|-Dmaven\.test\.skip(?:=true)?|-x test|--exclude-task[= ]test|--exit-zero|--no-run)(?:[\s"']|$)"#,
);

static NUMBER: Pattern = Pattern::new(r"--(max-warnings|(?:cov-)?fail-under)[= ](\d+)");

/// A check that is asked for in another way.
#[derive(Debug)]
pub(super) struct Weaker<'a> {
    pub(super) line: AddedLine<'a>,
    pub(super) option: String,
    pub(super) how: How,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// It runs and does nothing.
    Idle,
    LeavesOut,
    NoLongerStrict,
}

/// The first added line that runs a check which another line ran before with stricter options.
pub(super) fn weaker<'a>(file: &FileContext<'a>) -> Option<Weaker<'a>> {
    let (base, head) = (file.base()?, file.head()?);
    let old: Vec<&[u8]> = file
        .change
        .removed()
        .map(|(_, line)| line)
        .filter(|line| check_in(line).is_some())
        .take(MOST)
        .collect();
    if old.is_empty() {
        return None;
    }
    let code = file.added().filter(|line| is_code(line.text));
    code.filter(|line| check_in(line.text).is_some()).take(MOST).find_map(|line| {
        let check = check_in(line.text)?;
        let was = old.iter().find(|old| check_in(old).is_some_and(|was| was.word == check.word))?;
        let (option, how) = compared(was, line.text, base.text(), head.text())?;
        Some(Weaker { line, option, how })
    })
}

/// No pipeline changes more checks at once.
const MOST: usize = 200;

/// What one command asks for less than another one, by the option that tells. Options that stand elsewhere in the file
/// are not compared: what has moved to a variable is not lost.
pub(super) fn compared(was: &[u8], is: &[u8], base: &[u8], head: &[u8]) -> Option<(String, How)> {
    let new = |pattern: &Pattern| {
        let option = pattern.regex().captures(is)?.get(1)?.as_bytes();
        memchr::memmem::find(base, option.trim_ascii()).is_none().then(|| shown(option))
    };
    if let Some(option) = new(&IDLE) {
        return Some((option, How::Idle));
    }
    if let Some(option) = new(&LEAVES_OUT) {
        return Some((option, How::LeavesOut));
    }
    let lost = STRICT.regex().captures_iter(was).filter_map(|found| found.get(1)).find(|option| {
        let option = option.as_bytes();
        match number(option) {
            Some((name, was)) => match number_of(is, &name) {
                Some(now) if name.starts_with("max") => now > was,
                Some(now) => now < was,
                None => memchr::memmem::find(head, name.as_bytes()).is_none(),
            },
            None => memchr::memmem::find(head, option).is_none(),
        }
    });
    lost.map(|option| (shown(option.as_bytes()), How::NoLongerStrict))
}

fn shown(option: &[u8]) -> String {
    String::from_utf8_lossy(option.trim_ascii()).into_owned()
}

fn number(option: &[u8]) -> Option<(String, u64)> {
    let found = NUMBER.regex().captures(option)?;
    let text = |at: usize| found.get(at).map(|part| String::from_utf8_lossy(part.as_bytes()).into_owned());
    Some((text(1)?, text(2)?.parse().ok()?))
}

fn number_of(line: &[u8], name: &str) -> Option<u64> {
    number(line).filter(|(other, _)| other == name).map(|(_, number)| number)
}
