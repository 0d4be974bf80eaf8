use std::borrow::Cow;
use std::collections::HashSet;

use domain::change::RepoPath;
use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::again::named_again;
use super::excuses::excuse;
use super::idle_jobs::idle_job;
use super::looser::{Looser, looser};
use super::options::{How, weaker};
use super::owners::disowned;
use super::scripts::idle_script;
use super::settings::{Less, less};
use super::tasks::{Task, fewer_checks};
use super::tools::{Check, check_in, runs_checks};
use super::triggers::{Fewer, fewer};
use super::unset::Linters;
use crate::context::{ChangeContext, FileContext};
use crate::language::Language;
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::rule::{ChangeRule, RuleInfo, text};

static INFO: RuleInfo = RuleInfo {
    id: text("checks-changed"),
    title: text(
        "Changed checks that every change has to pass, or owners who have to look: HIGH where they ask for less, MEDIUM where settings of linters and test runners do, else LOW",
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
static STARTED: Pattern = Pattern::new(
    r#"(?m)^["']?on["']?\s*:(?:[^\n#]*|[^\n]*\n(?:[ \t]*(?:#[^\n]*)?\n|[ \t-][^\n]*\n)*[ \t-]+["']?)\b(?:push|pull_request|pull_request_target|merge_group|workflow_call)\b"#,
);

/// Watches what decides over changes besides the policy: pipelines, hooks, owners.
pub(crate) struct ChecksChanged;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Pipeline,
    Hook,
    Owners,
}

impl Part {
    fn of(path: &RepoPath) -> Option<Self> {
        const PIPELINES: [&str; 13] = [
            ".gitlab-ci.yml",
            ".gitlab-ci.yaml",
            "Jenkinsfile",
            ".travis.yml",
            "azure-pipelines.yml",
            "azure-pipelines.yaml",
            "bitbucket-pipelines.yml",
            "buildspec.yml",
            "cloudbuild.yaml",
            ".drone.yml",
            ".woodpecker.yml",
            "appveyor.yml",
            ".cirrus.yml",
        ];
        const PIPELINE_FOLDERS: [&str; 9] = [
            ".github/workflows/",
            ".github/actions/",
            ".gitlab/ci/",
            ".circleci/",
            ".azure-pipelines/",
            ".azuredevops/pipelines/",
            ".buildkite/",
            ".semaphore/",
            ".woodpecker/",
        ];
        const HOOKS: [&str; 5] = [
            ".pre-commit-config.yaml",
            ".pre-commit-config.yml",
            "lefthook.yml",
            ".lefthook.yml",
            ".claude/settings.json",
        ];
        const HOOK_FOLDERS: [&str; 3] = [".husky/", ".githooks/", ".claude/hooks/"];
        const OWNERS: [&str; 4] =
            ["CODEOWNERS", ".github/CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"];
        let path = String::from_utf8_lossy(path.as_bytes());
        let below = |folders: &[&str]| folders.iter().any(|folder| path.starts_with(folder));
        match path.as_ref() {
            path if OWNERS.contains(&path) => Some(Part::Owners),
            path if HOOKS.contains(&path) || below(&HOOK_FOLDERS) => Some(Part::Hook),
            path if PIPELINES.contains(&path) || below(&PIPELINE_FOLDERS) => Some(Part::Pipeline),
            _ => None,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Part::Pipeline => "a pipeline",
            Part::Hook => "a hook",
            Part::Owners => "the owners of files",
        }
    }
}

impl ChangeRule for ChecksChanged {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn check(&self, change: &ChangeContext<'_>, report: &mut Reporter<'_>) {
        let linters = Linters::of(change);
        let moved = Moved::of(change.files);
        for file in change.files {
            if let Some(part) = part_of(file) {
                tell(change, file, part, &moved, report);
            } else if let Some(draft) = asking_less(&linters, file) {
                report.add_in(file.change, draft.severity(Severity::Medium));
            }
        }
    }
}

/// Of a linter, a test runner or a coverage limit.
fn asking_less(linters: &Linters<'_>, file: &FileContext<'_>) -> Option<Draft> {
    let message = "The change makes a linter, a test runner or a coverage limit ask for less";
    let mut sides = [&file.change.old, &file.change.new].into_iter().flatten();
    let name = sides.next().map(|side| side.path.file_name());
    match name.and_then(|name| less(file, name)) {
        Some(Less::Now(line)) => return Some(Draft::line(&line, message)),
        Some(Less::Before(_)) if file.language == Language::Rust && linters.denies_in_manifest() => {
            return None;
        }
        Some(Less::Before(line)) => return Some(Draft::removed(file.base()?, line, message)),
        None => {}
    }
    if file.change.old.is_none() || file.skipped.is_some() {
        return None;
    }
    if let Some(line) = idle_script(file) {
        let message = "The change makes a script that checks do nothing";
        return file.head().map(|head| Draft::lines(head, line, line, message));
    }
    match fewer_checks(file) {
        Some(Task::Now(line, message)) => return Some(Draft::lines(file.head()?, line, line, message)),
        Some(Task::Before(line, message)) => return Some(Draft::removed(file.base()?, line, message)),
        None => {}
    }
    match looser(file) {
        Some(Looser::Now(line)) => Some(Draft::lines(file.head()?, line, line, message)),
        // What is asked for elsewhere now is compared by nobody, and told by nobody.
        Some(Looser::Before(_)) if linters.takes_over(file) => None,
        Some(Looser::Before(line)) => Some(Draft::removed(file.base()?, line, message)),
        None => linters.is_unset(file).then(|| Draft::file("The change takes the settings of a linter away")),
    }
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
    if let Some(draft) = asks_for_less(change, file, part, moved) {
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
        Part::Pipeline | Part::Hook => runs_less(file, called),
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
fn runs_less(file: &FileContext<'_>, called: &str) -> Option<Draft> {
    if let Some(job) = idle_job(file) {
        let message = format!("The change leaves `{job}` in {called}, and nothing runs it any more");
        return Some(Draft::file(message).severity(Severity::High));
    }
    if let Some(fewer) = fewer(file) {
        let (message, severity) = match fewer {
            Fewer::Proposals { runs_on_push: false } => {
                (format!("The change lets {called} no longer run for changes"), Severity::High)
            }
            Fewer::Proposals { runs_on_push: true } => {
                (format!("The change lets {called} no longer run for pull requests"), Severity::Medium)
            }
            Fewer::Paths { pattern } => {
                (format!("The change lets {called} no longer run for `{pattern}`"), Severity::Medium)
            }
        };
        return Some(Draft::file(message).severity(severity));
    }
    let weaker = weaker(file)?;
    let (message, severity) = match weaker.how {
        How::Idle => (format!("A check in {called} does nothing with `{}`", weaker.option), Severity::High),
        How::LeavesOut => {
            (format!("A check in {called} leaves something out by `{}`", weaker.option), Severity::Medium)
        }
        How::NoLongerStrict => {
            (format!("A check in {called} lets more pass than with `{}`", weaker.option), Severity::Medium)
        }
    };
    Some(Draft::line(&weaker.line, message).severity(severity))
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
    let of_github = file.change.path().as_bytes().starts_with(b".github/workflows/");
    if !runs_checks(base.text()) {
        let is_started = !of_github || STARTED.regex().is_match(base.text());
        return if is_started { Removed::Lost } else { Removed::Harmless };
    }
    let has_asked = asked(file, part).next().is_some();
    if has_asked && lost(change, file, part, moved).is_none() { Removed::Moved } else { Removed::Lost }
}

fn part_of(file: &FileContext<'_>) -> Option<Part> {
    [&file.change.old, &file.change.new].into_iter().flatten().find_map(|side| Part::of(&side.path))
}

/// Something that a line asked for: a check, or that the owner of a pattern looks.
#[derive(Clone, Copy)]
struct Asked<'a> {
    number: u32,
    line: &'a [u8],
    word: &'a [u8],
    check: Option<Check<'a>>,
}

/// What the lines that went out of a file asked for.
fn asked<'a>(file: &FileContext<'a>, part: Part) -> impl Iterator<Item = Asked<'a>> {
    let code = file.change.removed().filter(|(_, line)| is_code(line));
    code.filter_map(move |(number, line)| match part {
        Part::Owners => {
            let word = line.split(u8::is_ascii_whitespace).find(|word| !word.is_empty())?;
            Some(Asked { number, line, word, check: None })
        }
        Part::Pipeline | Part::Hook => {
            let check = check_in(line)?;
            Some(Asked { number, line, word: check.word, check: Some(check) })
        }
    })
}

