use std::borrow::Cow;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::spot::{SCRIPT, Spot, first_spot, spot, written};
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};

static INFO: RuleInfo = RuleInfo {
    id: text("focused-test"),
    title: text("A test that silences all the others"),
    why: text("Every other test of the file is skipped without a word, and the run is green"),
    fix: text("Remove the focus"),
    severity: Severity::Major,
    category: Category::Testing,
    dimension: Dimension::TEST_QUALITY,
    confidence: Confidence::High,
    languages: Cow::Borrowed(&[Language::JavaScript, Language::TypeScript]),
    examples: Cow::Borrowed(&[
        Example::bad("a.test.js", "it.only('works', () => { expect(1).toBe(1); });\n", &[1]),
        Example::good("a.test.js", "it('works', () => { expect(1).toBe(1); });\n"),
    ]),
};

static FOCUSES: [Spot; 2] = [
    spot(
        SCRIPT,
        r"(?:^|[^\w.$])((?:it|test|describe|context|suite|specify)(?:\.\w+)?\.only)(?:\.each)?\s*[(`]",
        ".only",
    ),
    spot(SCRIPT, r#"(?:^|[^\w.$])(fit|fdescribe|fcontext)\s*\(\s*["'`]"#, "fit"),
];

pub(crate) struct FocusedTest;

impl FileRule for FocusedTest {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Literals { added: &[b".only", b"fit(", b"fdescribe", b"fcontext"], removed: &[] }
    }

    fn check(&self, file: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        if !SCRIPT.contains(&file.language) {
            return;
        }
        for line in hits {
            if let Some((_, at)) = first_spot(&FOCUSES, file, line) {
                let message =
                    format!("`{}` makes the runner skip every other test of this file", written(line, &at));
                report.add(Draft::line(line, message));
            }
        }
    }
}
