use std::borrow::Cow;
use std::cell::OnceCell;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::asked::{Moved, asked, lost};
use super::conditions::{narrower, too_late};
use super::excuses::excuse;
use super::idle_jobs::idle_job;
use super::looser::{Looser, looser};
use super::narrow::new_and_narrow;
use super::options::weaker;
use super::owners::disowned;
use super::parts::{Part, part_of};
use super::runners::overridden;
use super::scripts::idle_script;
use super::settings::{Less, less};
use super::shell_scripts::{checks_less, is_script};
use super::tasks::{Place, Task, check_of, fewer_checks, is_named};
use super::tools::{Check, runs_checks};
use super::triggers::{fewer, is_for_releases};
use super::unset::Linters;
use crate::context::{ChangeContext, FileContext};
use crate::language::Language;
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::rule::{ChangeRule, RuleInfo, text};

static INFO: RuleInfo = RuleInfo {
    id: text("checks-changed"),
    title: text(
        "Changed checks that every change has to pass, or owners who have to look: HIGH where they ask for less, MEDIUM where only some settings of linters and test runners do, else LOW",
    ),
    why: text("What a check no longer looks at, nobody will"),
    fix: text("Make it a change of its own, and have it approved by whoever owns the checks"),
    severity: Severity::Low,
    category: Category::BestPractices,
    dimension: Dimension::COORDINATION_COMPLIANCE,
    confidence: Confidence::Medium,
    languages: Cow::Borrowed(&[]),
    examples: Cow::Borrowed(&[]),
};

/// What starts a workflow of GitHub for every change: on the line of `on`, or on those below it.
pub(super) static STARTED: Pattern = Pattern::new(
    r#"(?m)^["']?on["']?\s*:(?:[^\n#]*|[^\n]*\n(?:[ \t]*(?:#[^\n]*)?\n|[ \t-][^\n]*\n)*[ \t-]+["']?)\b(?:push|pull_request|pull_request_target|merge_group|workflow_call)\b"#,
);

/// Watches what decides over changes besides the policy: pipelines, hooks, owners.
pub(crate) struct ChecksChanged;

impl ChangeRule for ChecksChanged {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn check(&self, change: &ChangeContext<'_>, report: &mut Reporter<'_>) {
        let linters = Linters::of(change);
        let moved = Moved::of(change.files);
        let elsewhere = OnceCell::new();
        for file in change.files {
            if let Some(part) = part_of(file) {
                tell(change, file, part, &moved, report);
            } else if let Some(draft) = asking_less(change, &linters, &elsewhere, file) {
                report.add_in(file.change, draft);
            }
        }
    }
}

/// Of a linter, a test runner, a script or a coverage limit.
fn asking_less<'a>(
    change: &ChangeContext<'a>,
    linters: &Linters<'_>,
    elsewhere: &OnceCell<Vec<Check<'a>>>,
    file: &FileContext<'a>,
) -> Option<Draft> {
    let message = "The change makes a linter, a test runner or a coverage limit ask for less";
    let medium = |draft: Draft| Some(draft.severity(Severity::Medium));
    if let Some(task) = overridden(file) {
        return told(file, &task);
    }
    let mut sides = [&file.change.old, &file.change.new].into_iter().flatten();
    let name = sides.next().map(|side| side.path.file_name());
    match name.and_then(|name| less(file, name)) {
        Some(Less::Now(line, severity)) => return Some(Draft::line(&line, message).severity(severity)),
        Some(Less::Before(_)) if file.language == Language::Rust && linters.denies_in_manifest() => {
            return None;
        }
        Some(Less::Before(line)) => return medium(Draft::removed(file.base()?, line, message)),
        None => {}
    }
    if file.change.old.is_none() || file.skipped.is_some() {
        return new_and_narrow(change, file)
            .and_then(|line| medium(Draft::lines(file.head()?, line, line, message)));
    }
    if let Some(line) = idle_script(file) {
        let message = "The change makes a script that checks do nothing";
        return Some(Draft::lines(file.head()?, line, line, message).severity(Severity::High));
    }
    if is_named(file.change.path().file_name()) || is_script(file) {
        let others = elsewhere.get_or_init(|| checks_added(change.files));
        if let Some(task) = fewer_checks(file, others).or_else(|| checks_less(file, others)) {
            return told(file, &task);
        }
    }
    match looser(file) {
        Some(Looser::Now(line)) => medium(Draft::lines(file.head()?, line, line, message)),
        // What is asked for elsewhere now is compared by nobody, and told by nobody.
        Some(Looser::Before(_)) if linters.takes_over(file) => None,
        Some(Looser::Before(line)) => medium(Draft::removed(file.base()?, line, message)),
        None if linters.is_unset(file) => {
            medium(Draft::file("The change takes the settings of a linter away"))
        }
        None => None,
    }
}

fn told(file: &FileContext<'_>, task: &Task) -> Option<Draft> {
    let draft = match task.place {
        Place::Now(line) => Draft::lines(file.head()?, line, line, task.message),
        Place::Before(line) => Draft::removed(file.base()?, line, task.message),
    };
    Some(draft.severity(task.severity))
}