fn added_code<'a>(file: &FileContext<'a>) -> impl Iterator<Item = &'a [u8]> {
    file.added().map(|line| line.text).filter(|line| is_code(line))
}

fn adds(file: &FileContext<'_>, word: &[u8]) -> bool {
    added_code(file).any(|line| memchr::memmem::find(line, word).is_some())
}

/// Those of the words that are asked for again: by their name, or by another check that looks for the same.
fn kept<'a, 'l>(all: &[Asked<'a>], lines: impl Iterator<Item = &'l [u8]>) -> HashSet<&'a [u8]> {
    let lines: Vec<&[u8]> = lines.collect();
    let words: HashSet<&[u8]> = all.iter().map(|one| one.word).collect();
    let mut found = named_again(words, lines.iter().copied());
    let mut new: Vec<Check<'l>> = Vec::new();
    for check in lines.into_iter().filter_map(check_in) {
        if !new.iter().any(|known| known.is_like(&check)) {
            new.push(check);
        }
    }
    let replaced = |check: &Check<'_>| new.iter().any(|other| check.is_replaced_by(other));
    found
        .extend(all.iter().filter(|one| one.check.is_some_and(|check| replaced(&check))).map(|one| one.word));
    found
}

/// The first line that asked for something which no added line asks for again.
fn lost<'a>(
    change: &ChangeContext<'a>,
    file: &FileContext<'a>,
    part: Part,
    moved: &Moved<'_>,
) -> Option<(u32, &'a [u8])> {
    let all: Vec<Asked<'a>> = asked(file, part).collect();
    if all.is_empty() {
        return None;
    }
    let run = change.files.iter().filter(|other| part != Part::Owners && is_run_by(other, file));
    let kept = kept(&all, added_code(file).chain(run.flat_map(added_code)));
    let is_lost = |one: &&Asked<'_>| !kept.contains(one.word) && !moved.to_another(part).contains(one.word);
    all.iter().find(is_lost).map(|one| (one.number, one.line))
}

