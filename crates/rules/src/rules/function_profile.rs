use std::borrow::Cow;

use aho_corasick::AhoCorasick;
use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};
use domain::work::{Epic, FunctionProfile};

use super::parameters::arity;
use crate::context::{ChangeContext, FileContext};
use crate::language::Language;
use crate::lines::LONGEST_LINE;
use crate::mask::Kind;
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::rule::{ChangeRule, RuleInfo, text};

static INFO: RuleInfo = RuleInfo {
    id: text("function-profile"),
    title: text("A function that differs from what the epic agreed on"),
    why: text("Other tickets of the epic call it as agreed, and will not fit"),
    fix: text("Define the function with the agreed parameters, or change the agreement for all tickets"),
    severity: Severity::High,
    category: Category::BestPractices,
    dimension: Dimension::COORDINATION_COMPLIANCE,
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
        Language::Php,
        Language::Swift,
    ]),
    examples: Cow::Borrowed(&[]),
};

/// What stands in front of the name where it is defined, up to the name.
static RUST: Pattern = Pattern::new(r"\bfn\s+$");
static PYTHON: Pattern = Pattern::new(r"^\s*(?:async\s+)?def\s+$");
static FUNCTION: Pattern = Pattern::new(r"\bfunction\s*[&*]?\s*$");
static GO: Pattern = Pattern::new(r"^func\s+(?:\([^)]*\)\s*)?$");
static KOTLIN: Pattern = Pattern::new(r"\bfun\s+(?:<[^>]*>\s*)?(?:[\w<>]+\.)?$");
static SWIFT: Pattern = Pattern::new(r"\bfunc\s+$");
static TYPED: Pattern = Pattern::new(
    r"^\s*(?:(?:public|private|protected|internal|static|final|abstract|synchronized|default|async|override|virtual|sealed|native|partial)\s+)*(?:<[^>]*>\s*)?[A-Za-z_][\w.]*(?:<[\w<>\[\], ?.]*>)?(?:\[\])*\??\s+$",
);
static METHOD: Pattern = Pattern::new(
    r"^\s*(?:(?:export|default|public|private|protected|static|async|override|abstract|readonly|get|set)\s+)*(?:\*\s*)?$",
);
static ARROW: Pattern = Pattern::new(r"\b(?:const|let|var)\s+$");
static STATEMENT: Pattern =
    Pattern::new(r"^\s*(?:return|new|throw|else|await|case|yield|package|import|using|goto)\b");

/// How much of a line around a name is looked at. Nobody defines a function farther to the right.
const WIDEST: usize = 400;

pub(crate) struct FunctionProfiles;

impl ChangeRule for FunctionProfiles {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn check(&self, change: &ChangeContext<'_>, report: &mut Reporter<'_>) {
        let Some(epic) = &change.request.order.epic else { return };
        let names = epic.coordination.function_profiles.iter().map(|profile| profile.name.as_bytes());
        let Ok(search) = AhoCorasick::new(names) else { return };
        let code = change.files.iter().filter(|file| {
            file.skipped.is_none() && !file.is_test_file() && INFO.languages.contains(&file.language)
        });
        for file in code {
            check_file(file, epic, &search, report);
        }
    }
}

fn check_file(file: &FileContext<'_>, epic: &Epic, search: &AhoCorasick, report: &mut Reporter<'_>) {
    for line in file.added().filter(|line| line.text.len() <= LONGEST_LINE) {
        for hit in search.find_overlapping_iter(line.text) {
            let profile = &epic.coordination.function_profiles[hit.pattern().as_usize()];
            let before = &line.text[..hit.start()];
            let after = &line.text[hit.end()..line.text.len().min(hit.end() + WIDEST)];
            if before.len() > WIDEST {
                break;
            }
            if profile.name.is_empty() || !defines(file.language, before, after) {
                continue;
            }
            if file.kind(&line, hit.start()) != Some(Kind::Code) {
                continue;
            }
            let found = file
                .head()
                .and_then(|head| arity(head, file.language, head.start_of(line.number) + hit.end()));
            if let Some(found) = found.filter(|found| !found.accepts(profile.arity)) {
                report.add_in(file.change, Draft::line(&line, message(profile, &found.shown(), &epic.path)));
            }
        }
    }
}

fn message(profile: &FunctionProfile, found: &str, epic: &str) -> String {
    format!("`{}` takes {found} parameters, but {epic} specifies {}", profile.name, profile.arity)
}

fn defines(language: Language, before: &[u8], after: &[u8]) -> bool {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'$';
    if before.last().is_some_and(is_word) || after.first().is_some_and(is_word) {
        return false;
    }
    let after = after.trim_ascii_start();
    let called = after.starts_with(b"(") || after.starts_with(b"<") || after.starts_with(b"[");
    match language {
        Language::Rust => called && RUST.regex().is_match(before),
        Language::Python => called && PYTHON.regex().is_match(before),
        Language::Go => called && GO.regex().is_match(before),
        Language::Kotlin => called && KOTLIN.regex().is_match(before),
        Language::Swift => called && SWIFT.regex().is_match(before),
        Language::Php => called && FUNCTION.regex().is_match(before),
        Language::Java | Language::CSharp => {
            called && !STATEMENT.regex().is_match(before) && TYPED.regex().is_match(before)
        }
        Language::JavaScript | Language::TypeScript => {
            let opens_body =
                after.trim_ascii_end().ends_with(b"{") && !after.trim_ascii_end().ends_with(b"({");
            let arrow = after.starts_with(b"=") && memchr::memmem::find(after, b"=>").is_some();
            (called && FUNCTION.regex().is_match(before))
                || (called && opens_body && METHOD.regex().is_match(before))
                || (arrow && after.contains(&b'(') && ARROW.regex().is_match(before))
        }
        _ => false,
    }
}
