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

const PYTHON: &str = "from a import f\n\n\ndef test_f():\n    x = f()\n    assert x == 3\n";

fn python(new: &str) -> Vec<String> {
    told(&Scenario::changing("tests/test_a.py", PYTHON, new))
}

fn assert_told(told: &[String], what: &str) {
    assert!(told.iter().any(|sentence| sentence.contains(what)), "{what}: {told:?}");
}

#[test]
fn a_file_of_tests_that_moves_to_where_no_runner_looks_is_told_of() {
    assert_told(&told(&Scenario::renaming("tests/test_a.py", "attic/a.txt", PYTHON)), "is gone");
    for place in ["other/helpers.py", "tests/helpers.py", "attic/test_a.py"] {
        let moved = told(&Scenario::renaming("tests/test_a.py", place, PYTHON));
        assert_told(&moved, &format!("was moved to {place}, where it may not be run"));
        let anew =
            told(&Scenario::default().and_removing("tests/test_a.py", PYTHON).and_adding(place, PYTHON));
        assert_told(&anew, &format!("was moved to {place}, where it may not be run"));
    }
    assert_eq!(told(&Scenario::renaming("tests/test_a.py", "tests/unit/test_a.py", PYTHON)), [""; 0]);
}

#[test]
fn a_whole_file_that_is_skipped_is_told_of() {
    for line in [
        "pytest.skip('later', allow_module_level=True)",
        "pytestmark = pytest.mark.skip(reason='later')",
        "pytestmark = [pytest.mark.skipif(True, reason='later')]",
        "__test__ = False",
        "raise unittest.SkipTest('later')",
    ] {
        assert_told(
            &python(&PYTHON.replace("import f\n", &format!("import f\n{line}\n"))),
            "tests/test_a.py:2: ",
        );
    }
    assert_eq!(
        python(&PYTHON.replace("import f\n", "import f\nNOTE = 'pytest.skip()'  # pytest.skip()\n")),
        [""; 0]
    );
}

#[test]
fn settings_that_leave_tests_out_are_told_of() {
    for (file, line) in [
        ("conftest.py", "collect_ignore = ['tests']\n"),
        ("tests/conftest.py", "collect_ignore_glob = ['*']\n"),
        ("pytest.ini", "[pytest]\naddopts = --ignore=tests\n"),
        ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = '--ignore=tests'\n"),
        ("setup.cfg", "[tool:pytest]\nnorecursedirs = tests\n"),
        ("jest.config.js", "module.exports = {testPathIgnorePatterns: ['a']}\n"),
        ("vitest.config.ts", "export default {test: {exclude: ['a']}}\n"),
        ("Cargo.toml", "[lib]\ntest = false\n"),
    ] {
        assert_told(&told(&Scenario::adding(file, line)), "can keep tests from being run");
        assert_told(
            &told(&Scenario::changing(file, "\n", &format!("\n{line}"))),
            "can keep tests from being run",
        );
    }
    assert_told(&told(&Scenario::default().and_removing("pytest.ini", "[pytest]\n")), "is gone");
    assert_eq!(told(&Scenario::adding("pyproject.toml", "[tool.ruff]\nignore = ['E501']\n")), [""; 0]);
}

#[test]
fn a_test_that_is_left_before_it_asserts_is_told_of() {
    assert_told(&python(&PYTHON.replace("    x =", "    return\n    x =")), "is left early");
    let rust = TWO.replace("fn b() {\n", "fn b() {\n    return;\n");
    assert_told(&told(&Scenario::changing("src/a.rs", TWO, &rust)), "the test `b` of src/a.rs is left early");
}

#[test]
fn a_test_that_swallows_or_avoids_its_assertion_is_told_of() {
    let body = "    assert x == 3\n";
    for (new, what) in [
        ("    try:\n        assert x == 3\n    except AssertionError:\n        pass\n", "catches what"),
        ("    try:\n        assert x == 3\n    except:\n        pass\n", "catches what"),
        ("    with contextlib.suppress(AssertionError):\n        assert x == 3\n", "catches what"),
        ("    if False:\n        assert x == 3\n", "never runs"),
        ("    assert x == 3 or True\n", "always met"),
    ] {
        assert_told(&python(&PYTHON.replace(body, new)), what);
    }
}

#[test]
fn an_ordinary_correction_of_a_test_is_fine() {
    assert_eq!(python(&PYTHON.replace("== 3", "== 4 or x == 5")), [""; 0]);
    assert_eq!(python(&PYTHON.replace("    x = f()\n", "    x = f()\n    assert x\n")), [""; 0]);
}

