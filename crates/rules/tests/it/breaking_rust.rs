//! What breaks the users of a Rust library, case by case.

use domain::words::Severity;

use crate::support::Scenario;

const RULE: &str = "breaking-change";
const CASES: &str = include_str!("../cases/breaking-rust.txt");

struct Case<'t> {
    title: &'t str,
    old: String,
    new: String,
}

/// A heading, then lines of both states, of the old one or of the new one, as in a diff.
fn cases() -> Vec<Case<'static>> {
    let blocks = CASES.split("## ").filter(|block| !block.is_empty());
    blocks
        .map(|block| {
            let (title, lines) = block.split_once('\n').unwrap();
            let side = |other: char| {
                lines
                    .lines()
                    .filter(|line| !line.starts_with(other))
                    .fold(String::new(), |text, line| text + line.get(1..).unwrap_or_default() + "\n")
            };
            Case { title, old: side('+'), new: side('-') }
        })
        .collect()
}

fn in_a_library(old: &str, new: &str) -> Scenario {
    Scenario::changing("src/lib.rs", old, new)
        .and_keeping("Cargo.toml", "[package]\nname = \"a\"\nversion = \"0.1.0\"\n")
}

#[test]
fn each_break_is_found_with_its_weight() {
    let mut missed = Vec::new();
    for case in cases().iter().filter(|case| !case.title.starts_with("ok ")) {
        let wanted = match case.title.rsplit_once(" (") {
            Some((_, "medium)")) => Severity::Medium,
            Some((_, "low)")) => Severity::Low,
            _ => Severity::High,
        };
        let findings = in_a_library(&case.old, &case.new).findings(RULE);
        let most = findings.iter().map(|finding| finding.severity).max();
        if most != Some(wanted) {
            let said: Vec<_> = findings.iter().map(|finding| finding.message.clone()).collect();
            missed.push(format!("{}: {most:?} {said:?}", case.title));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn what_breaks_nobody_is_not_told() {
    let mut wrong = Vec::new();
    for case in cases().iter().filter(|case| case.title.starts_with("ok ")) {
        let findings = in_a_library(&case.old, &case.new).findings(RULE);
        wrong
            .extend(findings.iter().map(|one| format!("{}: {:?} {}", case.title, one.severity, one.message)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
