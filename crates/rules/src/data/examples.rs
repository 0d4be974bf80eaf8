use std::borrow::Cow;

use ast_grep_core::AstGrep;

use super::bank::Bank;
use super::grammar::{Grammar, Parsed, parse};
use super::read::Placed;
use super::scan::hits;
use super::subject::{Subject, Touched};
use crate::language::Language;
use crate::rule::Example;

/// Ends a line of an example that has to be reported.
const MARK: &str = "<!";

/// An example of a document, in one of its languages.
#[derive(Debug, Clone)]
pub(super) struct Case {
    pub(super) rule: usize,
    pub(super) language: Language,
    text: String,
    expected: Vec<u32>,
}

/// What came of running the examples of rules.
#[derive(Debug, Clone, Default)]
pub struct ExampleReport {
    pub passed: usize,
    pub failed: Vec<FailedExample>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedExample {
    pub rule: String,
    pub language: Language,
    pub text: String,
    pub expected: Vec<u32>,
    pub reported: Vec<u32>,
}

/// The examples of a document. A bad one without a marked line is bad in its first.
pub(super) fn cases(placed: &Placed, rule: usize, language: Language) -> Vec<Case> {
    let examples = &placed.document.examples;
    let bad = examples.bad.of(language).iter().map(|text| {
        let (text, marked) = unmarked(text);
        let expected = if marked.is_empty() { vec![1] } else { marked };
        Case { rule, language, text, expected }
    });
    let good = examples.good.of(language).iter();
    bad.chain(good.map(|text| Case { rule, language, text: text.clone(), expected: Vec::new() })).collect()
}

fn unmarked(text: &str) -> (String, Vec<u32>) {
    let mut marked = Vec::new();
    let mut plain = String::new();
    for (number, line) in (1..).zip(text.lines()) {
        match line.trim_end().strip_suffix(MARK) {
            Some(line) => {
                marked.push(number);
                plain.push_str(line.trim_end());
            }
            None => plain.push_str(line),
        }
        plain.push('\n');
    }
    (plain, marked)
}

impl Case {
    pub(super) fn example(&self) -> Example {
        let file = match self.language {
            Language::Python => "src/example.py",
            Language::JavaScript => "src/example.js",
            Language::TypeScript => "src/example.ts",
            Language::Go => "src/example.go",
            Language::Java => "src/Example.java",
            Language::Rust => "src/example.rs",
            Language::Kotlin => "src/Example.kt",
            Language::C => "src/example.c",
            Language::Cpp => "src/example.cpp",
            Language::CSharp => "src/Example.cs",
            Language::Ruby => "src/example.rb",
            Language::Php => "src/example.php",
            Language::Swift => "src/Example.swift",
            Language::Scala => "src/Example.scala",
            _ => "src/example.sh",
        };
        Example {
            file: Cow::Borrowed(file),
            before: None,
            added: Cow::Owned(self.text.clone()),
            lines: Cow::Owned(self.expected.clone()),
        }
    }

    fn reported(&self, bank: &Bank) -> Vec<u32> {
        let Some(grammar) = Grammar::of(self.language, "") else { return Vec::new() };
        let (Some(tree), Some(loaded)) = (parse(grammar, self.text.as_bytes()), bank.loaded(self.language))
        else {
            return Vec::new();
        };
        let code = AstGrep::doc(Parsed::new(grammar, self.text.as_bytes(), tree));
        let subject = Subject::new(grammar, &code, Touched::All);
        let wanted = loaded.candidates(self.text.as_bytes());
        let mut lines: Vec<u32> = hits(bank, &wanted, &subject)
            .into_iter()
            .filter(|hit| hit.rule == self.rule)
            .map(|hit| hit.first)
            .collect();
        lines.sort_unstable();
        lines
    }
}

impl Bank {
    /// Runs every example against its own rule, as if all of its lines had been added; of one rule, or of all.
    pub(crate) fn test(&self, only: Option<&str>) -> ExampleReport {
        let mut report = ExampleReport::default();
        let id = |case: &Case| self.heads().get(case.rule).map(|info| info.id.as_ref()).unwrap_or_default();
        for language in self.languages().collect::<Vec<_>>() {
            for case in self.cases(language).iter().filter(|case| only.is_none_or(|only| id(case) == only)) {
                let reported = case.reported(self);
                if reported == case.expected {
                    report.passed += 1;
                } else {
                    report.failed.push(FailedExample {
                        rule: id(case).to_owned(),
                        language,
                        text: case.text.clone(),
                        expected: case.expected.clone(),
                        reported,
                    });
                }
            }
        }
        report
    }
}
