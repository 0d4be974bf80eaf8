//! Files that coding agents obey, and files that run code when the folder is opened.

mod paths;

use std::borrow::Cow;

use domain::review::{Confidence, STEERING_RULE, SkipReason};
use domain::words::{Category, Dimension, Severity};

use self::paths::{Effect, Steering, steering};
use crate::context::{AddedLine, FileContext};
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::rule::{FileRule, Interest, Reach, RuleInfo, text};

static INFO: RuleInfo = RuleInfo {
    id: text(STEERING_RULE),
    title: text(
        "A file that steers coding agents or runs code when the folder is opened: HIGH where it runs code, else LOW",
    ),
    why: text(
        "Agents and editors follow the file on the machine of everybody who opens the folder, with that person's rights",
    ),
    fix: text(
        "Have a person read the file as code that runs on every machine and accept it; the change itself cannot",
    ),
    severity: Severity::High,
    category: Category::Security,
    dimension: Dimension::SECURITY_PERFORMANCE,
    confidence: Confidence::High,
    languages: Cow::Borrowed(&[]),
    examples: Cow::Borrowed(&[]),
};

/// Settings of an editor that name a program, or let it start without a question.
static PROGRAM_SETTING: Pattern = Pattern::new(
    r#"(?i)"(?:[^"]*(?:interpreter|executable|command|shell|profiles?|binary|server|path|args|env)[^"]*|task\.allowAutomaticTasks|[^"]*autoApprove[^"]*|security\.workspace\.trust[^"]*|tasks)"\s*:"#,
);

pub(crate) struct AgentSteering;

impl FileRule for AgentSteering {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Every
    }

    fn reach(&self) -> Reach {
        Reach::Everything
    }

    fn check(&self, file: &FileContext<'_>, _: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        let Some(new) = file.change.new.as_ref().filter(|_| file.skipped != Some(SkipReason::Vendored))
        else {
            return;
        };
        let Some(Steering { what, effect, .. }) = steering(&new.path) else { return };
        let verb = if file.change.old.is_none() { "adds" } else { "edits" };
        let draft = match effect {
            Effect::Runs => {
                Draft::file(format!("The change {verb} {what}: it runs code when the folder is opened"))
            }
            Effect::RunsPrograms if names_a_program(file) => {
                Draft::file(format!("The change {verb} {what}: they name a program that is run"))
            }
            Effect::RunsPrograms => return,
            Effect::Instructs => Draft::file(format!("The change {verb} {what}: coding agents follow it"))
                .severity(Severity::Low)
                .fix("Read it as orders that agents will follow in this repository"),
        };
        // Editors and agents do not open fixtures.
        report.add(if file.is_test_file() { draft.severity(Severity::Low) } else { draft });
    }
}

/// What no diff shows may name anything.
fn names_a_program(file: &FileContext<'_>) -> bool {
    file.skipped == Some(SkipReason::Binary)
        || file.added().any(|line| PROGRAM_SETTING.regex().is_match(line.text))
}
