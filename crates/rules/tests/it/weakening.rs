//! Tests that prove less after a change than before.

use rules::weakened_tests;

use crate::support::Scenario;

const TWO: &str = "#[test]\nfn a() {\n    assert!(f());\n    assert_eq!(g(), 2);\n}\n\n#[test]\nfn b() {\n    assert!(h());\n}\n";

fn told(scenario: &Scenario) -> Vec<String> {
    scenario.with_request(weakened_tests)
}

#[test]
fn a_test_that_is_gone_is_told_of() {
    let without = &TWO[..TWO.find("\n#[test]\nfn b").unwrap()];
    let gone = ["the test `b` of src/a.rs is gone"];
    assert_eq!(told(&Scenario::changing("src/a.rs", TWO, without)), gone);
    let whole =
        told(&Scenario::default().and_removing("tests/a.rs", TWO).and_adding("src/b.rs", "fn f() {}\n"));
    assert!(whole.contains(&"the test `a` of tests/a.rs is gone".to_owned()), "{whole:?}");
}

#[test]
fn a_test_that_moved_is_not_gone() {
    let without = &TWO[..TWO.find("\n#[test]\nfn b").unwrap()];
    let moved = Scenario::changing("src/a.rs", TWO, without)
        .and_adding("src/b.rs", "#[test]\nfn b() {\n    assert!(h());\n}\n");
    assert_eq!(told(&moved), [""; 0]);
}

#[test]
fn a_test_that_asserts_less_or_is_skipped_is_told_of() {
    let less = TWO.replace("    assert_eq!(g(), 2);\n", "");
    let asserts = ["the test `a` of src/a.rs asserts less than before"];
    assert_eq!(told(&Scenario::changing("src/a.rs", TWO, &less)), asserts);
    let skipped = TWO.replace("#[test]\nfn b", "#[test]\n#[ignore]\nfn b");
    let skipped = told(&Scenario::changing("src/a.rs", TWO, &skipped));
    assert!(skipped.len() == 1 && skipped[0].starts_with("src/a.rs:"), "{skipped:?}");
}

#[test]
fn a_test_that_asserts_more_is_fine() {
    let more = TWO.replace("    assert!(h());\n", "    assert!(h());\n    assert!(i());\n");
    assert_eq!(told(&Scenario::changing("src/a.rs", TWO, &more)), [""; 0]);
}
