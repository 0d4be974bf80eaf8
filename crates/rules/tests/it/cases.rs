//! The tables in `tests/cases`: one file per rule. `@ path` opens a case, which is a new file with the text
//! below; a line that ends in ` <!` has to be reported by the rule, in ` <!!` so that it blocks, in ` <?` as advice
//! that does not, and no other may be. A file that is not new has its text before the change in front, under
//! `@old path`.

use std::collections::BTreeMap;

use domain::review::Finding;
use domain::words::Severity;
use rules::{Language, catalogue};

use crate::support::Scenario;

const TABLES: &[(&str, &str)] = &[
    ("commented-out-code", include_str!("../cases/commented-out-code.txt")),
    ("debug-leftover", include_str!("../cases/debug-leftover.txt")),
    ("debugger-stop", include_str!("../cases/debugger-stop.txt")),
    ("endless-loop", include_str!("../cases/endless-loop.txt")),
    ("focused-test", include_str!("../cases/focused-test.txt")),
    ("hardcoded-credential", include_str!("../cases/hardcoded-credential.txt")),
    ("skipped-test", include_str!("../cases/skipped-test.txt")),
    ("stray-print", include_str!("../cases/stray-print.txt")),
    ("stub", include_str!("../cases/stub.txt")),
    ("swallowed-error", include_str!("../cases/swallowed-error.txt")),
    ("test-without-assertion", include_str!("../cases/test-without-assertion.txt")),
    ("todo-comment", include_str!("../cases/todo-comment.txt")),
    ("trivial-assertion", include_str!("../cases/trivial-assertion.txt")),
    ("unreachable-code", include_str!("../cases/unreachable-code.txt")),
    ("query-in-loop", include_str!("../cases/query-in-loop.txt")),
    ("blocking-in-async", include_str!("../cases/blocking-in-async.txt")),
    ("quadratic-loop", include_str!("../cases/quadratic-loop.txt")),
    ("unbounded-read", include_str!("../cases/unbounded-read.txt")),
    ("unclosed-resource", include_str!("../cases/unclosed-resource.txt")),
    ("unused-function", include_str!("../cases/unused-function.txt")),
    ("unused-import", include_str!("../cases/unused-import.txt")),
];

struct Case {
    path: String,
    old: Option<String>,
    text: String,
    expected: Vec<u32>,
    /// Of some lines, whether they block.
    blocks: Vec<(u32, bool)>,
}

impl Case {
    fn of(path: &str, old: Option<String>) -> Self {
        Case { path: path.to_owned(), old, text: String::new(), expected: vec![], blocks: vec![] }
    }

    fn findings(&self, rule: &str) -> Vec<Finding> {
        match &self.old {
            Some(old) => Scenario::changing(&self.path, old, &self.text).findings(rule),
            None => Scenario::adding(&self.path, &self.text).findings(rule),
        }
    }
}

fn parse(table: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut is_old = false;
    for line in table.lines() {
        if let Some(path) = line.strip_prefix("@old ") {
            cases.push(Case::of(path, Some(String::new())));
            is_old = true;
        } else if let Some(path) = line.strip_prefix("@ ") {
            if !std::mem::take(&mut is_old) {
                cases.push(Case::of(path, None));
            }
        } else if let Some(old) = cases.last_mut().and_then(|case| case.old.as_mut()).filter(|_| is_old) {
            old.push_str(line);
            old.push('\n');
        } else if let Some(case) = cases.last_mut() {
            let marks = [(" <!!", Some(true)), (" <!", None), (" <?", Some(false))];
            let marked = marks.iter().find_map(|(mark, blocks)| Some((line.strip_suffix(mark)?, blocks)));
            case.text.push_str(marked.map_or(line, |(line, _)| line));
            case.text.push('\n');
            if let Some((_, blocks)) = marked {
                let number = case.text.lines().count().try_into().unwrap();
                case.expected.push(number);
                case.blocks.extend(blocks.map(|blocks| (number, blocks)));
            }
        }
    }
    cases
}

#[test]
fn every_case_is_judged_as_marked() {
    let mut wrong = Vec::new();
    for &(rule, table) in TABLES {
        for case in parse(table) {
            let findings = case.findings(rule);
            let seen: Vec<u32> = findings.iter().map(|finding| finding.line().unwrap_or(0)).collect();
            let blocking: Vec<(u32, bool)> = findings
                .iter()
                .map(|finding| (finding.line().unwrap_or(0), finding.blocks(Severity::Major)))
                .filter(|(line, _)| case.blocks.iter().any(|(marked, _)| marked == line))
                .collect();
            if blocking != case.blocks && seen == case.expected {
                wrong.push(format!("{rule} {blocking:?} in {}:\n{}", case.path, case.text));
            }
            if seen != case.expected {
                wrong.push(format!(
                    "{rule} {seen:?} instead of {:?} in {}:\n{}",
                    case.expected, case.path, case.text
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_language_a_rule_claims_has_three_cases_of_either_kind() {
    for &(rule, table) in TABLES {
        let mut counts: BTreeMap<Language, (usize, usize)> = BTreeMap::new();
        for case in parse(table) {
            let count = counts.entry(Language::of(&case.path.as_str().into())).or_default();
            count.0 += case.expected.len();
            count.1 += usize::from(case.expected.is_empty());
        }
        for language in rules::rule(rule).unwrap().languages.iter() {
            let (fires, silent) = counts.get(language).copied().unwrap_or_default();
            assert!(fires >= 3 && silent >= 3, "{rule} in {}: {fires} and {silent}", language.as_str());
        }
    }
}

#[test]
fn every_example_in_the_catalogue_holds() {
    for info in catalogue() {
        for example in info.examples.iter() {
            let seen = Scenario::adding(&example.file, example.added.as_bytes()).lines(&info.id);
            assert_eq!(seen, example.lines.as_ref(), "{}: {}", info.id, example.added);
        }
    }
}
