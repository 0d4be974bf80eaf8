//! What is known of the rules of well-known programs, by their ids.
//!
//! Many linters call everything an error, the order of imports as well as a command that is handed to a shell: for them the word
//! only means "not clean". So their ids say how serious a result is, and what is not known to be dangerous stays below
//! what a gate fails on unless the policy says otherwise (`rules.severity`). Who is not known is taken at its word.

use super::ToolResult;
use super::formatter::UNFORMATTED;
use crate::words::{Category, Level, Severity};
use Grade::{Doubt, Fault, Leak, Taste};

/// How much the word `error` of a program is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Grade {
    /// A question of style.
    Taste,
    /// Worth a look, and often fine.
    Doubt,
    /// As serious as the program says.
    Fault,
    /// A secret, of which some programs say no more than that they found it: where nothing is said, SARIF takes it for a
    /// warning. Whoever means less has to say so.
    Leak,
}

impl Grade {
    fn severity(self, level: Level) -> Severity {
        match (self, level) {
            (Taste, Level::Error | Level::Warning) => Severity::Low,
            (Doubt, Level::Error) => Severity::Medium,
            (Leak, Level::Error | Level::Warning) => Severity::Major,
            (Taste | Doubt | Fault | Leak, _) => level.severity(),
        }
    }
}

/// Something that is wrong, whoever found it.
#[derive(Debug, Clone, Copy)]
struct Known {
    category: Category,
    grade: Grade,
    /// What our rule for it is called, if there is one.
    ours: Option<&'static str>,
}

const fn known(category: Category, grade: Grade) -> Known {
    Known { category, grade, ours: None }
}

const fn danger(ours: &'static str, grade: Grade) -> Known {
    Known { category: Category::Security, grade, ours: Some(ours) }
}

const fn smell(ours: &'static str, grade: Grade) -> Known {
    Known { category: Category::Readability, grade, ours: Some(ours) }
}

/// How serious a result is, and what kind of trouble it is about.
pub(super) fn weighed(result: &ToolResult) -> (Severity, Category) {
    let Some(known) = lookup(&result.tool, &result.rule) else {
        let severity = result.level.severity();
        return (result.score.map_or(severity, |score| by_score(severity, score)), result.category);
    };
    // So linters write of a constant that is handed to a shell.
    let grade = if result.message.contains("seems safe") { Taste } else { known.grade };
    (grade.severity(result.level), known.category)
}

/// The security score that some programs give beside their level, 0 to 10. It makes nothing block that the level does not.
fn by_score(severity: Severity, score: Score) -> Severity {
    match score {
        Score::Low => severity.min(Severity::Medium),
        Score::Medium => severity,
        Score::High => severity.max(Severity::Medium),
    }
}

/// A security score, as people group them: under 4, under 7, and above.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Score {
    Low,
    Medium,
    High,
}

/// What our rule is called that finds what the rule `tool/rule` of a well-known program finds. Nothing is known of rules
/// without a program.
pub fn our_name(rule: &str) -> Option<&'static str> {
    let (tool, rule) = rule.split_once('/')?;
    lookup(tool, rule)?.ours
}

fn lookup(tool: &str, rule: &str) -> Option<Known> {
    let tool = tool.to_ascii_lowercase();
    match tool.as_str() {
        // A formatter in check mode, whose words are ours.
        _ if rule == UNFORMATTED => None,
        "ruff" | "flake8" => Some(python(rule)),
        "bandit" => numbered(rule, "B").map(bandit),
        "gosec" => numbered(rule, "G").map(gosec),
        "golangci-lint" => Some(go(rule)),
        "eslint" | "oxlint" | "biome" => Some(script(rule)),
        "clippy" => clippy(rule),
        "gitleaks" | "trufflehog" | "detect-secrets" => Some(danger("secret", Leak)),
        // They say `error` of whatever they find, or whatever their configuration says.
        "pylint" | "pycodestyle" | "pydocstyle" | "pyflakes" | "rubocop" | "stylelint" | "tslint"
        | "jshint" | "standard" | "checkstyle" | "pmd" | "ktlint" | "detekt" | "swiftlint" | "scalastyle"
        | "phpcs" | "hadolint" | "yamllint" | "markdownlint" | "revive" | "golint" | "cpplint" => {
            Some(known(Category::Readability, Doubt))
        }
        _ => None,
    }
}

fn numbered(rule: &str, letters: &str) -> Option<u32> {
    rule.strip_prefix(letters)?.parse().ok()
}

