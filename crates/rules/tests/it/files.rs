//! What the rules say of files as such: links, submodules, tests that are gone, code that only moved.

use domain::words::Severity;

use crate::support::{NOTHING, Scenario};

#[test]
fn a_link_that_leaves_the_repository_is_reported() {
    for (path, target) in
        [("a", "/etc/passwd"), ("a", "../b"), ("d/a", "../../b"), ("d/a", "x/../../../b"), ("a", "C:\\x")]
    {
        let findings = Scenario::linking(path, target).findings("symlink-outside");
        assert_eq!((findings.len(), findings[0].severity), (1, Severity::Major), "{path} -> {target}");
    }
    for (path, target) in [("a", "b"), ("d/a", "../b"), ("d/e/a", "../../b/.."), ("a", "..b")] {
        assert_eq!(Scenario::linking(path, target).lines("symlink-outside"), NOTHING, "{path} -> {target}");
    }
    assert_eq!(Scenario::adding("a", "/etc/passwd").lines("symlink-outside"), NOTHING);
}

#[test]
fn a_submodule_is_named_with_its_commits() {
    let (a, b) = ("a".repeat(40), "b".repeat(40));
    let said = |old, new| {
        let findings = Scenario::submodule("lib", old, new).findings("submodule-moved");
        findings.into_iter().next().map(|finding| (finding.severity, finding.message))
    };
    let (severity, message) = said(Some(&a), Some(&b)).unwrap();
    assert_eq!(severity, Severity::Low);
    assert!(message.contains("from aaaaaaaaaa to bbbbbbbbbb"), "{message}");
    assert!(said(None, Some(&b)).unwrap().1.contains("adds this submodule at bbbbbbbbbb"));
    assert_eq!(said(Some(&a), None), None);
}

const TESTS: &str = "def test_a():\n    assert f() == 1\ndef test_b():\n    assert g() == 1\n";

#[test]
fn tests_that_are_gone_alone_are_missed() {
    let findings = Scenario::default().and_removing("tests/test_a.py", TESTS).findings("test-removed");
    assert_eq!((findings.len(), findings[0].severity, findings[0].line()), (1, Severity::Major, None));
    assert!(findings[0].message.contains("2 tests"), "{}", findings[0].message);
}

#[test]
fn tests_may_go_with_their_code_or_to_another_file() {
    let gone = || Scenario::default().and_removing("tests/test_a.py", TESTS);
    for (why, scenario) in [
        ("code deleted", gone().and_removing("src/a.py", "def f():\n    return 1\n")),
        ("moved", gone().and_adding("tests/test_c.py", TESTS)),
        ("data", Scenario::default().and_removing("tests/data.py", "x = 1\n")),
    ] {
        assert_eq!(scenario.lines("test-removed"), NOTHING, "{why}");
    }
}

#[test]
fn tests_of_code_that_left_a_file_are_advice() {
    let cut = Scenario::default().and_removing("tests/test_a.py", TESTS).and_changing(
        "src/a.py",
        "def f():\n    x = 1\n    return x\ny = 1\n",
        "y = 1\n",
    );
    assert!(!cut.findings("test-removed")[0].blocks(Severity::Major));
}

fn code(lines: usize, quote: char) -> String {
    (0..lines).map(|n| format!("x{n} = f({quote}{n}{quote})\n")).collect()
}

#[test]
fn code_that_only_moved_needs_no_new_test() {
    let old = code(130, '\'');
    for (why, scenario) in [
        ("re-quoted", Scenario::changing("src/a.py", &old, &code(130, '"'))),
        ("moved", Scenario::default().and_removing("src/a.py", &old).and_adding("src/b.py", &old)),
    ] {
        assert_eq!(scenario.lines("untested-change"), NOTHING, "{why}");
    }
    let copied = Scenario::changing("src/a.py", &code(5, '"'), &code(20, '"')).and_adding("src/b.py", &old);
    assert_eq!(copied.lines("untested-change").len(), 1, "a copy is new");
}

#[test]
fn a_comment_in_a_test_is_no_test() {
    let (old, new) = ("def test_a():\n    assert f()\n", "# more\ndef test_a():\n    assert f()\n");
    let scenario =
        |new: &str| Scenario::adding("src/a.py", code(50, '"')).and_changing("tests/test_a.py", old, new);
    assert_eq!(scenario(new).lines("untested-change").len(), 1);
    assert_eq!(scenario(&new.replace("# more", "x = 1")).lines("untested-change"), NOTHING);
}

#[test]
fn the_catalogue_says_when_missing_tests_block() {
    let title = &rules::rule("untested-change").unwrap().title;
    assert!(title.contains("MEDIUM") && title.contains("MAJOR from 100"), "{title}");
}

#[test]
fn messages_name_what_stands_there() {
    for (path, text, rule, name) in [
        ("src/a.rs", "fn a() { unimplemented!() }\n", "stub", "`unimplemented!()`"),
        (
            "a.go",
            "package a\n\nfunc A() {\n\tpanic(\"implement me\")\n}\n",
            "stub",
            "`panic(\"implement me\")`",
        ),
        (
            "A.java",
            "class A {\n    void a() { throw new UnsupportedOperationException(\"TODO\"); }\n}\n",
            "stub",
            "`throw new UnsupportedOperationException(\"TODO\")`",
        ),
        ("lib/a.rb", "def a\n  binding.irb\nend\n", "debugger-stop", "`binding.irb`"),
        ("src/a.js", "console.debug(1);\n", "debug-leftover", "`console.debug`"),
        ("a.test.js", "describe.only('a', () => {});\n", "focused-test", "`describe.only`"),
        ("a.test.js", "xdescribe('a', () => {});\n", "skipped-test", "`xdescribe`"),
        ("a.test.js", "it.todo('a');\n", "skipped-test", "`it.todo` announces a test"),
    ] {
        let message = Scenario::adding(path, text).findings(rule).remove(0).message;
        assert!(message.contains(name), "{message}");
    }
}