/// The checks that the change adds to pipelines and scripts, one of each kind: what went out of one file may be in another.
fn checks_added<'a>(files: &[FileContext<'a>]) -> Vec<Check<'a>> {
    let runs = |file: &&FileContext<'_>| {
        part_of(file).is_some() || is_script(file) || is_named(file.change.path().file_name())
    };
    let mut found: Vec<Check<'a>> = Vec::new();
    for file in files.iter().filter(runs) {
        let name = file.change.path().file_name();
        for check in file.added().filter_map(|line| check_of(name, line.text)) {
            if !found.iter().any(|known| known.is_like(&check)) {
                found.push(check);
            }
        }
    }
    found
}

fn tell(
    change: &ChangeContext<'_>,
    file: &FileContext<'_>,
    part: Part,
    moved: &Moved<'_>,
    report: &mut Reporter<'_>,
) {
    let here = file.change.new.as_ref().is_some_and(|side| Part::of(&side.path).is_some());
    if !here {
        let (message, severity) = match removed(change, file, part, moved) {
            Removed::Lost => (format!("The change removes {}", part.as_str()), Severity::High),
            Removed::Moved => {
                let message = format!("The change removes {}, whose checks others do now", part.as_str());
                (message, Severity::Low)
            }
            Removed::Harmless => {
                (format!("The change removes {} that checks no change", part.as_str()), Severity::Low)
            }
        };
        report.add_in(file.change, Draft::file(message).severity(severity));
        return;
    }
    if let Some(draft) = asks_for_less(change, file, part, moved).filter(|_| !was_for_releases(file)) {
        report.add_in(file.change, draft);
    } else if file.change.old.is_some() && file.change.removed().next().is_some() {
        report.add_in(file.change, Draft::file(format!("The change edits {}", part.as_str())));
    }
}

/// What a part that stays no longer sees to, the worst first.
fn asks_for_less(
    change: &ChangeContext<'_>,
    file: &FileContext<'_>,
    part: Part,
    moved: &Moved<'_>,
) -> Option<Draft> {
    let called = part.as_str();
    if part != Part::Owners
        && let Some(line) = excuse(file, part)
    {
        let message = format!("The change lets {called} pass although something failed");
        return Some(Draft::line(&line, message).severity(Severity::High));
    }
    if let (Some((number, line)), Some(base)) = (lost(change, file, part, moved), file.base()) {
        let shown = String::from_utf8_lossy(line.trim_ascii()).chars().take(120).collect::<String>();
        let message = format!("The change takes `{shown}` out of {called}");
        return Some(Draft::removed(base, number, message).severity(Severity::High));
    }
    match part {
        Part::Owners => unowned(file),
        Part::Pipeline | Part::Hook => runs_less(file, part),
    }
}

fn unowned(file: &FileContext<'_>) -> Option<Draft> {
    let one = disowned(file)?;
    let (message, severity) = match one.by_others {
        true => (format!("The change takes an owner away from `{}`", one.pattern), Severity::Medium),
        false => (format!("The change says that nobody owns `{}`", one.pattern), Severity::High),
    };
    Some(Draft::lines(file.head()?, one.line, one.line, message).severity(severity))
}

/// Checks that are named as before, and run for fewer changes or with options that ask for less.
fn runs_less(file: &FileContext<'_>, part: Part) -> Option<Draft> {
    let called = part.as_str();
    if let Some(check) = too_late(file) {
        let message = format!("The change runs `{check}` in {called} when its result counts no more");
        return Some(Draft::file(message).severity(Severity::High));
    }
    if let Some(job) = idle_job(file) {
        let message = format!("The change leaves `{job}` in {called}, and nothing runs it any more");
        return Some(Draft::file(message).severity(Severity::High));
    }
    if let Some(fewer) = fewer(file) {
        let (what, severity) = fewer.told();
        return Some(Draft::file(format!("The change lets {called} {what}")).severity(severity));
    }
    if let Some(weaker) = weaker(file) {
        let (message, severity) = weaker.told(called);
        return Some(Draft::line(&weaker.line, message).severity(severity));
    }
    let narrower = narrower(file, part)?;
    let message = format!("A check in {called} looks at less with `{}`", narrower.by);
    Some(Draft::line(&narrower.line, message).severity(Severity::Medium))
}

/// What became of the checks of a part that is gone as a whole.
enum Removed {
    Lost,
    /// Other parts do all that it did.
    Moved,
    /// It was started by something else than a change, and looked for no mistakes.
    Harmless,
}

fn removed(change: &ChangeContext<'_>, file: &FileContext<'_>, part: Part, moved: &Moved<'_>) -> Removed {
    let Some(base) = file.base().filter(|_| part != Part::Owners) else { return Removed::Lost };
    if was_for_releases(file) {
        return Removed::Harmless;
    }
    let of_github = file.change.path().as_bytes().starts_with(b".github/workflows/");
    if !runs_checks(base.text()) {
        let is_started = !of_github || STARTED.regex().is_match(base.text());
        return if is_started { Removed::Lost } else { Removed::Harmless };
    }
    let has_asked = asked(file, part).next().is_some();
    if has_asked && lost(change, file, part, moved).is_none() { Removed::Moved } else { Removed::Lost }
}

/// Whether the file was a workflow of GitHub that looked at releases and no changes.
fn was_for_releases(file: &FileContext<'_>) -> bool {
    let old = file.change.old.as_ref();
    old.is_some_and(|side| side.path.as_bytes().starts_with(b".github/workflows/"))
        && file.base().is_some_and(is_for_releases)
}

/// Neither empty nor a comment.
pub(super) fn is_code(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    !line.is_empty() && !line.starts_with(b"#") && !line.starts_with(b"//")
}
