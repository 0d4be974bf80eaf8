//! Options of a check that stays: without those that make it strict, or with such that leave things out.

use std::collections::HashMap;

use domain::words::Severity;

use super::checks::is_code;
use super::tools::{Check, check_in};
use crate::context::{AddedLine, FileContext};
use crate::pattern::Pattern;

/// An option without which a check lets more pass.
static STRICT: Pattern = Pattern::new(
    r"(?:^|\s)(-D ?warnings\b|--deny[- ]warnings\b|--error-on-warnings\b|--fail-on-\w+\b|--strict(?:-\w+)?\b|-Werror\b|-W error\b|--exit-code[= ]1\b|--check\b|--max-warnings[= ]\d+\b|--(?:cov-)?fail-under[= ]\d+\b|-race\b|\./\.\.\.)",
);

/// An option by which it leaves something out.
static LEAVES_OUT: Pattern = Pattern::new(
    r#"(?:^|[\s"'])(--ignore[= ]|--deselect[= ]|-k ["']?not |-m ["']?not |--passWithNoTests|--testPathIgnorePatterns|--soft-fail|--exclude[= ]|--skip[= ]|-skip[= ]|--strict[= ]false|--cap-lints[= ]\w+|-A ?warnings|-short\b)"#,
);

/// An option or a name by which it looks only at some of what there is.
static NARROWS: Pattern = Pattern::new(
    r#"\bpytest\b.*?\s(-[km][= ]\S+|--lf\b|--last-failed\b|[\w./-]+\.py(?:::\S+)?)|\bgo test\b.*?\s(-run[= ]\S+)|\b(?:cargo|cross)\b.*?\b(?:test|nextest run)\b.*?\s(--lib|--bins?|--doc|--test[= ]\S+|-p[= ]\S+)(?:\s|$)|\bdotnet test\b.*?\s(--filter[= ]\S+)|\bgradlew?\b.*?\s(--tests[= ]\S+)|\bmvnw?\b.*?\s(-Dtest=\S+)|\b(?:jest|vitest|npm test|npm run test)\b.*?\s(--testNamePattern\S*|--testPathPattern\S*|--onlyChanged|--changed\S*|-t ["']?\S+)|\bphpunit\b.*?\s(--filter[= ]\S+|--group[= ]\S+)|\brspec\b.*?\s(--tag[= ]\S+|-t \S+|[\w./-]+_spec\.rb\S*)"#,
);

/// An option by which it does nothing.
static IDLE: Pattern = Pattern::new(
    r#"(?:^|[\s"'])(-DskipTests(?:=true)?|-Dmaven\.test\.skip(?:=true)?|-Dmaven\.test\.failure\.ignore(?:=true)?|-DtestFailureIgnore(?:=true)?|-x test|--exclude-task[= ]test|--exit-zero|--no-run|--collect-only|--co|--listTests|--list-tests|-O -m pytest|-OO -m pytest)(?:[\s"']|$)"#,
);

/// What reads the output of a check, so that the shell forgets how it ended.
static PIPED: Pattern = Pattern::new(r"[^|>](\|\s*(?:tee|cat|tail|head|grep|sed|awk|sort)\b)");

/// How a shell remembers it.
static REMEMBERED: Pattern = Pattern::new(r"pipefail|PIPESTATUS|(?m)^\s*-?\s*shell\s*:\s*bash\s*$");

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
    /// Its output goes to a program that always succeeds.
    Forgets,
    /// There were too many to compare.
    Unread,
}

impl Weaker<'_> {
    /// What is called so asks for less by it.
    pub(super) fn told(&self, called: &str) -> (String, Severity) {
        let option = &self.option;
        match self.how {
            How::Idle => (format!("A check in {called} does nothing with `{option}`"), Severity::High),
            How::LeavesOut => {
                (format!("A check in {called} leaves something out by `{option}`"), Severity::Medium)
            }
            How::NoLongerStrict => {
                (format!("A check in {called} lets more pass than with `{option}`"), Severity::Medium)
            }
            How::Unread => (
                format!("The change edits so many checks in {called} that not all were compared"),
                Severity::Medium,
            ),
            How::Forgets => {
                (format!("Nobody learns how a check in {called} ended behind `{option}`"), Severity::Medium)
            }
        }
    }
}

