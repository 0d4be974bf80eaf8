use std::collections::HashSet;

use crate::context::FileContext;
use crate::language::Language;
use crate::pattern::Pattern;

static PYTHON: Pattern = Pattern::new(
    r"\bpytest\.(?:skip|xfail|importorskip|exit)\s*\(|\bmark\.(?:skip|skipif|xfail)\b|\bskipTest\s*\(|\bSkipTest\b|@(?:unittest\.)?(?:skip|skipIf|skipUnless|expectedFailure)\b|\bpytestmark\b.*\b(?:skip|xfail)|\b__test__\s*=|\bcollect_ignore(?:_glob)?\b|^(?:if|while)\s+(?:False|0|None|not\s+True)\b|^\s*del\s+[Tt]est",
);
static RUST: Pattern =
    Pattern::new(r"#\[\s*ignore\b|\bcfg_attr\([^)]*,\s*ignore\b|#\[cfg\((?:any\(\)|not\(test\)|never|FALSE)");
static SCRIPT: Pattern = Pattern::new(
    r"(?:^|[^\w.$])(?:(?:it|test|describe|context|suite)\.(?:skip|skipIf|todo|fixme)|xit|xdescribe|xtest|xcontext)\b|\bthis\.skip\(",
);
static GO: Pattern = Pattern::new(r"\b[tb]\.Skip(?:f|Now)?\(");
static JVM: Pattern = Pattern::new(r"@(?:Disabled|Ignore)\w*");

/// Lines that a change adds to files of tests and that switch tests off, whatever reason they give: `path:line`.
pub(super) fn added(file: &FileContext<'_>) -> Vec<String> {
    let pattern = match file.language {
        Language::Python => &PYTHON,
        Language::Rust => &RUST,
        Language::JavaScript | Language::TypeScript => &SCRIPT,
        Language::Go => &GO,
        Language::Java | Language::Kotlin => &JVM,
        _ => return Vec::new(),
    };
    let Some(head) = file.head() else { return Vec::new() };
    let before: HashSet<&[u8]> = file.change.removed().map(|(_, text)| text.trim_ascii()).collect();
    let is_support = file.change.path().to_str().is_some_and(|path| path.ends_with("conftest.py"));
    let here = |number: u32| is_support || file.in_test(number);
    let is_new = |text: &[u8]| !before.contains(text.trim_ascii());
    file.change
        .added()
        .filter(|(number, text)| {
            is_new(text) && here(*number) && pattern.regex().is_match(head.code_line(*number))
        })
        .map(|(number, _)| format!("{}:{number}", file.change.path()))
        .collect()
}
