//! Tests that are gone by their names, and whose assertions are still there.

use domain::words::Severity;

use crate::support::{NOTHING, Scenario};

const RULE: &str = "test-removed";

fn blocking(scenario: &Scenario) -> usize {
    scenario.findings(RULE).iter().filter(|finding| finding.blocks(Severity::Major)).count()
}

const THREE: &str = "from shop.calc import price\n\n\ndef test_one():\n    assert price(1, 2) == 2\n\n\ndef test_two():\n    assert price(2, 2) == 4\n\n\ndef test_zero():\n    assert price(0, 2) == 0\n";

#[test]
fn an_assertion_that_moved_into_the_test_beside_it_is_still_there() {
    let merged = THREE.replace("\n\n\ndef test_two():\n", "\n");
    assert_eq!(Scenario::changing("tests/test_calc.py", THREE, &merged).lines(RULE), NOTHING);
    let lost = merged.replace("    assert price(2, 2) == 4\n", "");
    assert_eq!(blocking(&Scenario::changing("tests/test_calc.py", THREE, &lost)), 1);
}

#[test]
fn cases_of_a_new_test_stand_for_the_tests_they_were() {
    let table = |rows: &str| {
        format!(
            "import pytest\nfrom shop.calc import price\n\n\n@pytest.mark.parametrize(\"qty, want\", [{rows}])\ndef test_price(qty, want):\n    assert price(qty, 2) == want\n"
        )
    };
    let whole = table("(1, 2), (2, 4), (0, 0)");
    assert_eq!(Scenario::changing("tests/test_calc.py", THREE, &whole).lines(RULE), NOTHING);
    let less = table("(1, 2), (2, 4)");
    assert_eq!(Scenario::changing("tests/test_calc.py", THREE, &less).lines(RULE), [12]);
}

#[test]
fn tests_may_become_rows_of_a_table_that_was_there() {
    let text = |rows: &str| {
        format!(
            "import pytest\nfrom shop.calc import price\n\n\n@pytest.mark.parametrize(\"qty, unit, want\", [(1, 2, 2){rows}])\ndef test_table(qty, unit, want):\n    assert price(qty, unit) == want\n"
        )
    };
    let test = "\n\ndef test_price():\n    assert price(2, 5) == 10\n    assert price(0, 5) == 0\n";
    let before = text("") + test;
    let scenario = Scenario::changing("tests/test_calc.py", &before, &text(", (2, 5, 10), (0, 5, 0)"));
    assert_eq!(scenario.lines(RULE), NOTHING);
    let scenario = Scenario::changing("tests/test_calc.py", &before, &text(", (2, 5, 10)"));
    assert_eq!(blocking(&scenario), 1);
}

const MOCHA: &str = "const assert = require('assert');\nconst { add } = require('../src/m');\n\ndescribe('add', function () {\n  it('adds', function () {\n    assert.strictEqual(add(1, 2), 3);\n  });\n  it('joins', function (done) {\n    assert.equal(add('a', 'b'), 'ab');\n    done();\n  });\n});\n";

#[test]
fn a_file_of_tests_may_be_written_anew_for_another_framework() {
    let vitest = "import { describe, expect, it } from 'vitest';\nimport { add } from './m';\n\ndescribe('add', () => {\n  it.each([\n    [1, 2, 3],\n    ['a', 'b', 'ab'],\n  ])('%s + %s', (a, b, want) => {\n    expect(add(a, b)).toBe(want);\n  });\n});\n";
    let scenario = Scenario::default().and_removing("test/m.js", MOCHA).and_adding("src/m.test.js", vitest);
    assert_eq!(scenario.findings(RULE).len(), 0);
    // Not all of it came, and under other names: that is for people to say.
    let other = vitest.replace("    ['a', 'b', 'ab'],\n", "");
    let scenario = Scenario::default().and_removing("test/m.js", MOCHA).and_adding("src/m.test.js", &other);
    assert_eq!((scenario.findings(RULE).len(), blocking(&scenario)), (1, 0));
    let scenario = Scenario::default().and_removing("test/m.js", MOCHA).and_adding("src/n.test.js", &other);
    assert_eq!(blocking(&scenario), 1);
}

#[test]
fn nobody_asks_for_tests_of_benchmarks() {
    let code = (0..80).map(|n| format!("def run_{n}(n):\n    return n * {n}\n")).collect::<String>();
    let rule = "untested-change";
    assert_eq!(Scenario::adding("benchmarks/bench_a.py", &code).findings(rule).len(), 0);
    assert_eq!(Scenario::adding("shop/bench.py", &code).findings(rule).len(), 1);
    let silent = "def test_first():\n    made = make()\n    _ = made.cached\n";
    let told = |path: &str| Scenario::adding(path, silent).findings("test-without-assertion").len();
    assert_eq!((told("bench/test_a.py"), told("tests/test_a.py")), (0, 1));
}

#[test]
fn tests_may_be_written_by_a_macro_from_now_on() {
    let old = "#[test]\nfn reads() {\n    assert_eq!(read(1), 2);\n}\n\n#[test]\nfn writes() {\n    assert_eq!(write(1), 2);\n    assert_eq!(read(2), 3);\n}\n";
    let kept = "#[test]\nfn writes() {\n    assert_eq!(write(1), 2);\n    assert_eq!(read(2), 3);\n}\n";
    let by_macro = "macro_rules! tests {\n    ($kind:ty) => {\n        #[test]\n        fn read_it() {\n            assert_eq!(read::<$kind>(1), 2);\n        }\n    };\n}\n\n";
    assert_eq!(blocking(&Scenario::changing("tests/a.rs", old, kept)), 1);
    assert_eq!(blocking(&Scenario::changing("tests/a.rs", old, &format!("{by_macro}{kept}"))), 0);
}

#[test]
fn a_mark_that_has_a_test_fail_says_so() {
    let text = "@pytest.mark.xfail\ndef test_price():\n    assert price(1, 2) == 3\n";
    let findings = Scenario::adding("tests/test_a.py", text).findings("skipped-test");
    assert_eq!(findings[0].message, "`@pytest.mark.xfail` has this test fail without anybody noticing");
    let text = text.replace("xfail", "skip");
    let findings = Scenario::adding("tests/test_a.py", &text).findings("skipped-test");
    assert_eq!(findings[0].message, "`@pytest.mark.skip` switches this test off");
}

#[test]
fn what_is_only_called_like_a_file_of_tests_asserts_nothing() {
    let old = "use super::assertion::words;\n\nfn check(change: &Change) {\n    check_files(change);\n    check_tests(change);\n}\n";
    let gone = |path: &str| {
        Scenario::default()
            .and_removing(path, old)
            .and_adding(
                "src/rules/removed/mod.rs",
                "fn check(change: &Change) {\n    files::look(change);\n}\n",
            )
            .findings("assertion-removed")
    };
    assert!(gone("src/rules/test_removed.rs").is_empty());
}