fn python(rule: &str) -> Known {
    let digits = rule.find(|c: char| c.is_ascii_digit()).unwrap_or(rule.len());
    let (letters, number) = rule.split_at(digits);
    match (letters, number) {
        ("S", number) => number.parse().map_or(known(Category::Security, Doubt), bandit),
        ("invalid-syntax" | "syntax-error", _) => known(Category::Correctness, Fault),
        ("E", number) if number.starts_with('9') => known(Category::Correctness, Fault),
        ("E", "722") | ("BLE", _) => smell("swallowed-error", Doubt),
        ("F", "401") => smell("unused-import", Doubt),
        // Names that are nowhere, and statements that cannot stand where they do: neither runs.
        ("F", "821" | "822" | "823") => known(Category::Correctness, Fault),
        ("F", number) if number.starts_with('7') => known(Category::Correctness, Fault),
        ("F", number) if number.starts_with(['5', '6']) => known(Category::Correctness, Doubt),
        ("F" | "PLW", _) => known(Category::Readability, Doubt),
        ("B" | "PLE", _) => known(Category::Correctness, Doubt),
        ("ASYNC" | "PERF", _) => known(Category::Performance, Doubt),
        ("T", "100") => Known { category: Category::Correctness, grade: Fault, ours: Some("debugger-stop") },
        ("T", "201" | "203") => smell("stray-print", Taste),
        ("ERA", _) => smell("commented-out-code", Taste),
        ("C", "901") => smell("complex-function", Taste),
        ("PT", _) => known(Category::Testing, Taste),
        _ => known(Category::Readability, Taste),
    }
}

/// By number: what is S605 to one program is B605 to another.
fn bandit(number: u32) -> Known {
    match number {
        101 => known(Category::BestPractices, Taste),
        102 | 307 => danger("code-injection", Fault),
        103 => danger("permissive-permissions", Doubt),
        104 => danger("bind-all-interfaces", Doubt),
        105..=107 => danger("hardcoded-credential", Doubt),
        108 | 306 => danger("predictable-temporary-file", Doubt),
        110 | 112 => smell("swallowed-error", Doubt),
        113 => danger("missing-timeout", Doubt),
        201 => danger("debug-mode", Fault),
        202 => danger("archive-extraction", Doubt),
        301 | 302 => danger("unsafe-deserialisation", Doubt),
        303 | 324 => danger("weak-hash", Doubt),
        304 | 305 => danger("weak-cipher", Doubt),
        308 | 701..=704 => danger("cross-site-scripting", Doubt),
        311 => danger("weak-randomness", Doubt),
        312 | 321 | 508 | 509 => danger("insecure-protocol", Doubt),
        313..=320 => danger("xml-external-entities", Doubt),
        323 | 501 => danger("tls-verification-off", Fault),
        502 | 503 => danger("old-tls-version", Fault),
        504 => danger("old-tls-version", Doubt),
        505 => danger("weak-key", Doubt),
        506 => danger("unsafe-deserialisation", Fault),
        507 => danger("host-key-unchecked", Fault),
        602 | 605 | 609 => danger("command-injection", Fault),
        603 | 604 | 606 => danger("command-injection", Doubt),
        607 => danger("command-injection", Taste),
        608 => danger("sql-injection", Fault),
        610 | 611 => danger("sql-injection", Doubt),
        _ => known(Category::Security, Doubt),
    }
}

fn gosec(number: u32) -> Known {
    match number {
        101 => danger("hardcoded-credential", Doubt),
        102 => danger("bind-all-interfaces", Doubt),
        104 => smell("swallowed-error", Doubt),
        107 => danger("request-forgery", Doubt),
        110 => danger("decompression-bomb", Doubt),
        114 => danger("missing-timeout", Doubt),
        201 | 202 => danger("sql-injection", Fault),
        203 => danger("cross-site-scripting", Doubt),
        // Of every command that is not written out.
        204 => danger("command-injection", Doubt),
        301 | 302 | 306 => danger("permissive-permissions", Doubt),
        304 => danger("path-traversal", Doubt),
        305 => danger("archive-extraction", Doubt),
        401 | 501 | 505 => danger("weak-hash", Doubt),
        402 => danger("tls-verification-off", Fault),
        403 => danger("weak-key", Doubt),
        404 => danger("weak-randomness", Doubt),
        405 | 502 | 503 => danger("weak-cipher", Doubt),
        _ => known(Category::Security, Doubt),
    }
}

/// A program that runs others and names them as its rules, or gives the rules of one of them.
fn go(rule: &str) -> Known {
    match (numbered(rule, "G"), rule) {
        (Some(number), _) => gosec(number),
        (None, "gosec") => known(Category::Security, Doubt),
        (None, "errcheck") => smell("swallowed-error", Doubt),
        // What the compiler says.
        (None, "typecheck") => known(Category::Correctness, Fault),
        (None, "govet" | "staticcheck") => known(Category::Correctness, Doubt),
        (None, _) => known(Category::Readability, Doubt),
    }
}

