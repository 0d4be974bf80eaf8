//! Tests that the change touched, seen against what they were before.

use crate::support::{NOTHING, Scenario};

const RULE: &str = "test-without-assertion";

const ASSERTING: &str = "#[test]\nfn a() {\n    let x = f();\n    assert!(x);\n}\n";
const SILENT: &str = "#[test]\nfn a() {\n    let x = f();\n}\n";

#[test]
fn a_test_that_loses_its_assertion_is_reported() {
    assert_eq!(Scenario::changing("src/a.rs", ASSERTING, SILENT).lines(RULE), [2]);
}

#[test]
fn a_test_that_never_asserted_is_an_old_sin() {
    let edited = SILENT.replace("f()", "g()");
    assert_eq!(Scenario::changing("src/a.rs", SILENT, &edited).lines(RULE), NOTHING);
}

#[test]
fn a_silent_test_beside_an_edited_one_is_not_touched() {
    let other = ASSERTING.replace("fn a", "fn b");
    let old = format!("{SILENT}{other}");
    let new = format!("{SILENT}{}", other.replace("assert!(x)", "assert_eq!(x, 1)"));
    assert_eq!(Scenario::changing("src/a.rs", &old, &new).lines(RULE), NOTHING);
}

#[test]
fn the_finding_spans_the_test() {
    let findings = Scenario::adding("src/a.rs", SILENT).findings(RULE);
    let domain::review::Place::Lines(anchor) = &findings[0].place else { panic!("lines expected") };
    assert_eq!((anchor.start, anchor.end, anchor.text.as_str()), (2, 4, "fn a() {"));
    assert!(findings[0].message.contains("`a`"));
}

#[test]
fn helpers_from_another_file_leave_it_at_advice() {
    let text = "use crate::testing::*;\n#[test]\nfn a() {\n    round_trip(1);\n}\n";
    let findings = Scenario::adding("src/a.rs", text).findings(RULE);
    assert_eq!(findings[0].confidence, domain::review::Confidence::Low);
}

#[test]
fn many_replacements_that_are_told_what_to_answer_are_all_known() {
    let all = 0..40;
    let patches: String = all.clone().map(|number| format!("@patch(\"pay.pay{number}\")\n")).collect();
    let handed: Vec<String> = all.clone().rev().map(|number| format!("p{number}")).collect();
    let told: String = all.map(|number| format!("    p{number}.return_value = 4\n")).collect();
    let text = format!("{patches}def test_pay({}):\n{told}    assert pay.pay0() == 4\n", handed.join(", "));
    assert_eq!(Scenario::adding("tests/test_pay.py", &text).lines("mocked-subject"), [82]);
}
