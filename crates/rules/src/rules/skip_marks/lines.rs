//! The same, as single lines say it: for whoever wants to know of each of them, under whatever condition and for whatever
//! reason it switches tests off.

use super::native::narrows;
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::pattern::Pattern;
use crate::source::Source;

static PYTHON: Pattern = Pattern::new(
    r"\bpytest\.(?:skip|xfail|importorskip|exit)\s*\(|\bmark\.(?:skip|skipif|xfail)\b|\bskipTest\s*\(|\bSkipTest\b|@(?:unittest\.)?(?:skip|skipIf|skipUnless|expectedFailure)\b|\bpytestmark\b.*\b(?:skip|xfail)|\b__test__\s*=|\bcollect_ignore(?:_glob)?\b|^(?:if|while)\s+(?:False|0|None|not\s+True)\b|^\s*del\s+[Tt]est",
);
static RUST: Pattern =
    Pattern::new(r"#\[\s*ignore\b|\bcfg_attr\([^)]*,\s*ignore\b|#\[cfg\((?:any\(\)|not\(test\)|never|FALSE)");
static SCRIPT: Pattern = Pattern::new(
    r"(?:^|[^\w.$])(?:(?:it|test|describe|context|suite)\.(?:skip|skipIf|todo|fixme)|xit|xdescribe|xtest|xcontext)\b|\bthis\.skip\(",
);
static GO: Pattern = Pattern::new(r"\b[tb]\.Skip(?:f|Now)?\(");
static JVM: Pattern = Pattern::new(r"@(?:Disabled|Ignore)\w*|\bassume(?:True|False|That)\s*\(");
static CSHARP: Pattern =
    Pattern::new(r"\[\s*(?:Ignore|Explicit)\b|\bSkip\s*=|\bAssert\.(?:Ignore|Inconclusive)\s*\(|\bSkip\.If");
static RUBY: Pattern = Pattern::new(r"^\s*(?:skip|pending|xit|xdescribe|xcontext|xspecify)\b");
static PHP: Pattern = Pattern::new(r"\bmarkTest(?:Skipped|Incomplete)\s*\(|->(?:skip|todo)\s*\(");
static SWIFT: Pattern = Pattern::new(r"\bXCTSkip\w*\s*\(|\.(?:disabled|enabled)\s*\(");
static NATIVE: Pattern = Pattern::new(r"\bGTEST_SKIP\b|\bDISABLED_|\bTEST_IGNORE\w*\s*\(");

/// A part of the crate that is built only by who asks for it.
static FEATURE: Pattern = Pattern::new(r"^#!?\[\s*cfg\(.*\bfeature\b");

/// Whether a line that the change added switches tests off, or keeps those that were there from the usual run.
pub(crate) fn switches_off(line: &AddedLine<'_>, file: &FileContext<'_>, head: &Source) -> bool {
    let pattern = match file.language {
        Language::Python => &PYTHON,
        Language::Rust => &RUST,
        Language::JavaScript | Language::TypeScript => &SCRIPT,
        Language::Go => &GO,
        Language::Java | Language::Kotlin => &JVM,
        Language::CSharp => &CSHARP,
        Language::Ruby => &RUBY,
        Language::Php => &PHP,
        Language::Swift => &SWIFT,
        Language::C | Language::Cpp => &NATIVE,
        _ => return false,
    };
    pattern.regex().is_match(head.code_line(line.number)) || narrows_build(line, file, head)
}

/// `//go:build integration`, `#[cfg(feature = "slow")]`: what is new may well need one.
fn narrows_build(line: &AddedLine<'_>, file: &FileContext<'_>, head: &Source) -> bool {
    let text = line.text.trim_ascii();
    match file.language {
        Language::Go => file.change.old.is_some() && narrows(text),
        Language::Rust => FEATURE.regex().is_match(text) && guards_old_test(line.number, file, head),
        _ => false,
    }
}

/// So many attributes and comments may stand at one item.
const MOST_ATTRIBUTES: u32 = 10;

/// Whether an attribute stands at a test that was there before, or at all that is in the file.
fn guards_old_test(number: u32, file: &FileContext<'_>, head: &Source) -> bool {
    if head.line(number).trim_ascii().starts_with(b"#!") {
        return file.change.old.is_some();
    }
    let text = |line: u32| head.line(line).trim_ascii();
    let is_attribute = |line: &u32| text(*line).starts_with(b"#[") || text(*line).starts_with(b"//");
    let above = (1..number).rev().take(MOST_ATTRIBUTES as usize).take_while(is_attribute);
    let below: Vec<u32> =
        (number + 1..=number.saturating_add(MOST_ATTRIBUTES)).take_while(is_attribute).collect();
    let item = below.last().copied().unwrap_or(number) + 1;
    let is_test = |line: u32| super::super::words(text(line)).any(|word| matches!(word, b"test" | b"rstest"));
    let of_tests = text(item).starts_with(b"mod ") || above.chain(below).any(is_test);
    of_tests && !file.touched_lines().is_added(item)
}