fn script(rule: &str) -> Known {
    let plain = ["@typescript-eslint/", "typescript/", "eslint/"]
        .iter()
        .find_map(|prefix| rule.strip_prefix(prefix))
        .unwrap_or(rule);
    match plain {
        "no-eval" | "no-implied-eval" | "no-new-func" | "security/detect-eval-with-expression" => {
            danger("code-injection", Fault)
        }
        "security/detect-child-process" => danger("command-injection", Doubt),
        "security/detect-non-literal-regexp" => danger("regex-from-data", Doubt),
        "security/detect-non-literal-fs-filename" => danger("path-traversal", Doubt),
        "security/detect-unsafe-regex" => danger("slow-regex", Doubt),
        "react/no-danger" | "vue/no-v-html" => danger("cross-site-scripting", Doubt),
        "no-debugger" => Known { category: Category::Correctness, grade: Fault, ours: Some("debugger-stop") },
        "no-console" => smell("debug-leftover", Taste),
        "no-unused-vars" | "unused-imports/no-unused-imports" => smell("unused-import", Doubt),
        "no-empty" => smell("swallowed-error", Doubt),
        "no-unreachable" => smell("unreachable-code", Doubt),
        "complexity" => smell("complex-function", Taste),
        "no-undef" | "no-dupe-keys" | "no-const-assign" | "no-redeclare" => {
            known(Category::Correctness, Doubt)
        }
        "jest/no-focused-tests"
        | "vitest/no-focused-tests"
        | "mocha/no-exclusive-tests"
        | "no-only-tests/no-only-tests" => {
            Known { category: Category::Testing, grade: Fault, ours: Some("focused-test") }
        }
        "jest/no-disabled-tests" | "vitest/no-disabled-tests" | "mocha/no-skipped-tests" => {
            Known { category: Category::Testing, grade: Doubt, ours: Some("skipped-test") }
        }
        "jest/expect-expect" | "vitest/expect-expect" => {
            Known { category: Category::Testing, grade: Doubt, ours: Some("test-without-assertion") }
        }
        security if security.starts_with("security/") || security.starts_with("no-unsanitized/") => {
            known(Category::Security, Doubt)
        }
        _ => known(Category::Readability, Doubt),
    }
}

/// Its errors are those of the compiler, or lints that are denied: they are what it says.
fn clippy(rule: &str) -> Option<Known> {
    match rule.strip_prefix("clippy::").unwrap_or(rule) {
        "dbg_macro" => Some(smell("debug-leftover", Fault)),
        "todo" | "unimplemented" => {
            Some(Known { category: Category::Correctness, grade: Fault, ours: Some("stub") })
        }
        "unused_imports" => Some(smell("unused-import", Fault)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::Confidence;

    fn severity(tool: &str, rule: &str, level: Level, message: &str) -> Severity {
        let result = ToolResult {
            tool: tool.into(),
            rule: rule.into(),
            level,
            category: Category::Readability,
            score: None,
            confidence: Confidence::Medium,
            message: message.into(),
            path: String::new(),
            inside: None,
            line: 1,
            end_line: 1,
        };
        weighed(&result).0
    }

    #[test]
    fn what_a_linter_calls_an_error_blocks_only_where_it_is_one() {
        for (tool, rule) in [
            ("ruff", "S605"),
            ("ruff", "F821"),
            ("ruff", "invalid-syntax"),
            ("Bandit", "B602"),
            ("ESLint", "no-eval"),
            ("own-tool", "X1"),
        ] {
            assert_eq!(severity(tool, rule, Level::Error, ""), Severity::Major, "{tool}/{rule}");
        }
        for (tool, rule) in [
            ("ruff", "F401"),
            ("ruff", "S311"),
            ("ruff", "B008"),
            ("eslint", "no-undef"),
            ("golangci-lint", "gosec"),
            ("pylint", "C0114"),
        ] {
            assert_eq!(severity(tool, rule, Level::Error, ""), Severity::Medium, "{tool}/{rule}");
        }
        for rule in
            ["I001", "E501", "W291", "D100", "Q000", "N802", "UP006", "C408", "S101", "S607", "ANN001"]
        {
            assert_eq!(severity("ruff", rule, Level::Error, ""), Severity::Low, "{rule}");
        }
    }

    #[test]
    fn a_secret_blocks_unless_the_program_makes_little_of_it() {
        for (tool, level, expected) in [
            ("gitleaks", Level::Warning, Severity::Major),
            ("TruffleHog", Level::Error, Severity::Major),
            ("detect-secrets", Level::Warning, Severity::Major),
            ("gitleaks", Level::Info, Severity::Minor),
            ("own-tool", Level::Warning, Severity::Low),
        ] {
            assert_eq!(severity(tool, "generic-api-key", level, ""), expected, "{tool} {level:?}");
        }
    }

    #[test]
    fn a_constant_that_is_handed_to_a_shell_is_no_injection() {
        let safe = "`subprocess` call with `shell=True` seems safe, but may be changed in the future";
        assert_eq!(severity("ruff", "S602", Level::Error, safe), Severity::Low);
    }

    #[test]
    fn the_same_fault_has_one_name() {
        for (rule, ours) in [
            ("ruff/F401", Some("unused-import")),
            ("ruff/S307", Some("code-injection")),
            ("Bandit/B605", Some("command-injection")),
            ("ruff/S110", Some("swallowed-error")),
            ("ruff/E722", Some("swallowed-error")),
            ("eslint/@typescript-eslint/no-unused-vars", Some("unused-import")),
            ("ruff/E501", None),
            ("ruff/unformatted", None),
            ("unused-import", None),
            ("own-tool/F401", None),
        ] {
            assert_eq!(our_name(rule), ours, "{rule}");
        }
    }
}
