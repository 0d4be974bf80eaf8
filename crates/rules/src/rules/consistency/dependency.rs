use std::borrow::Cow;
use std::collections::HashSet;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::manifest::{dependencies, index_of};
use crate::context::{AddedLine, FileContext};
use crate::reporter::{Draft, Reporter};
use crate::rule::{FileRule, Interest, RuleInfo, text};

static INFO: RuleInfo = RuleInfo {
    id: text("duplicate-dependency"),
    title: text("A new dependency for a job that another one does already"),
    why: text("Two ways to do one thing: both have to be known, updated and shipped"),
    fix: text("Use the one that is there, or replace it everywhere"),
    severity: Severity::Medium,
    category: Category::BestPractices,
    dimension: Dimension::PATTERN_CONSISTENCY,
    confidence: Confidence::Low,
    languages: Cow::Borrowed(&[]),
    examples: Cow::Borrowed(&[]),
};

pub(crate) struct DuplicateDependency;

impl FileRule for DuplicateDependency {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Every
    }

    fn check(&self, file: &FileContext<'_>, _: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        let path = file.change.path();
        let Some(index) = index_of(path).filter(|_| file.change.old.is_some()) else { return };
        let (Some(base), Some(head)) = (file.base(), file.head()) else { return };
        let before: HashSet<String> =
            dependencies(path, index, base.text()).into_iter().map(|one| one.name).collect();
        let now = dependencies(path, index, head.text());
        let kept: HashSet<&str> =
            now.iter().map(|one| one.name.as_str()).filter(|name| before.contains(*name)).collect();
        for new in
            now.iter().filter(|one| !before.contains(&one.name) && file.touched_lines().is_added(one.line))
        {
            let present = index
                .groups()
                .iter()
                .filter_map(|group| Some((group.job, group.another(&new.name, |name| kept.contains(name))?)));
            if let Some((job, present)) = present.into_iter().next() {
                let message = format!("`{}` is for {job}, for which `{present}` is there already", new.name);
                report.add(Draft::lines(head, new.line, new.line, message));
            }
        }
    }
}
