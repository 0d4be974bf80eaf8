use std::borrow::Cow;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use crate::context::{AddedLine, FileContext};
use crate::mask::Kind;
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};

static INFO: RuleInfo = RuleInfo {
    id: text("todo-comment"),
    title: text("A note of open work without a ticket"),
    why: text("Nobody is reminded of a note in the code; work without a ticket is not done"),
    fix: text("Do it now, or name the ticket that will"),
    severity: Severity::Minor,
    category: Category::BestPractices,
    dimension: Dimension::PATTERN_CONSISTENCY,
    confidence: Confidence::High,
    languages: Cow::Borrowed(&[]),
    examples: Cow::Borrowed(&[
        Example::bad("src/a.rs", "// TODO: handle errors\nfn a() {}\n", &[1]),
        Example::good("src/a.rs", "// TODO(#12): handle errors\nfn a() {}\n"),
        Example::good(
            "src/a.rs",
            "// TODO(b/12345): handle errors\n// TODO (4711): and these\n// FIXME: gh-12, see bug 3\nfn a() {}\n",
        ),
        Example::bad("src/a.rs", "// TODO: support utf-8 (3 ways)\nfn a() {}\n", &[1]),
        Example::good("src/a.py", "label = '# TODO: later'\n"),
    ]),
};

/// As the first word of a comment, or with a colon or a parenthesis behind it.
static NOTE: Pattern = Pattern::new(
    r"(?:(?://+!?|#+|/\*+!?|\*|--|<!--|;+|%+)\s*@?(TODO|FIXME|XXX|HACK)(?:[^\w-]|$))|(?:\b(TODO|FIXME|XXX|HACK)[:(])",
);
static TICKET: Pattern = Pattern::new(
    r"#\d+|\b[A-Z][A-Z0-9_]+-\d+\b|https?://|(?i:\b(?:issues?|tickets?|bugs?)[ /:-]*#?\d+|\b(?:gh|bpo|jira|rust|llvm)-?\d+)|\bb/\d+|(?:TODO|FIXME|XXX|HACK) ?[(\[]\d{2,}[)\]]",
);

pub(crate) struct TodoComment;

impl FileRule for TodoComment {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Literals { added: &[b"TODO", b"FIXME", b"XXX", b"HACK"], removed: &[] }
    }

    fn check(&self, file: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        if !file.language.has_comments() {
            return;
        }
        for line in hits {
            let note = NOTE.regex().captures_iter(line.text).find_map(|groups| {
                let word = groups.get(1).or_else(|| groups.get(2))?;
                (file.kind(line, word.start()) == Some(Kind::Comment)).then(|| word.as_bytes().to_vec())
            });
            if let Some(word) = note.filter(|_| !TICKET.regex().is_match(line.text)) {
                let word = String::from_utf8_lossy(&word).into_owned();
                report.add(Draft::line(line, format!("This {word} names no ticket")));
            }
        }
    }
}