/// The checks that went out of pipelines and hooks and that a file which takes over from such a one names again.
#[derive(Debug, Default)]
struct Moved<'a> {
    pipelines: HashSet<&'a [u8]>,
    hooks: HashSet<&'a [u8]>,
    owners: HashSet<&'a [u8]>,
}

impl<'a> Moved<'a> {
    fn of(files: &[FileContext<'a>]) -> Self {
        let of = |part: Part| {
            let from = files.iter().filter(|file| part_of(file) == Some(part));
            let all: Vec<Asked<'a>> = from.flat_map(|file| asked(file, part)).collect();
            if all.is_empty() {
                return HashSet::new();
            }
            kept(&all, files.iter().filter(|file| takes_over(file, part)).flat_map(added_code))
        };
        Moved { pipelines: of(Part::Pipeline), hooks: of(Part::Hook), owners: HashSet::new() }
    }

    fn to_another(&self, part: Part) -> &HashSet<&'a [u8]> {
        match part {
            Part::Pipeline => &self.pipelines,
            Part::Hook => &self.hooks,
            Part::Owners => &self.owners,
        }
    }
}

/// Whether what a part asked for may have moved to this file: it decides over the same changes, or over all.
fn takes_over(file: &FileContext<'_>, part: Part) -> bool {
    let Some(here) = file.change.new.as_ref().and_then(|side| Part::of(&side.path)) else { return false };
    let runs = || file.head().is_some_and(|head| STARTED.regex().is_match(head.text()));
    match here {
        // Whether anybody runs what another system would run is only known where it did before.
        Part::Pipeline if !file.change.path().as_bytes().starts_with(b".github/workflows/") => {
            file.change.old.is_some()
        }
        Part::Pipeline => runs(),
        Part::Hook => part == Part::Hook,
        Part::Owners => false,
    }
}

/// Whether a pipeline runs since the change what a file holds: the targets of a makefile, the scripts of a package.
fn is_run_by(file: &FileContext<'_>, pipeline: &FileContext<'_>) -> bool {
    let Some(new) = file.change.new.as_ref() else { return false };
    let name = String::from_utf8_lossy(new.path.file_name());
    let runners: &[&str] = match name.to_ascii_lowercase().as_str() {
        "makefile" | "gnumakefile" => &["make "],
        "justfile" | ".justfile" => &["just "],
        "taskfile.yml" | "taskfile.yaml" => &["task "],
        "package.json" => &["npm ", "yarn ", "pnpm ", "bun "],
        "tox.ini" => &["tox"],
        "noxfile.py" => &["nox"],
        "rakefile" => &["rake "],
        script if script.ends_with(".sh") => return adds(pipeline, name.as_bytes()),
        _ => &[],
    };
    runners.iter().any(|runner| adds(pipeline, runner.as_bytes()))
}

/// Neither empty nor a comment.
pub(super) fn is_code(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    !line.is_empty() && !line.starts_with(b"#") && !line.starts_with(b"//")
}
