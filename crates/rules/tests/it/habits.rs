//! What may be asked for depends on what the repository does.

use domain::words::Severity;

use crate::support::Scenario;

fn code(lines: usize) -> String {
    let body: String = (0..lines).map(|n| format!("    step_{n}(x);\n")).collect();
    format!("pub fn calculate_totals(x: u8) {{\n{body}}}\n")
}

/// A new file of 150 lines, in a repository with these files.
fn untested(kept: &[(&str, &str)]) -> Option<Severity> {
    let scenario = Scenario::adding("src/new.rs", code(150));
    let scenario = kept.iter().fold(scenario, |all, (path, text)| all.and_keeping(path, text));
    scenario.findings("untested-change").first().map(|finding| finding.severity)
}

const SOURCES: [(&str, &str); 4] = [
    ("src/a.rs", "fn a() {}\n"),
    ("src/b.rs", "fn b() {}\n"),
    ("src/c.rs", "fn c() {}\n"),
    ("src/d.rs", "fn d() {}\n"),
];

#[test]
fn a_repository_that_tests_its_code_asks_for_tests() {
    let beside = [&SOURCES[..], &[("tests/all.rs", "#[test]\nfn t() { assert!(run()); }\n")]].concat();
    assert_eq!(untested(&beside), Some(Severity::Major));
    let inside = SOURCES.map(|(path, _)| (path, "fn a() {}\n#[cfg(test)]\nmod tests {}\n"));
    assert_eq!(untested(&inside), Some(Severity::Major));
}

#[test]
fn a_repository_too_young_for_habits_asks_for_tests() {
    assert_eq!(untested(&[]), Some(Severity::Major));
    assert_eq!(untested(&SOURCES[..1]), Some(Severity::Major));
}

#[test]
fn a_repository_without_tests_is_reminded_of_them() {
    assert_eq!(untested(&SOURCES), Some(Severity::Medium));
    let few = [&SOURCES[1..], &[("src/a.rs", "#[cfg(test)]\nmod tests {}\n")]].concat();
    assert_eq!(untested(&few), Some(Severity::Medium));
}

#[test]
fn tests_that_wait_for_the_code_count() {
    let waiting = "#[test]\nfn t() { assert_eq!(calculate_totals(1), 2); }\n";
    let first = [&SOURCES[..], &[("tests/all.rs", waiting)]].concat();
    assert_eq!(untested(&first), Some(Severity::Medium));
}

/// 150 lines of each.
fn repeated(line: impl Fn(usize) -> String) -> String {
    (0..150).map(line).collect()
}

#[test]
fn what_is_never_run_needs_no_test() {
    let lines = |form: &str| repeated(|n| format!("{}\n", form.replace('#', &n.to_string())));
    for (path, text) in [
        ("src/types.ts", lines("export interface T# {\n  a: number;\n}\nexport type U# = { b: string };")),
        ("src/Api.java", format!("public interface Api {{\n{}}}\n", lines("    int m#(int x);"))),
        ("src/k.rs", format!("pub enum K {{\n{}}}\n", lines("    V#,"))),
        ("src/s.rs", format!("pub struct S {{\n{}}}\n", lines("    pub f#: u8,"))),
        ("src/constants.py", lines("K# = #")),
        ("src/countries.ts", format!("export const all = [\n{}];\n", lines("  { code: 'A#' },"))),
        ("src/schema.ts", format!("export const all = list([\n{}]);\n", lines("  { code: 'A#' },"))),
    ] {
        assert!(Scenario::adding(path, text).findings("untested-change").is_empty(), "{path}");
    }
}

#[test]
fn what_runs_among_types_and_tables_is_counted() {
    let lines = |form: &str| repeated(|n| format!("{}\n", form.replace('#', &n.to_string())));
    for (path, text) in [
        ("src/types.ts", lines("export const f# = (x: number) => x + #;")),
        ("src/Api.java", format!("class A {{\n{}}}\n", lines("    int m#(int x) { return x + #; }"))),
        (
            "src/k.rs",
            format!("macro_rules! k {{\n    () => {{\n{}    }};\n}}\n", lines("        let x = #;")),
        ),
        ("src/start.py", lines("K# = load(#)")),
    ] {
        let findings = Scenario::adding(path, text).findings("untested-change");
        assert_eq!(findings.first().map(|finding| finding.severity), Some(Severity::Major), "{path}");
    }
}
