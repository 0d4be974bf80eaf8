//! The tables in `tests/cases`: one file per rule. `@ path` opens a case, which is a new file with the text
//! below; a line that ends in ` <!` has to be reported by the rule, and no other may be.

use std::collections::BTreeMap;

use rules::{Language, catalogue};

use crate::support::Scenario;

const TABLES: [(&str, &str); 7] = [
    ("debug-leftover", include_str!("../cases/debug-leftover.txt")),
    ("debugger-stop", include_str!("../cases/debugger-stop.txt")),
    ("focused-test", include_str!("../cases/focused-test.txt")),
    ("skipped-test", include_str!("../cases/skipped-test.txt")),
    ("stub", include_str!("../cases/stub.txt")),
    ("test-without-assertion", include_str!("../cases/test-without-assertion.txt")),
    ("todo-comment", include_str!("../cases/todo-comment.txt")),
];

struct Case {
    path: String,
    text: String,
    expected: Vec<u32>,
}

fn parse(table: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in table.lines() {
        if let Some(path) = line.strip_prefix("@ ") {
            cases.push(Case { path: path.to_owned(), text: String::new(), expected: Vec::new() });
        } else if let Some(case) = cases.last_mut() {
            let (line, marked) = line.strip_suffix(" <!").map_or((line, false), |line| (line, true));
            case.text.push_str(line);
            case.text.push('\n');
            if marked {
                case.expected.push(case.text.lines().count().try_into().unwrap());
            }
        }
    }
    cases
}

#[test]
fn every_case_is_judged_as_marked() {
    let mut wrong = Vec::new();
    for (rule, table) in TABLES {
        for case in parse(table) {
            let seen = Scenario::adding(&case.path, &case.text).lines(rule);
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
    for (rule, table) in TABLES {
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
