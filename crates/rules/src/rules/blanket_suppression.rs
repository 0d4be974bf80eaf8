use std::borrow::Cow;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::mask::Kind;
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};

static INFO: RuleInfo = RuleInfo {
    id: text("blanket-suppression"),
    title: text("A comment that silences a checker without saying of what, or for a whole file"),
    why: text("It hides what is wrong today, and whatever will be wrong there later"),
    fix: text("Mend what the checker says, or name the one check that is wrong here"),
    severity: Severity::Medium,
    category: Category::BestPractices,
    dimension: Dimension::PATTERN_CONSISTENCY,
    confidence: Confidence::High,
    languages: Cow::Borrowed(&[
        Language::Python,
        Language::JavaScript,
        Language::TypeScript,
        Language::Rust,
        Language::Go,
        Language::Ruby,
    ]),
    examples: Cow::Borrowed(&[
        Example::bad("src/a.py", "value = load()  # type: ignore\n", &[1]),
        Example::good("src/a.py", "value = load()  # type: ignore[no-any-return]\n"),
    ]),
};

/// How a language silences its checkers.
struct Silence {
    languages: &'static [Language],
    pattern: Pattern,
    reach: Reach,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    File,
    Line,
}

const SCRIPT: &[Language] = &[Language::JavaScript, Language::TypeScript];

const fn silence(languages: &'static [Language], reach: Reach, pattern: &'static str) -> Silence {
    Silence { languages, reach, pattern: Pattern::new(pattern) }
}

static SILENCES: [Silence; 9] = [
    silence(
        &[Language::Python],
        Reach::File,
        r"(?i)#\s*(?:(?:ruff|flake8)\s*:\s*noqa\s*(?:#.*)?$|mypy\s*:\s*ignore-errors\b|pylint\s*:\s*(?:disable\s*=\s*all\b|skip-file\b))",
    ),
    silence(&[Language::Python], Reach::Line, r"(?i)#\s*(?:type\s*:\s*ignore|noqa)\s*(?:#.*)?$"),
    silence(SCRIPT, Reach::File, r"/\*\s*eslint-disable\s*(?:--.*)?\*/|//\s*@ts-nocheck\b"),
    silence(SCRIPT, Reach::Line, r"//\s*eslint-disable-(?:next-)?line\s*(?:--.*)?$"),
    silence(&[Language::Rust], Reach::File, r"#!\[allow\((?:[\w:]+,\s*)*(?:warnings|clippy::all)\b"),
    silence(&[Language::Rust], Reach::Line, r"#\[allow\((?:[\w:]+,\s*)*(?:warnings|clippy::all)\b"),
    silence(&[Language::Go], Reach::Line, r"//\s?nolint(?::all)?\s*(?://.*)?$"),
    silence(&[Language::Go], Reach::File, r"//\s?lint:file-ignore\s+(?:\*|ST\*|SA\*)"),
    silence(&[Language::Ruby], Reach::File, r"#\s*rubocop:(?:disable|todo)\s*(?:all\b|$)"),
];

pub(crate) struct BlanketSuppression;

impl FileRule for BlanketSuppression {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Literals {
            added: &[
                b"noqa",
                b"ignore",
                b"pylint",
                b"eslint-disable",
                b"@ts-nocheck",
                b"[allow(",
                b"nolint",
                b"rubocop:",
            ],
            removed: &[],
        }
    }

    fn check(&self, file: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        let own: Vec<&Silence> =
            SILENCES.iter().filter(|silence| silence.languages.contains(&file.language)).collect();
        if own.is_empty() {
            return;
        }
        let said = |text: &[u8]| {
            own.iter().find_map(|silence| Some((silence.reach, silence.pattern.regex().find(text)?.range())))
        };
        // One that was there already only stands elsewhere, or beside other code.
        let mut known = file.change.removed().filter(|(_, line)| said(line).is_some()).count();
        for line in hits {
            let Some((reach, at)) = said(line.text).filter(|(_, at)| counts(file, line, at.start)) else {
                continue;
            };
            if known > 0 {
                known -= 1;
                continue;
            }
            // In a test, what one line says to a checker matters little.
            if reach == Reach::Line && file.in_test(line.number) {
                continue;
            }
            let shown =
                String::from_utf8_lossy(line.text.get(at).unwrap_or_default().trim_ascii()).into_owned();
            let message = match reach {
                Reach::File => format!("`{shown}` silences a checker for all that follows"),
                Reach::Line => format!("`{shown}` silences a checker without saying of what"),
            };
            report.add(Draft::line(line, message));
        }
    }
}

/// An attribute of Rust is code; everything else is a comment.
fn counts(file: &FileContext<'_>, line: &AddedLine<'_>, at: usize) -> bool {
    let wanted = if file.language == Language::Rust { Kind::Code } else { Kind::Comment };
    file.kind(line, at) == Some(wanted)
}
