use std::borrow::Cow;

use domain::change::RepoPath;
use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::looser::{Looser, looser};
use super::scripts::idle_script;
use super::settings::{is_settings, less};
use super::unset::Linters;
use crate::context::{ChangeContext, FileContext};
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

/// A failure that is not one any more.
static EXCUSED: Pattern = Pattern::new(
    r"(?i)^\s*-?\s*(?:continue-on-error\s*:\s*true|allow_failure\s*:\s*true|allow-failure\s*:\s*true|if\s*:\s*(?:false|\$\{\{\s*false\s*\}\})\s*$|when\s*:\s*never|continueOnError\s*:\s*true)|\|\|\s*(?:true|:|exit 0)\s*[')]*$|--no-verify|\bset \+e\b|catchError|\bexit 0\s*$",
);

/// A step that looks for mistakes.
static CHECKING: Pattern = Pattern::new(
    r"(?i)\b(?:cargo (?:test|nextest|clippy|fmt|deny|audit)|(?:npm|pnpm|yarn|bun) (?:run )?(?:test|lint|check|typecheck|audit)|pytest|tox|nox|ruff|mypy|eslint|go (?:test|vet)|golangci-lint|mvn\b.*\b(?:test|verify)|gradlew? .*\b(?:test|check)|make (?:test|check|lint)|dotnet test|phpunit|rspec|rubocop|bundle exec|shellcheck|semgrep|codeql|gitleaks|trivy|countersign|pre-commit)",
);

/// What starts a workflow of GitHub for every change.
static STARTED: Pattern =
    Pattern::new(r"(?m)^[^#\n]*\b(?:push|pull_request|pull_request_target|merge_group|workflow_call)\b");

/// Watches what decides over changes besides the policy: pipelines, hooks, owners.
pub(crate) struct ChecksChanged;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Pipeline,
    Hook,
    Owners,
}

impl Part {
    fn of(path: &RepoPath) -> Option<Self> {
        const PIPELINES: [&str; 10] = [
            ".gitlab-ci.yml",
            ".gitlab-ci.yaml",
            "Jenkinsfile",
            ".travis.yml",
            "azure-pipelines.yml",
            "bitbucket-pipelines.yml",
            ".drone.yml",
            ".woodpecker.yml",
            "appveyor.yml",
            ".cirrus.yml",
        ];
        const PIPELINE_FOLDERS: [&str; 6] = [
            ".github/workflows/",
            ".github/actions/",
            ".gitlab/ci/",
            ".circleci/",
            ".buildkite/",
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
        for file in change.files {
            let sides = [&file.change.old, &file.change.new].into_iter().flatten();
            if let Some(part) = sides.clone().find_map(|side| Part::of(&side.path)) {
                tell(change, file, part, report);
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
    if sides.any(|side| is_settings(side.path.file_name()))
        && let Some(line) = less(file)
    {
        return Some(Draft::line(&line, message));
    }
    if file.change.old.is_none() || file.skipped.is_some() {
        return None;
    }
    if let Some(line) = idle_script(file) {
        let message = "The change makes a script that checks do nothing";
        return file.head().map(|head| Draft::lines(head, line, line, message));
    }
    match looser(file) {
        Some(Looser::Now(line)) => Some(Draft::lines(file.head()?, line, line, message)),
        // What is asked for elsewhere now is compared by nobody, and told by nobody.
        Some(Looser::Before(_)) if linters.takes_over(file) => None,
        Some(Looser::Before(line)) => Some(Draft::removed(file.base()?, line, message)),
        None => linters.is_unset(file).then(|| Draft::file("The change takes the settings of a linter away")),
    }
}

fn tell(change: &ChangeContext<'_>, file: &FileContext<'_>, part: Part, report: &mut Reporter<'_>) {
    let here = file.change.new.as_ref().is_some_and(|side| Part::of(&side.path).is_some());
    if !here {
        let (message, severity) = match removed(change, file, part) {
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
    let excuse = file.added().find(|line| is_code(line.text) && EXCUSED.regex().is_match(line.text));
    if let Some(line) = excuse.filter(|_| part != Part::Owners) {
        let message = format!("The change lets {} pass although something failed", part.as_str());
        report.add_in(file.change, Draft::line(&line, message).severity(Severity::High));
        return;
    }
    let lost = file.change.removed().find(|(_, line)| is_code(line) && is_lost(change, file, part, line));
    match (lost, file.base()) {
        (Some((number, line)), Some(base)) => {
            let shown = String::from_utf8_lossy(line.trim_ascii()).chars().take(120).collect::<String>();
            let message = format!("The change takes `{shown}` out of {}", part.as_str());
            report.add_in(file.change, Draft::removed(base, number, message).severity(Severity::High));
        }
        _ if file.change.old.is_some() && file.change.removed().next().is_some() => {
            let message = format!("The change edits {}", part.as_str());
            report.add_in(file.change, Draft::file(message));
        }
        _ => {}
    }
}

/// What became of the checks of a part that is gone as a whole.
enum Removed {
    Lost,
    /// Other parts do all that it did.
    Moved,
    /// It was started by something else than a change, and looked for no mistakes.
    Harmless,
}

fn removed(change: &ChangeContext<'_>, file: &FileContext<'_>, part: Part) -> Removed {
    let Some(base) = file.base().filter(|_| part != Part::Owners) else { return Removed::Lost };
    let lines = base.text().split(|byte| *byte == b'\n').filter(|line| is_code(line));
    let checks: Vec<&[u8]> = lines.filter(|line| CHECKING.regex().is_match(line)).take(MOST_CHECKS).collect();
    let of_github = file.change.path().as_bytes().starts_with(b".github/workflows/");
    match checks.as_slice() {
        [] if of_github && !STARTED.regex().is_match(base.text()) => Removed::Harmless,
        [] => Removed::Lost,
        all if all.iter().all(|line| !is_lost(change, file, part, line)) => Removed::Moved,
        _ => Removed::Lost,
    }
}

/// A pipeline with more is not written by hand.
const MOST_CHECKS: usize = 200;

fn adds(file: &FileContext<'_>, word: &[u8]) -> bool {
    file.added().any(|new| is_code(new.text) && memchr::memmem::find(new.text, word).is_some())
}

/// A check, or an owner, that no added line names again.
fn is_lost(change: &ChangeContext<'_>, file: &FileContext<'_>, part: Part, line: &[u8]) -> bool {
    match part {
        Part::Owners => {
            let pattern = line.split(u8::is_ascii_whitespace).find(|word| !word.is_empty());
            pattern.is_some_and(|pattern| !adds(file, pattern))
        }
        Part::Pipeline | Part::Hook => CHECKING.regex().find(line).is_some_and(|step| {
            let mut others =
                change.files.iter().filter(|other| takes_over(other, part) || is_run_by(other, file));
            !adds(file, step.as_bytes()) && !others.any(|other| adds(other, step.as_bytes()))
        }),
    }
}

/// Whether what a part asked for may have moved to this file: it decides over the same changes, or over all.
fn takes_over(file: &FileContext<'_>, part: Part) -> bool {
    let Some(here) = file.change.new.as_ref().and_then(|side| Part::of(&side.path)) else { return false };
    let runs = || file.head().is_some_and(|head| STARTED.regex().is_match(head.text()));
    match here {
        Part::Pipeline => !file.change.path().as_bytes().starts_with(b".github/workflows/") || runs(),
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

fn is_code(line: &[u8]) -> bool {
    !line.trim_ascii_start().starts_with(b"#") && !line.trim_ascii().is_empty()
}
