use std::borrow::Cow;

use domain::change::RepoPath;
use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};
use domain::work::Epic;

use super::listed;
use super::places::Places;
use crate::context::{ChangeContext, FileContext};
use crate::reporter::{Draft, Reporter};
use crate::rule::{ChangeRule, RuleInfo, text};

static INFO: RuleInfo = RuleInfo {
    id: text("directory-structure"),
    title: text("A new file outside every place that the epic lists"),
    why: text(
        "The tickets of the epic agreed on where things are; what lies elsewhere is not found, or is built twice",
    ),
    fix: text("Move the file to one of the listed places or update epic coordination requirements"),
    severity: Severity::High,
    category: Category::BestPractices,
    dimension: Dimension::COORDINATION_COMPLIANCE,
    confidence: Confidence::High,
    languages: Cow::Borrowed(&[]),
    examples: Cow::Borrowed(&[]),
};

/// Looks at files that the change adds or moves.
///
/// A test file is fine outside the places if it mirrors what is inside: if one of its folders is called like a listed
/// place, or if a file of the change that is where it belongs has the same name without the marks of a test. Other
/// test files outside are a remark, not more, since epics rarely list where tests go. Lock files, generated and
/// vendored ones, the epic and its tickets may be anywhere.
pub(crate) struct DirectoryStructure;

impl ChangeRule for DirectoryStructure {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn check(&self, change: &ChangeContext<'_>, report: &mut Reporter<'_>) {
        let Some(epic) = &change.request.order.epic else { return };
        let listed_paths = &epic.coordination.directory_structure;
        if listed_paths.is_empty() {
            return;
        }
        let places = Places::of(listed_paths.iter().map(|place| place.path.as_str()));
        let names: Vec<String> = listed_paths.iter().map(|place| format!("`{}`", place.path)).collect();
        for file in change.files.iter().filter(|file| file.skipped.is_none()) {
            let Some(path) =
                file.new_path().filter(|path| !places.hold(path) && !is_order(change, epic, path))
            else {
                continue;
            };
            if file.is_test_file() && mirrors(change, &places, path) {
                continue;
            }
            let message =
                format!("{path} is outside the directory structure of the epic: {}", listed(&names));
            let draft = Draft::file(message);
            report.add_in(
                file.change,
                if file.is_test_file() { draft.severity(Severity::Medium) } else { draft },
            );
        }
    }
}

/// The documents the work is ordered with.
fn is_order(change: &ChangeContext<'_>, epic: &Epic, path: &RepoPath) -> bool {
    let order = change.request.order;
    let items = [&order.ticket, &order.story].into_iter().flatten().map(|item| item.path.as_str());
    let shown = path.to_string();
    items.chain([epic.path.as_str()]).any(|known| known == shown || known.ends_with(&format!("/{shown}")))
}

fn mirrors(change: &ChangeContext<'_>, places: &Places, test: &RepoPath) -> bool {
    let folders: Vec<&[u8]> = test.folders().collect();
    let stem = tested_stem(test);
    let belongs = |file: &FileContext<'_>| {
        file.change.new.as_ref().is_some_and(|side| {
            !file.is_test_file() && places.hold(&side.path) && plain_stem(&side.path) == stem
        })
    };
    places.names().any(|name| folders.contains(&name.as_bytes())) || change.files.iter().any(belongs)
}

fn plain_stem(path: &RepoPath) -> String {
    let name = String::from_utf8_lossy(path.file_name()).to_lowercase();
    name.split('.').next().unwrap_or_default().replace(['_', '-'], "")
}

/// `login` of `test_login.py`, `LoginTest.java`, `login.spec.ts`.
fn tested_stem(path: &RepoPath) -> String {
    let stem = plain_stem(path);
    let stem = stem.strip_prefix("test").unwrap_or(&stem);
    let ends = ["tests", "testcase", "test", "spec", "it"];
    ends.iter().find_map(|end| stem.strip_suffix(end)).unwrap_or(stem).to_owned()
}