/// The first added line that runs a check which another line ran before with stricter options.
pub(super) fn weaker<'a>(file: &FileContext<'a>) -> Option<Weaker<'a>> {
    let checks = Checks::of(file)?;
    let code = file.added().filter(|line| is_code(line.text));
    let mut all = code.filter_map(|line| Some((line, check_in(line.text)?)));
    let found = all.by_ref().take(MOST).find_map(|(line, check)| {
        let (option, how) = checks.weakened(line.text, &check)?;
        Some(Weaker { line, option, how })
    });
    let unread = || all.next().map(|(line, _)| Weaker { line, option: String::new(), how: How::Unread });
    found.or_else(unread)
}

/// No honest change has more; each costs a look at the whole file.
pub(super) const MOST: usize = 500;

/// The lines that run checks and that a change takes away, by the program they run.
struct Checks<'f, 'a> {
    file: &'f FileContext<'a>,
    old: HashMap<&'a [u8], &'a [u8]>,
    /// One check of each kind that went, with how many more lines run such a check now.
    kinds: Vec<(Check<'a>, isize)>,
}

impl<'f, 'a> Checks<'f, 'a> {
    fn of(file: &'f FileContext<'a>) -> Option<Self> {
        let mut checks = Checks { file, old: HashMap::new(), kinds: Vec::new() };
        for (_, line) in file.change.removed().filter(|(_, line)| is_code(line)) {
            let Some(check) = check_in(line) else { continue };
            checks.old.entry(check.word).or_insert(line);
            match checks.kinds.iter_mut().find(|(known, _)| known.is_like(&check)) {
                Some((_, more)) => *more -= 1,
                None => checks.kinds.push((check, -1)),
            }
        }
        if checks.old.is_empty() {
            return None;
        }
        for check in file.added().filter(|line| is_code(line.text)).filter_map(|line| check_in(line.text)) {
            if let Some((_, more)) = checks.kinds.iter_mut().find(|(known, _)| known.is_like(&check)) {
                *more += 1;
            }
        }
        Some(checks)
    }

    fn weakened(&self, line: &[u8], check: &Check<'_>) -> Option<(String, How)> {
        let (base, head) = (self.file.base()?, self.file.head()?);
        let (_, more) = self.kinds.iter().find(|(old, _)| old.is_like(check))?;
        let same = self.old.get(check.word).copied();
        // Of another program that looks for the same, what was asked for is called otherwise.
        let was = same.unwrap_or_default();
        // One that is run in more places than before may be run in parts, or be built first.
        let in_parts = *more > 0;
        if let Some((option, how)) = compared(was, line, base.text(), head.text()) {
            return (how != How::Idle || !in_parts).then_some((option, how));
        }
        let narrowed = || narrowed(was, line, base.text()).filter(|_| same.is_some() && !in_parts);
        let piped = || piped(was, line, head.text()).filter(|_| !remembers(self.file));
        narrowed().map(|option| (option, How::LeavesOut)).or_else(|| Some((piped()?, How::Forgets)))
    }
}

/// The shells of some systems remember how the first command of a pipe ended without being asked.
fn remembers(file: &FileContext<'_>) -> bool {
    let path = file.change.path().as_bytes();
    path.ends_with(b".gitlab-ci.yml")
        || [&b".gitlab/"[..], b".circleci/"].iter().any(|folder| path.starts_with(folder))
}

/// The option or the name by which a command looks at less than the one it takes the place of.
pub(super) fn narrowed(was: &[u8], is: &[u8], base: &[u8]) -> Option<String> {
    if NARROWS.regex().is_match(was) {
        return None;
    }
    let found = NARROWS.regex().captures(is)?;
    let option = found.iter().skip(1).flatten().next()?.as_bytes();
    memchr::memmem::find(base, option).is_none().then(|| shown(option))
}

/// What a command is piped into now, where nothing asks after how it ended.
pub(super) fn piped(was: &[u8], is: &[u8], head: &[u8]) -> Option<String> {
    let to = PIPED.regex().captures(is)?.get(1)?.as_bytes();
    (!PIPED.regex().is_match(was) && !REMEMBERED.regex().is_match(head)).then(|| shown(to))
}

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
