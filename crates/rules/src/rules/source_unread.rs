use std::borrow::Cow;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::not_written::was_generated;
use crate::context::{AddedLine, FileContext};
use crate::reporter::{Draft, Reporter};
use crate::rule::{FileRule, Interest, RuleInfo, text};
use crate::syntax;

static INFO: RuleInfo = RuleInfo {
    id: text("source-unread"),
    title: text(
        "Source code that cannot be read as code, so that most rules see nothing in it: too long a line, too deep or too \
         large; LOW where it was so before, or the base says that the file is generated",
    ),
    why: text("Whatever stands in the file would pass unseen"),
    fix: text("Break the line, or split the file; if it is generated, say so in .gitattributes of the base"),
    severity: Severity::Major,
    category: Category::Security,
    dimension: Dimension::SECURITY_PERFORMANCE,
    confidence: Confidence::High,
    languages: Cow::Borrowed(&[]),
    examples: Cow::Borrowed(&[]),
};

/// The last to be asked, when it is known what the others could not have parsed.
pub(crate) struct SourceUnread;

impl FileRule for SourceUnread {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Every
    }

    fn check(&self, file: &FileContext<'_>, _: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        if file.has_lost_track() {
            let message = "There are too many values in this file to follow where each comes from";
            report.add(Draft::file(message));
        }
        // What nobody wanted to parse was not missed.
        let Some(head) = file.unparsed().filter(|_| file.added().next().is_some()) else { return };
        let why = syntax::refusal(head.text()).unwrap_or("takes the parser too long");
        let draft = Draft::file(format!("Most rules could not look into this file: it {why}"));
        let was_so = file.base().is_some() && file.base_tree().is_none();
        // Long texts are common in tests, and what is dangerous in programs is mostly silent there. Nothing else excuses a new
        // file: what looks minified can hold anything.
        let is_new_test = file.base().is_none() && file.is_test_file();
        report.add(if was_so || is_new_test || was_generated(file) {
            draft.severity(Severity::Low)
        } else {
            draft
        });
    }
}
