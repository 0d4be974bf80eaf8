use std::borrow::Cow;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::spot::{SCRIPT, Spot, first_spot, spot, written};
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};

static INFO: RuleInfo = RuleInfo {
    id: text("skipped-test"),
    title: text("A test that is switched off"),
    why: text("What the test guarded is unguarded from now on, and the run stays green"),
    fix: text("Make the test pass, or delete it; if it has to wait, give the reason in its marker"),
    severity: Severity::Major,
    category: Category::Testing,
    dimension: Dimension::TEST_QUALITY,
    confidence: Confidence::High,
    languages: Cow::Borrowed(&[
        Language::Rust,
        Language::Python,
        Language::JavaScript,
        Language::TypeScript,
        Language::Go,
        Language::Java,
        Language::Kotlin,
        Language::CSharp,
        Language::Ruby,
    ]),
    examples: Cow::Borrowed(&[
        Example::bad("src/a.rs", "#[test]\n#[ignore]\nfn a() { assert!(f()); }\n", &[2]),
        Example::good(
            "test_a.py",
            "@pytest.mark.skipif(WINDOWS, reason='posix only')\ndef test_a(): assert f()\n",
        ),
    ]),
};

static SKIPS: [Spot; 11] = [
    spot(&[Language::Rust], r"#\[ignore\b", "#[ignore]"),
    spot(&[Language::Python], r"@(?:pytest\.)?mark\.skip\b", "@pytest.mark.skip"),
    spot(&[Language::Python], r"@(?:pytest\.)?mark\.xfail\b", "@pytest.mark.xfail"),
    spot(&[Language::Python], r"@unittest\.(?:skip|expectedFailure)\b", "@unittest.skip"),
    spot(
        SCRIPT,
        r"(?:^|[^\w.$])((?:it|test|describe|context|suite)\.(?:skip|todo|fixme))(?:\.\w+)*\s*(?:<[^>\n]*>\s*)?[(`]",
        ".skip",
    ),
    spot(SCRIPT, r#"(?:^|[^\w.$])(xit|xdescribe|xtest|xcontext)\s*\(\s*["'`]"#, "xit"),
    spot(&[Language::Go], r"\b[tb]\.Skip(?:f|Now)?\(", "t.Skip"),
    spot(&[Language::Java, Language::Kotlin], r"@(?:Disabled|Ignore)(?:\s|\(|$)", "@Disabled"),
    spot(&[Language::CSharp], r"\[(?:\w+,\s*)*(Ignore)\b", "[Ignore]"),
    spot(&[Language::CSharp], r"\[(?:Fact|Theory)\(\s*(?:\w+\s*=[^,\n]*,\s*)?(Skip)\s*=", "Skip"),
    spot(&[Language::Ruby], r#"^\s*(xit|xdescribe|xcontext|xspecify|xexample)\b[ (]"#, "xit"),
];

/// A reason in the marker itself: `= "..."`, `reason="..."`, or a text in the parentheses.
static REASON: Pattern = Pattern::new(
    r#"#\[ignore\s*=\s*"[^"]*\w|reason\s*=\s*\w?["'][^"']*\w|(?:skip|@Disabled|\bIgnore|expectedFailure)\(\s*["'][^"']*\w|\bSkip\s*=\s*"[^"]*\w"#,
);

/// Playwright's `test.skip(condition, "why")`: what is skipped has no title here.
static CONDITION: Pattern = Pattern::new(r#"\.(?:skip|fixme)\(\s*[^"'`\s)][^\n]*,\s*["'`]"#);

pub(crate) struct SkippedTest;

impl FileRule for SkippedTest {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Literals {
            added: &[
                b"#[ignore",
                b"mark.skip",
                b"mark.xfail",
                b"unittest.skip",
                b"unittest.expectedFailure",
                b".skip",
                b".todo(",
                b".fixme(",
                b"xit(",
                b"xdescribe(",
                b"xtest(",
                b"xcontext(",
                b"@Disabled",
                b"@Ignore",
                b"Ignore",
                b"Skip",
                b"xspecify",
                b"xexample",
                b"xit ",
                b"xdescribe ",
                b"xcontext ",
            ],
            removed: &[],
        }
    }

    fn check(&self, file: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        if !INFO.languages.contains(&file.language) {
            return;
        }
        for line in hits {
            let Some((skip, at)) = first_spot(&SKIPS, file, line) else { continue };
            if file.language == Language::Go && is_conditional(file, line, at.start) {
                continue;
            }
            let name = if skip.what.starts_with('#') { skip.what.to_owned() } else { written(line, &at) };
            if name.ends_with(".todo") {
                let message = format!("`{name}` announces a test that nobody has written yet");
                report.add(Draft::line(line, message).severity(Severity::Minor));
                continue;
            }
            let draft = Draft::line(line, format!("`{name}` switches this test off"));
            let reasoned = if SCRIPT.contains(&file.language) {
                CONDITION.regex().is_match_at(line.text, at.start)
            } else {
                REASON.regex().is_match(line.text)
            };
            let draft = if reasoned { draft.severity(Severity::Minor) } else { draft };
            report.add(draft);
        }
    }
}

/// Whether the call stands in a block of its own inside the test: skipped under some condition only.
fn is_conditional(file: &FileContext<'_>, line: &AddedLine<'_>, at: usize) -> bool {
    let Some(head) = file.head() else { return true };
    let offset = head.start_of(line.number) + at;
    let Some(open) = head.brackets().around(head.code(), offset, b'{') else { return true };
    let opening = head.code_line(head.line_of(open));
    memchr::memmem::find(opening, b"func").is_none()
}
