use std::borrow::Cow;

use domain::change::{FileSide, Mode, Oid};
use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use crate::context::{AddedLine, FileContext};
use crate::reporter::{Draft, Reporter};
use crate::rule::{FileRule, Interest, Reach, RuleInfo, text};

static INFO: RuleInfo = RuleInfo {
    id: text("submodule-moved"),
    title: text("A submodule that was added or moved to another commit"),
    why: text("What changed inside the submodule is not part of this change, and nobody reviewed it here"),
    fix: text("Make sure that the submodule's own changes were reviewed where they were made"),
    severity: Severity::Low,
    category: Category::BestPractices,
    dimension: Dimension::PATTERN_CONSISTENCY,
    confidence: Confidence::High,
    languages: Cow::Borrowed(&[]),
    examples: Cow::Borrowed(&[]),
};

pub(crate) struct SubmoduleMoved;

impl FileRule for SubmoduleMoved {
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
        let Some(new) = file.change.new.as_ref().filter(|side| is_submodule(side)) else { return };
        let moved = match (file.change.old.as_ref().filter(|side| is_submodule(side)), commit(new)) {
            (Some(old), _) if old.oid.is_some() && old.oid == new.oid => return,
            (Some(old), to) => match (commit(old), to) {
                (Some(from), Some(to)) => format!("moves this submodule from {from} to {to}"),
                (_, Some(to)) => format!("moves this submodule to {to}"),
                (_, None) => "moves this submodule to another commit".to_owned(),
            },
            (None, Some(at)) => format!("adds this submodule at {at}"),
            (None, None) => "adds this submodule".to_owned(),
        };
        report.add(Draft::file(format!("The change {moved}; what is inside was not reviewed")));
    }
}

fn is_submodule(side: &FileSide) -> bool {
    side.mode == Mode::Submodule
}

fn commit(side: &FileSide) -> Option<&str> {
    side.oid.as_ref().map(Oid::short)
}
