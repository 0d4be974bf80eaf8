use std::borrow::Cow;

use domain::change::Status;
use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use crate::context::{ChangeContext, FileContext};
use crate::reporter::{Draft, Reporter};
use crate::rule::{ChangeRule, RuleInfo, text};

static INFO: RuleInfo = RuleInfo {
    id: text("snapshot-rerecorded"),
    title: text("Snapshots that were recorded anew together with the code"),
    why: text("A recorded snapshot agrees with whatever the code does, right or wrong"),
    fix: text("Read the difference of the snapshot as if it were code, and keep only what was asked for"),
    severity: Severity::Low,
    category: Category::Testing,
    dimension: Dimension::TEST_QUALITY,
    confidence: Confidence::Medium,
    languages: Cow::Borrowed(&[]),
    examples: Cow::Borrowed(&[]),
};

pub(crate) struct SnapshotRerecorded;

impl ChangeRule for SnapshotRerecorded {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn check(&self, change: &ChangeContext<'_>, report: &mut Reporter<'_>) {
        let recorded: Vec<&FileContext<'_>> =
            change.files.iter().filter(|file| is_rerecorded(file)).collect();
        let Some(first) = recorded.first() else { return };
        let code = |file: &FileContext<'_>| {
            file.language.is_program()
                && !file.is_test_file()
                && file.skipped.is_none()
                && file.change.new.is_some()
        };
        if !change.files.iter().any(code) {
            return;
        }
        let message = match recorded.len() {
            1 => "This snapshot was recorded anew together with the code it is to hold to account".to_owned(),
            many => format!(
                "{many} snapshots were recorded anew together with the code they are to hold to account"
            ),
        };
        report.add_in(first.change, Draft::file(message));
    }
}

/// A snapshot that was there and lost a line. One that only grew records something new.
fn is_rerecorded(file: &FileContext<'_>) -> bool {
    let path = file.change.path();
    let name = String::from_utf8_lossy(path.file_name()).into_owned();
    let by_name = name.ends_with(".snap") || name.ends_with(".approved.txt") || name.contains(".golden");
    let by_folder =
        path.folders().any(|folder| [&b"__snapshots__"[..], b"__image_snapshots__"].contains(&folder));
    (by_name || by_folder)
        && matches!(file.change.status, Status::Modified | Status::Renamed(_))
        && file.change.removed().next().is_some()
}
