use std::borrow::Cow;
use std::collections::BTreeSet;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};
use domain::work::WorkItem;

use crate::context::{ChangeContext, FileContext};
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::rule::{ChangeRule, RuleInfo, text};

static INFO: RuleInfo = RuleInfo {
    id: text("outside-scope"),
    title: text("Work in folders that the ticket does not speak of; MEDIUM for files it says to leave alone"),
    why: text("Nobody ordered it, and whoever reviews the ticket does not expect it"),
    fix: text("Leave it out, or put it into a change of its own"),
    severity: Severity::Low,
    category: Category::Correctness,
    dimension: Dimension::REQUIREMENT_ADHERENCE,
    confidence: Confidence::Low,
    languages: Cow::Borrowed(&[]),
    examples: Cow::Borrowed(&[]),
};

static FOLDER: Pattern = Pattern::new(r"`((?:\./)?[\w.\-]+(?:/[\w.\-]+)*)/(?:\*\*?(?:/\*)?)?`");
pub(crate) struct OutsideScope;

/// A summary has to stay one.
const MOST_LISTED: usize = 5;

impl ChangeRule for OutsideScope {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn check(&self, change: &ChangeContext<'_>, report: &mut Reporter<'_>) {
        let Some(item) = change.request.order.item() else { return };
        tell_forbidden(change, item, report);
        let folders = folders(item);
        if folders.is_empty() || folders.contains("") {
            return;
        }
        let is_code = |file: &&FileContext<'_>| {
            file.language.is_program()
                && !file.is_test_file()
                && file.skipped.is_none()
                && file.change.new.is_some()
        };
        let (inside, outside): (Vec<_>, Vec<_>) = change
            .files
            .iter()
            .filter(is_code)
            .filter_map(|file| file.change.path().to_str())
            .partition(|path| folders.iter().any(|folder| is_near(folder_of(path), folder)));
        if inside.is_empty() || outside.is_empty() {
            return;
        }
        let mut listed = outside.iter().take(MOST_LISTED).copied().collect::<Vec<_>>().join(", ");
        if outside.len() > MOST_LISTED {
            listed.push_str(&format!(" and {} more", outside.len() - MOST_LISTED));
        }
        report
            .add(Draft::summary(format!("{} does not speak of what else was changed: {listed}", item.path)));
    }
}

/// Where the ticket says that there is something to do.
fn folders(item: &WorkItem) -> BTreeSet<String> {
    let named = FOLDER.regex().captures_iter(item.text.as_bytes());
    let named = named.map(|groups| String::from_utf8_lossy(&groups[1]).into_owned());
    let named = named.filter(|folder| !item.left_alone.contains(folder));
    let plain = |path: String| path.strip_prefix("./").map(str::to_owned).unwrap_or(path);
    let of_files = item.files.iter().map(|file| folder_of(file).to_owned());
    named.chain(of_files).map(plain).collect()
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// In the folder, below it, or on the way to it: what is new has to be announced above.
fn is_near(place: &str, folder: &str) -> bool {
    let below = |inner: &str, outer: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    place.is_empty() || below(place, folder) || below(folder, place)
}

fn tell_forbidden(change: &ChangeContext<'_>, item: &WorkItem, report: &mut Reporter<'_>) {
    for file in change.files.iter().filter(|_| !item.left_alone.is_empty()) {
        let Some(path) = file.change.path().to_str() else { continue };
        let hit = item.left_alone.iter().find(|name| {
            let name = name.strip_prefix("./").unwrap_or(name);
            path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        if let Some(name) = hit {
            let message =
                format!("{} says to leave `{name}` alone, and the change touches this file", item.path);
            let draft = Draft::file(message).severity(Severity::Medium).confidence(Confidence::Medium);
            report.add_in(file.change, draft);
        }
    }
}
