use std::borrow::Cow;

use domain::change::Content;
use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::reporter::{Draft, Reporter};
use crate::rule::{FileRule, Interest, Reach, RuleInfo, text};

static INFO: RuleInfo = RuleInfo {
    id: text("source-as-binary"),
    title: text("Source code that a diff cannot show"),
    why: text("The file compiles or runs, but nobody can see in a diff what it does"),
    fix: text("Store the file as UTF-8 without NUL bytes, and take away any attribute that hides its diff"),
    severity: Severity::High,
    category: Category::Security,
    dimension: Dimension::SECURITY_PERFORMANCE,
    confidence: Confidence::High,
    languages: Cow::Borrowed(&[]),
    examples: Cow::Borrowed(&[]),
};

pub(crate) struct SourceAsBinary;

impl FileRule for SourceAsBinary {
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
        let Content::Binary = file.change.content else { return };
        let runs = file.language.is_program()
            || matches!(file.language, Language::Shell | Language::PowerShell | Language::Sql);
        if !runs || is_unchanged(file) {
            return;
        }
        let message = format!("This {} file changed, but git shows it as binary", file.language.as_str());
        let draft = Draft::file(message);
        report.add(if file.is_test_file() { draft.severity(Severity::Low) } else { draft });
    }
}

/// Deleted, or only renamed.
fn is_unchanged(file: &FileContext<'_>) -> bool {
    let content = |side: &Option<domain::change::FileSide>| side.as_ref().and_then(|side| side.oid.clone());
    let (old, new) = (content(&file.change.old), content(&file.change.new));
    file.change.new.is_none() || (old.is_some() && old == new)
}
