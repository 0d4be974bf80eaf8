//! The tables in `tests/cases`: one file per rule. `@ path` opens a case, which is a new file with the text
//! below; where `@old path` stands before it, it is a change of the file below that. A line that ends in ` <!` has to be
//! reported by the rule, in ` <!!` so that it blocks, in ` <?` as advice that does not, and no other may be.

use std::borrow::Cow;
use std::collections::BTreeMap;

use domain::words::Severity;
use rules::{Language, catalogue};

use crate::support::Scenario;

const TABLES: &[(&str, &str)] = &[
    ("answer-for-tests", include_str!("../cases/answer-for-tests.txt")),
    ("assertion-removed", include_str!("../cases/assertion-removed.txt")),
    ("blanket-suppression", include_str!("../cases/blanket-suppression.txt")),
    ("commented-out-code", include_str!("../cases/commented-out-code.txt")),
    ("debug-leftover", include_str!("../cases/debug-leftover.txt")),
    ("debugger-stop", include_str!("../cases/debugger-stop.txt")),
    ("endless-loop", include_str!("../cases/endless-loop.txt")),
    ("focused-test", include_str!("../cases/focused-test.txt")),
    ("guard-removed", include_str!("../cases/guard-removed.txt")),
    ("hardcoded-credential", include_str!("../cases/hardcoded-credential.txt")),
    ("logic-replaced", include_str!("../cases/logic-replaced.txt")),
    ("mocked-subject", include_str!("../cases/mocked-subject.txt")),
    ("swallowed-assertion", include_str!("../cases/swallowed-assertion.txt")),
    ("test-redefined", include_str!("../cases/test-redefined.txt")),
    ("test-sleep", include_str!("../cases/test-sleep.txt")),
    ("unreached-assertion", include_str!("../cases/unreached-assertion.txt")),
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
    ("unbounded-growth", include_str!("../cases/unbounded-growth.txt")),
    ("unbounded-read", include_str!("../cases/unbounded-read.txt")),
    ("unclosed-resource", include_str!("../cases/unclosed-resource.txt")),
    ("unused-function", include_str!("../cases/unused-function.txt")),
    ("unused-import", include_str!("../cases/unused-import.txt")),
];

struct Case {
    path: String,
    /// What the file was before.
    old: Option<String>,
    text: String,
    expected: Vec<u32>,
    /// Of some lines, whether they block.
    blocks: Vec<(u32, bool)>,
}

fn parse(table: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut in_old = false;
    for line in table.lines() {
        if let Some(path) = line.strip_prefix("@old ") {
            cases.push(Case::of(path, Some(String::new())));
            in_old = true;
        } else if let Some(path) = line.strip_prefix("@ ") {
            if !in_old {
                cases.push(Case::of(path, None));
            }
            in_old = false;
        } else if let Some(case) = cases.last_mut() {
            case.read(line, in_old);
        }
    }
    for case in &mut cases {
        case.expected.sort_unstable();
        case.blocks.sort_unstable();
    }
    cases
}

impl Case {
    fn of(path: &str, old: Option<String>) -> Case {
        Case { path: path.to_owned(), old, text: String::new(), expected: vec![], blocks: vec![] }
    }

    fn read(&mut self, line: &str, in_old: bool) {
        let marks = [(" <!!", Some(true)), (" <!", None), (" <?", Some(false))];
        let marked = marks.iter().find_map(|(mark, blocks)| Some((line.strip_suffix(mark)?, blocks)));
        let text = if in_old { self.old.get_or_insert_default() } else { &mut self.text };
        text.push_str(marked.map_or(line, |(line, _)| line));
        text.push('\n');
        if let Some((_, blocks)) = marked {
            let number = text.lines().count().try_into().unwrap();
            self.expected.push(number);
            self.blocks.extend(blocks.map(|blocks| (number, blocks)));
        }
    }

    fn scenario(&self) -> Scenario {
        match &self.old {
            Some(old) => Scenario::changing(&self.path, old, &self.text),
            None => Scenario::adding(&self.path, &self.text),
        }
    }
}

#[test]
fn every_case_is_judged_as_marked() {
    let mut wrong = Vec::new();
    for &(rule, table) in TABLES {
        for case in parse(table) {
            let findings = case.scenario().findings(rule);
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
            let scenario = match &example.before {
                Some(before) => Scenario::changing(&example.file, before, &example.added),
                None => Scenario::adding(&example.file, example.added.as_bytes()),
            };
            let seen = scenario.lines(&info.id);
            assert_eq!(seen, example.lines.as_ref(), "{}: {}", info.id, example.added);
        }
    }
}

/// Rules whose tests write the same thing in every language they claim, and see to it that none is left out.
const TRIED_IN_CODE: [&str; 9] = [
    "copied-code",
    "complex-function",
    "naming-habit",
    "expectation-changed",
    "subject-redefined",
    "wrapper-bypassed",
    "function-profile",
    "breaking-change",
    "shared-interface",
];

/// Those that are data hold themselves to their examples; their languages are read from files.
#[test]
fn every_rule_that_claims_a_language_is_held_to_it() {
    let in_tables = |id: &str| TABLES.iter().any(|(rule, _)| *rule == id);
    let escaped: Vec<&str> = catalogue()
        .into_iter()
        .filter(|info| !info.languages.is_empty() && matches!(info.languages, Cow::Borrowed(_)))
        .map(|info| info.id.as_ref())
        .filter(|id| !in_tables(id) && !TRIED_IN_CODE.contains(id))
        .collect();
    assert!(escaped.is_empty(), "neither in a table nor tried in code: {escaped:?}");
}
