use std::borrow::Cow;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::reporter::{Draft, Reporter};
use crate::rule::{FileRule, Interest, RuleInfo, text};
use crate::source::Source;
use crate::syntax;

static INFO: RuleInfo = RuleInfo {
    id: text("source-unread"),
    title: text(
        "Source code that cannot be read as code, so that most rules see nothing in it: too long a line, too deep or too \
         large; LOW where it was so before",
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
        // What nobody wanted to parse was not missed.
        let Some(head) = file.unparsed().filter(|_| file.added().next().is_some()) else { return };
        let why = syntax::refusal(head.text()).unwrap_or("takes the parser too long");
        let draft = Draft::file(format!("Most rules could not look into this file: it {why}"));
        let was_so = file.base().is_some() && file.base_tree().is_none();
        let is_excused = file.base().is_none() && (file.is_test_file() || is_made_by_machine(file, head));
        report.add(if was_so || is_excused { draft.severity(Severity::Low) } else { draft });
    }
}

/// A new file that is code all through, and of a kind that programs write: minified, or a table of a million bytes.
/// What is hidden behind a long comment or a long text is none.
fn is_made_by_machine(file: &FileContext<'_>, head: &Source) -> bool {
    let solid = |text: &[u8]| text.iter().filter(|byte| !byte.is_ascii_whitespace()).count();
    let is_code = solid(head.code()) * 2 > solid(head.text());
    let is_minified = matches!(file.language, Language::JavaScript | Language::TypeScript);
    is_code && (is_minified || head.text().len() > syntax::LARGEST)
}
