//! What a change only moves, or writes in another way, is not its doing.

use crate::support::{NOTHING, Scenario};

/// A file, what it was, what it is, and the rule that would have something to say if it were new.
const REWRITTEN: [(&str, &str, &str, &str); 9] = [
    (
        "a.js",
        "function stub() {\n\tthrow new Error(\"not implemented\");\n}\n",
        "function stub() {\n  throw new Error('not implemented')\n}\n",
        "stub",
    ),
    (
        "A.java",
        "class A {\n    int s() { throw new UnsupportedOperationException(\"not implemented\"); }\n}\n",
        "class A {\n  int s() {\n    throw new UnsupportedOperationException(\"not implemented\");\n  }\n}\n",
        "stub",
    ),
    ("src/a.rs", "fn stub() { todo!() }\n", "fn stub() {\n    todo!()\n}\n", "stub"),
    (
        "a.py",
        "def f(x):\n    raise NotImplementedError\n",
        "def f(x):\r\n    raise NotImplementedError\r\n",
        "stub",
    ),
    (
        "a.js",
        "function stub() {\n  throw new Error('not implemented');\n}\n",
        "class A {\n  stub() {\n    throw new Error('not implemented');\n  }\n}\n",
        "stub",
    ),
    (
        "test_a.py",
        "@pytest.mark.skip\ndef test_s():\n    assert f(1) == 1\n",
        "class TestA:\n    @pytest.mark.skip\n    def test_s(self):\n        assert f(1) == 1\n",
        "skipped-test",
    ),
    (
        "a.test.js",
        "it.skip(\"x\", () => {\n  expect(f(1)).toBe(1)\n})\n",
        "describe('a', () => {\n  it.skip('x', () => {\n    expect(f(1)).toBe(1);\n  });\n});\n",
        "skipped-test",
    ),
    (
        "test_a.py",
        "def test_t():\n    assert True\n",
        "class TestA:\n    def test_t(self):\n        assert True\n",
        "trivial-assertion",
    ),
    (
        "test_a.py",
        "def test_t():\n    assert True\n\n\ndef test_s():\n    assert f(1) == 1\n",
        "def test_s():\n    assert f(1) == 1\n\n\ndef test_t():\n    assert True\n",
        "trivial-assertion",
    ),
];

#[test]
fn what_is_only_written_in_another_way_is_no_news() {
    for (path, old, new, rule) in REWRITTEN {
        assert_eq!(Scenario::changing(path, old, new).lines(rule), NOTHING, "{new}");
        assert_eq!(Scenario::adding(path, new).lines(rule).len(), 1, "{new}");
    }
}

const STUB: &str = "\n\ndef later(x):\n    raise NotImplementedError(\"later\")\n";
const HERE: &str = "def g(x):\n    return x\n";

#[test]
fn what_moves_to_another_file_is_no_news() {
    let with = format!("{HERE}{STUB}");
    let moved = Scenario::changing("a.py", &with, HERE).and_changing("b.py", HERE, &with);
    assert_eq!(moved.lines("stub"), NOTHING);
    let from_a_file_that_goes = Scenario::default().and_removing("a.py", &with).and_adding("b.py", &with);
    assert_eq!(from_a_file_that_goes.lines("stub"), NOTHING);
}

#[test]
fn each_that_goes_accounts_for_one_that_comes() {
    let with = format!("{HERE}{STUB}");
    let twice =
        Scenario::changing("a.py", &with, HERE).and_changing("b.py", HERE, &with).and_adding("c.py", STUB);
    assert_eq!(twice.lines("stub").len(), 1);
    let copied = Scenario::changing("a.py", &with, &format!("import b\n{with}")).and_adding("b.py", &with);
    assert_eq!(copied.lines("stub"), [6]);
}

#[test]
fn another_function_is_another_sin() {
    let other = STUB.replace("later(x)", "sooner(x)");
    let scenario = Scenario::changing("a.py", &format!("{HERE}{STUB}"), &format!("{HERE}{other}"));
    // The line itself stays: only who bears it is new.
    assert_eq!(scenario.lines("stub"), NOTHING);
    let written = STUB.replace("raise NotImplementedError(\"later\")", "return x");
    let scenario = Scenario::changing("a.py", STUB, &written).and_adding("b.py", other);
    assert_eq!(scenario.lines("stub"), [4]);
}

/// Whoever writes one of them takes nothing from the other.
#[test]
fn a_function_that_stood_there_answers_for_itself() {
    let class =
        |name: &str, body: &str| format!("class {name}:\n    def run(self, x):\n        {body}\n\n\n");
    let (stub, logic) = ("raise NotImplementedError", "return x + 1");
    let old = class("A", stub) + &class("B", logic);
    let new = class("A", logic) + &class("B", stub);
    assert_eq!(Scenario::changing("a.py", &old, &new).lines("stub"), [8]);
    let elsewhere = Scenario::changing("a.py", &class("B", logic), &class("B", stub))
        .and_removing("b.py", &class("A", stub));
    assert_eq!(elsewhere.lines("stub"), [3]);
    let joined = Scenario::changing("a.py", &class("B", logic), &(class("B", logic) + &class("A", stub)))
        .and_removing("b.py", &class("A", stub));
    assert_eq!(joined.lines("stub"), NOTHING);
}

#[test]
fn a_reason_that_is_taken_away_makes_it_another() {
    let old = "@pytest.mark.skip(reason=\"needs docker\")\ndef test_s():\n    assert f(1) == 1\n";
    let new = "@pytest.mark.skip\ndef test_s():\n    assert f(1) == 1\n";
    assert_eq!(Scenario::changing("test_a.py", old, new).lines("skipped-test"), [1]);
}

/// A token that moves is still in the repository, and in the hands of whoever reads the change.
#[test]
fn a_secret_is_told_of_wherever_it_goes() {
    let token = format!("ghp_{}", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8");
    let line = format!("TOKEN = \"{token}\"\n");
    let findings =
        |scenario: Scenario| scenario.review().findings.iter().filter(|one| one.is_secret()).count();
    let new = findings(Scenario::adding("b.py", &line));
    let moved = Scenario::default().and_removing("a.py", &line).and_adding("b.py", &line);
    assert_eq!(findings(moved), new);
}

#[test]
fn what_is_dangerous_is_told_of_wherever_it_goes() {
    let text = "import os\ndef f(a):\n    os.system('ls ' + a)\n";
    let moved = Scenario::default().and_removing("a.py", text).and_adding("src/b.py", text);
    assert_eq!(moved.lines("command-injection"), [3]);
}