#[test]
fn every_language_that_has_tests_is_read_as_syntax() {
    for (file, old, new, what) in [
        (
            "a.test.js",
            "it('a', () => {\n  expect(f()).toBe(3);\n});\n",
            "it('a', () => {\n  return;\n  expect(f()).toBe(3);\n});\n",
            "left early",
        ),
        (
            "a_test.go",
            "package a\nfunc TestA(t *testing.T) {\n\tassert.Equal(t, 3, f())\n}\n",
            "package a\nfunc TestA(t *testing.T) {\n\tdefer func() { recover() }()\n\tassert.Equal(t, 3, f())\n}\n",
            "catches what",
        ),
        (
            "ATest.java",
            "class ATest {\n  @Test void a() {\n    assertEquals(3, f());\n  }\n}\n",
            "class ATest {\n  @Test void a() {\n    if (false) {\n      assertEquals(3, f());\n    }\n  }\n}\n",
            "never runs",
        ),
        (
            "ATest.kt",
            "class ATest {\n  @Test fun a() {\n    assertTrue(f())\n  }\n}\n",
            "class ATest {\n  @Test fun a() {\n    assertTrue(f() || true)\n  }\n}\n",
            "always met",
        ),
        (
            "ATests.cs",
            "class ATests {\n  [Fact]\n  void A() {\n    Assert.Equal(3, F());\n  }\n}\n",
            "class ATests {\n  [Fact]\n  void A() {\n    try { Assert.Equal(3, F()); } catch { }\n  }\n}\n",
            "catches what",
        ),
        (
            "tests/a.rs",
            "#[test]\nfn a() {\n    assert_eq!(f(), 3);\n}\n",
            "#[test]\nfn a() {\n    assert!(f() == 3 || true);\n}\n",
            "always met",
        ),
    ] {
        assert_told(&told(&Scenario::changing(file, old, new)), what);
    }
}

#[test]
fn what_a_test_only_mentions_or_has_inside_a_closure_is_fine() {
    let old = "#[test]\nfn a() {\n    assert_eq!(f(), 3);\n}\n";
    let closure =
        old.replace("    assert", "    let g = |x: u32| { if x > 2 { return; } };\n    g(1);\n    assert");
    assert_eq!(told(&Scenario::changing("tests/a.rs", old, &closure)), [""; 0]);
    let string = old.replace("    assert", "    let _text = \"return; catch_unwind() || true\";\n    assert");
    assert_eq!(told(&Scenario::changing("tests/a.rs", old, &string)), [""; 0]);
}

#[test]
fn tests_that_only_some_builds_have_are_told_of() {
    let go = "package a\nfunc TestA(t *testing.T) {\n\tassert.Equal(t, 3, f())\n}\n";
    for (tag, is_told) in [
        ("//go:build integration", true),
        ("//go:build integration && linux", true),
        ("// +build integration", true),
        ("//go:build linux", false),
        ("//go:build !windows", false),
    ] {
        let told = told(&Scenario::changing("a_test.go", go, &format!("{tag}\n\n{go}")));
        assert_eq!(
            told.iter().any(|sentence| sentence.starts_with("a_test.go:1")),
            is_told,
            "{tag}: {told:?}"
        );
        // One that has a tag already is not free to get a narrower one.
        let tagged = format!("//go:build linux\n\n{go}");
        let now = format!("{tag}\n\n{go}");
        let told = self::told(&Scenario::changing("a_test.go", &tagged, &now));
        assert_eq!(
            told.iter().any(|sentence| sentence.starts_with("a_test.go:1")),
            is_told,
            "{tag}: {told:?}"
        );
    }
    assert_eq!(told(&Scenario::adding("a_test.go", format!("//go:build integration\n\n{go}"))), [""; 0]);

    let slow = TWO.replace("#[test]\nfn b", "#[test]\n#[cfg(feature = \"slow\")]\nfn b");
    assert_told(&told(&Scenario::changing("tests/a.rs", TWO, &slow)), "tests/a.rs:8");
    let whole = format!("#![cfg(feature = \"slow\")]\n{TWO}");
    assert_told(&told(&Scenario::changing("tests/a.rs", TWO, &whole)), "tests/a.rs:1");
    let more = format!("{TWO}\n#[cfg(feature = \"slow\")]\n#[test]\nfn c() {{\n    assert!(h());\n}}\n");
    assert_eq!(told(&Scenario::changing("tests/a.rs", TWO, &more)), [""; 0]);
}
