//! Tests and snapshots that change together with the code.

use domain::words::Severity;

use crate::support::{NOTHING, Scenario, all_claimed};

fn blocking(scenario: &Scenario, rule: &str) -> usize {
    scenario.findings(rule).iter().filter(|finding| finding.blocks(Severity::Major)).count()
}

const TWO: &str = "#[test]\nfn a() {\n    let x = load(1);\n    assert_eq!(x.n, 1);\n}\n\n#[test]\nfn b() {\n    let x = load(2);\n    assert_eq!(x.n, 2);\n    assert!(x.ok);\n}\n";

#[test]
fn a_test_that_moves_and_asserts_less_is_told_of() {
    let kept = &TWO[..TWO.find("\n#[test]\nfn b").unwrap()];
    let moved = "#[test]\nfn b() {\n    let x = load(2);\n    assert_eq!(x.n, 2);\n}\n";
    let scenario = Scenario::changing("tests/a.rs", TWO, kept).and_adding("tests/b.rs", moved);
    assert_eq!(scenario.lines("assertion-removed"), [11]);
    let whole =
        format!("{}    assert!(x.ok);\n}}\n", moved.trim_end().trim_end_matches('}').trim_end_matches(' '));
    let scenario = Scenario::changing("tests/a.rs", TWO, kept).and_adding("tests/b.rs", whole);
    assert_eq!(scenario.lines("assertion-removed"), NOTHING);
}

#[test]
fn a_test_that_got_another_name_is_still_compared() {
    let renamed = TWO.replace("fn b()", "fn loads_the_second()").replace("    assert!(x.ok);\n", "");
    assert_eq!(Scenario::changing("tests/a.rs", TWO, &renamed).lines("assertion-removed"), [11]);
}

#[test]
fn what_the_code_lost_the_test_may_lose() {
    let without = TWO.replace("    assert!(x.ok);\n", "");
    let old = TWO.replace("x.ok", "x.checked_at > 0");
    let scenario = Scenario::changing("tests/a.rs", &old, &without).and_changing(
        "src/a.rs",
        "pub struct X {\n    pub n: u8,\n    pub checked_at: u64,\n}\n",
        "pub struct X {\n    pub n: u8,\n}\n",
    );
    assert_eq!(blocking(&scenario, "assertion-removed"), 0);
}

#[test]
fn an_assertion_may_go_with_the_function_it_called_though_the_word_is_still_in_use() {
    let two = "pub fn pairs() {}\n\npub fn around() -> u8 {\n    2\n}\n";
    let tested = "#[test]\nfn a() {\n    assert!(x.ok());\n    assert_eq!(x.around(), 2);\n}\n";
    let untested = tested.replace("    assert_eq!(x.around(), 2);\n", "");
    let gone = "pub fn pairs() {\n    let around = 1;\n    drop(around);\n}\n";
    let scenario = Scenario::changing("tests/a.rs", tested, &untested);
    assert_eq!(blocking(&scenario.and_changing("src/a.rs", two, gone), "assertion-removed"), 0);
    let kept = two.replace("{}", "{\n    let around = 1;\n    drop(around);\n}");
    let scenario = Scenario::changing("tests/a.rs", tested, &untested);
    assert_eq!(blocking(&scenario.and_changing("src/a.rs", two, &kept), "assertion-removed"), 1);
}

#[test]
fn a_statement_that_asserts_may_go_with_the_function_it_called() {
    let code = "def total():\n    return 1\n\n\ndef discount():\n    return 2\n";
    let tested = "def test_all():\n    assert total() == 1\n    assert discount() == 2\n";
    let untested = tested.replace("    assert discount() == 2\n", "");
    let scenario = || Scenario::changing("tests/test_shop.py", tested, &untested);
    let gone = &code[..code.find("\n\ndef discount").unwrap()];
    assert_eq!(blocking(&scenario().and_changing("shop.py", code, gone), "assertion-removed"), 0);
    let changed = code.replace("return 2", "return 3");
    assert_eq!(blocking(&scenario().and_changing("shop.py", code, &changed), "assertion-removed"), 1);
}

#[test]
fn a_helper_that_asserts_less_is_told_of() {
    let old = "fn check(x: &X) {\n    assert!(x.ok);\n    assert_eq!(x.n, 1);\n}\n#[test]\nfn a() {\n    check(&f());\n}\n";
    let new = old.replace("    assert_eq!(x.n, 1);\n", "");
    assert_eq!(Scenario::changing("tests/a.rs", old, &new).lines("assertion-removed"), [3]);
    let inline = |text: &str| format!("#[cfg(test)]\nmod tests {{\n{text}}}\n");
    let scenario = Scenario::changing("src/a.rs", &inline(old), &inline(&new));
    assert_eq!(scenario.lines("assertion-removed"), [5]);
}

#[test]
fn a_helper_that_is_no_longer_called_is_advice_unless_its_name_says_that_it_asserts() {
    let text = |name: &str, calls: &str| {
        format!(
            "fn {name}(x: u8) {{\n    assert!(f(x));\n}}\n#[test]\nfn a() {{\n    assert!(g());\n{calls}}}\n"
        )
    };
    for (name, blocks) in [("round_trip", 0), ("check_trip", 1)] {
        let with = text(name, &format!("    {name}(1);\n"));
        let scenario = Scenario::changing("tests/a.rs", &with, &text(name, ""));
        assert_eq!(blocking(&scenario, "assertion-removed"), blocks, "{name}");
    }
}

#[test]
fn a_test_asserts_no_less_where_what_it_calls_does() {
    let old = "pub fn load(x: u8) -> u8 {\n    debug_assert!(x > 0);\n    x\n}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() {\n        let x = load(1);\n        assert_eq!(x, 1);\n    }\n}\n";
    let new =
        old.replace("    debug_assert!(x > 0);\n", "").replace("fn a() {\n", "fn a() {\n        setup();\n");
    assert_eq!(Scenario::changing("src/a.rs", old, &new).lines("assertion-removed"), NOTHING);
}

#[test]
fn assertions_of_the_code_itself_are_its_own_affair() {
    let old = "pub fn f(x: u8) {\n    assert!(x > 0);\n    g(x);\n}\n";
    let scenario = Scenario::changing("src/a.rs", old, &old.replace("    assert!(x > 0);\n", ""));
    assert_eq!(scenario.lines("assertion-removed"), NOTHING);
}

#[test]
fn a_test_taken_out_of_its_file_is_told_of() {
    let kept = &TWO[..TWO.find("\n#[test]\nfn b").unwrap()];
    let scenario = Scenario::changing("tests/a.rs", TWO, kept);
    assert_eq!(scenario.lines("test-removed"), [8]);
    assert_eq!(blocking(&scenario, "test-removed"), 1);
    let replaced = format!("{kept}\n#[test]\nfn c() {{\n    assert!(other());\n}}\n");
    assert_eq!(Scenario::changing("tests/a.rs", TWO, &replaced).lines("test-removed"), [8]);
    let rewritten = replaced.replace("assert!(other())", "assert_eq!(load(3).n, 3)");
    assert_eq!(Scenario::changing("tests/a.rs", TWO, &rewritten).lines("test-removed"), NOTHING);
    let moved = Scenario::changing("tests/a.rs", TWO, kept).and_adding("tests/b.rs", &TWO[kept.len()..]);
    assert_eq!(moved.lines("test-removed"), NOTHING);
}

#[test]
fn what_asserts_is_not_what_was_tested() {
    let test = |name: &str, call: &str| {
        format!("    [Fact]\n    public void {name}() {{\n        Assert.Equal(4, {call});\n    }}\n")
    };
    let class = |tests: &str| format!("public class ShopTests {{\n{tests}}}\n");
    let (price, near) = (test("Price", "new Shop().Price(2)"), test("Near", "new Rater().Ratio(2)"));
    let scenario =
        Scenario::changing("tests/ShopTests.cs", &class(&format!("{price}{near}")), &class(&price));
    assert_eq!((scenario.lines("test-removed").len(), blocking(&scenario, "test-removed")), (1, 0));
    let near = test("Near", "new Shop().Price(3)");
    let scenario =
        Scenario::changing("tests/ShopTests.cs", &class(&format!("{price}{near}")), &class(&price));
    assert_eq!(blocking(&scenario, "test-removed"), 1);
}

#[test]
fn a_test_that_is_switched_off_is_told_of_once() {
    let old = "class ShopSpec extends AnyFunSuite {\n  test(\"price\") {\n    assert(ratio(1) == 4)\n  }\n  test(\"near\") {\n    assert(ratio(2) == 4)\n  }\n}\n";
    let off = old.replace("test(\"near\")", "ignore(\"near\")");
    let scenario = Scenario::changing("src/test/scala/ShopSpec.scala", old, &off);
    assert_eq!((scenario.lines("skipped-test"), scenario.lines("test-removed").len()), (vec![5], 0));
    let gone = old.replace("  test(\"near\") {\n    assert(ratio(2) == 4)\n  }\n", "");
    let scenario = Scenario::changing("src/test/scala/ShopSpec.scala", old, &gone);
    assert_eq!(scenario.lines("test-removed").len(), 1);
}

#[test]
fn a_function_that_stays_without_its_mark_is_no_test_any_more() {
    let old = "#[cfg(test)]\nmod tests {\n    #[test]\n    fn loads() {\n        assert_eq!(load(3), 3);\n    }\n    #[test]\n    fn other() {\n        assert!(load(4) > 1);\n    }\n}\n";
    let idle = old.replacen("    #[test]\n", "    #[allow(dead_code)]\n", 1);
    assert_eq!(blocking(&Scenario::changing("src/a.rs", old, &idle), "test-removed"), 1);
    let called = idle.replace("        assert!(load(4)", "        loads();\n        assert!(load(4)");
    assert_eq!(blocking(&Scenario::changing("src/a.rs", old, &called), "test-removed"), 0);
}

#[test]
fn a_test_that_goes_with_its_subject_is_no_loss() {
    let kept = TWO[..TWO.find("\n#[test]\nfn b").unwrap()].to_owned();
    let old = TWO.replace("load(2)", "load_second(2)");
    let scenario = Scenario::changing("tests/a.rs", &old, &kept).and_changing(
        "src/a.rs",
        "pub fn load(n: u8) -> X {\n    X { n }\n}\npub fn load_second(n: u8) -> X {\n    X { n }\n}\n",
        "pub fn load(n: u8) -> X {\n    X { n }\n}\n",
    );
    assert_eq!(scenario.lines("test-removed"), NOTHING);
}

/// Test file, test before, test after, code file, code before, code after.
const EXPECTED: [(&str, &str, &str, &str, &str, &str); 14] = [
    (
        "tests/a.rs",
        "#[test]\nfn a() {\n    assert_eq!(price(2), 20);\n}\n",
        "20",
        "src/a.rs",
        "pub fn price(n: u8) -> u8 {\n    n * 10\n}\n",
        "n * 10",
    ),
    (
        "tests/test_a.py",
        "def test_a():\n    assert price(2) == 20\n",
        "20",
        "src/a.py",
        "def price(n):\n    return n * 10\n",
        "n * 10",
    ),
    (
        "a.test.js",
        "it('a', () => {\n  expect(price(2)).toBe(20);\n});\n",
        "20",
        "a.js",
        "export function price(n) {\n  return n * 10;\n}\n",
        "n * 10",
    ),
    (
        "a.spec.ts",
        "it('a', () => {\n  expect(price(2)).toEqual('20');\n});\n",
        "'20'",
        "a.ts",
        "export const price = (n: number) => {\n  return n * 10;\n};\n",
        "n * 10",
    ),
    (
        "a_test.go",
        "package a\n\nfunc TestA(t *testing.T) {\n\tassert.Equal(t, 20, price(2))\n}\n",
        "20",
        "a.go",
        "package a\n\nfunc price(n int) int {\n\treturn n * 10\n}\n",
        "n * 10",
    ),
    (
        "ATest.java",
        "class ATest {\n    @Test void a() {\n        assertEquals(20, price(2));\n    }\n}\n",
        "20",
        "A.java",
        "class A {\n    int price(int n) {\n        return n * 10;\n    }\n}\n",
        "n * 10",
    ),
    (
        "ATest.kt",
        "class ATest {\n    @Test\n    fun a() {\n        assertEquals(20, price(2))\n    }\n}\n",
        "20",
        "A.kt",
        "fun price(n: Int): Int {\n    return n * 10\n}\n",
        "n * 10",
    ),
    (
        "ATests.cs",
        "class ATests {\n    [Fact]\n    public void A() {\n        Assert.Equal(20, price(2));\n    }\n}\n",
        "20",
        "A.cs",
        "class A {\n    int price(int n) {\n        return n * 10;\n    }\n}\n",
        "n * 10",
    ),
    (
        "spec/a_spec.rb",
        "it \"a\" do\n  expect(price(2)).to eq(20)\nend\n",
        "20",
        "lib/a.rb",
        "def price(n)\n  n * 10\nend\n",
        "n * 10",
    ),
    (
        "tests/ATest.php",
        "<?php\nclass ATest extends TestCase {\n    function testA() {\n        $this->assertSame(20, price(2));\n    }\n}\n",
        "20",
        "src/a.php",
        "<?php\nfunction price($n) {\n    return 1 + n * 10;\n}\n",
        "n * 10",
    ),
    (
        "Tests/ATests.swift",
        "class ATests: XCTestCase {\n    func testA() {\n        XCTAssertEqual(price(2), 20)\n    }\n}\n",
        "20",
        "Sources/A.swift",
        "func price(_ n: Int) -> Int {\n    return n * 10\n}\n",
        "n * 10",
    ),
    (
        "src/test/ASpec.scala",
        "class ASpec extends AnyFunSuite {\n  test(\"a\") {\n    assert(price(2) == 20)\n  }\n}\n",
        "20",
        "src/main/A.scala",
        "object A {\n  def price(n: Int): Int = {\n    n * 10\n  }\n}\n",
        "n * 10",
    ),
    (
        "test/test_a.c",
        "void test_a(void)\n{\n    TEST_ASSERT_EQUAL_INT(20, price(2));\n}\n",
        "20",
        "src/a.c",
        "int price(int n)\n{\n    return n * 10;\n}\n",
        "n * 10",
    ),
    (
        "tests/a_test.cpp",
        "TEST(A, Prices) {\n  EXPECT_EQ(price(2), 20);\n}\n",
        "20",
        "src/a.cpp",
        "int price(int n) {\n  return n * 10;\n}\n",
        "n * 10",
    ),
];

#[test]
fn every_language_of_expectations_is_tried() {
    let paths: Vec<&str> = EXPECTED.iter().map(|(test, ..)| *test).collect();
    all_claimed("expectation-changed", &paths);
}

#[test]
fn an_expected_value_that_follows_the_code_is_told_of() {
    for (test, before, value, code, body, logic) in EXPECTED {
        let after = before.replace(value, "77");
        let edited = body.replace(logic, "n * 11");
        let rule = "expectation-changed";
        for (now, other) in [("77", "n * 11"), ("21", "n * 10 + 1"), ("1", "round(n)")] {
            let both = Scenario::changing(test, before, &before.replace(value, now)).and_changing(
                code,
                body,
                &body.replace(logic, other),
            );
            assert_eq!(both.findings(rule).len(), 1, "{test}");
            assert_eq!(blocking(&both, rule), 0, "{test}");
        }
        let alone = Scenario::changing(test, before, &after);
        assert_eq!(alone.lines(rule), NOTHING, "{test}");
        let other = body.replace("price", "weight");
        let elsewhere =
            Scenario::changing(test, before, &after).and_changing(code, &other, &other.replace(logic, "1"));
        assert_eq!(elsewhere.lines(rule), NOTHING, "{test}");
        let more = before.replace("price(2)", "price(3)");
        let asked = Scenario::changing(test, before, &more).and_changing(code, body, &edited);
        assert_eq!(asked.lines(rule), NOTHING, "{test}");
    }
}

#[test]
fn a_value_made_of_literals_may_follow_a_constant_of_the_code() {
    let rule = "expectation-changed";
    let test = "def test_a():\n    assert total(2) == Decimal(\"35.70\")\n";
    let code = "RATE = Decimal(\"0.19\")\n\n\ndef total(n):\n    return n * RATE\n";
    let changed = test.replace("35.70", "32.10");
    let both = Scenario::changing("tests/test_a.py", test, &changed);
    let both = both.and_changing("src/a.py", code, &code.replace("0.19", "0.07"));
    assert_eq!(both.findings(rule).len(), 1);
    assert_eq!(blocking(&both, rule), 0);
    let imports = Scenario::changing("tests/test_a.py", test, &changed);
    let imports = imports.and_changing("src/a.py", &format!("import a1\n{code}"), code);
    assert_eq!(imports.lines(rule), NOTHING);
}

#[test]
fn a_snapshot_recorded_with_the_code_is_told_of() {
    let rule = "snapshot-rerecorded";
    for path in ["src/snapshots/a.snap", "src/__snapshots__/a.test.js.snap", "tests/a.approved.txt"] {
        let with_code =
            Scenario::changing(path, "a\nb\n", "a\nc\n").and_changing("src/a.js", "f(1);\n", "f(2);\n");
        assert_eq!(with_code.lines(rule), [0], "{path}");
        assert_eq!(blocking(&with_code, rule), 0, "{path}");
        assert_eq!(Scenario::changing(path, "a\nb\n", "a\nc\n").lines(rule), NOTHING, "{path}");
        let grown = Scenario::changing(path, "a\n", "a\nc\n").and_changing("src/a.js", "f(1);\n", "f(2);\n");
        assert_eq!(grown.lines(rule), NOTHING, "{path}");
        let new = Scenario::adding(path, "a\n").and_changing("src/a.js", "f(1);\n", "f(2);\n");
        assert_eq!(new.lines(rule), NOTHING, "{path}");
    }
}

/// A test of each framework, what stands around all tests of a file, and how a block of it is hidden.
const HIDDEN: [(&str, &str, &str, &str, &str, &str); 16] = [
    ("tests/test_a.py", "", "def test_{}():\n    assert total({n}) == 1\n\n\n", "", "\"\"\"\n", "\"\"\"\n"),
    ("tests/test_b.py", "", "def test_{}():\n  assert total({n}) == 1\n", "", "if False:\n ", ""),
    ("tests/a.rs", "", "#[test]\nfn {}() {\n    assert_eq!(total({n}), 1);\n}\n", "", "/*\n", "*/\n"),
    ("tests/b.rs", "", "#[test]\nfn {}() {\n    assert_eq!(total({n}), 1);\n}\n", "", "#[cfg(any())]\n", ""),
    ("test/a.test.js", "", "it('{}', () => {\n  expect(total({n})).toBe(1);\n});\n", "", "/*\n", "*/\n"),
    (
        "test/a.test.ts",
        "",
        "test('{}', () => {\n  expect(total({n})).toBe(1);\n});\n",
        "",
        "if (false) {\n",
        "}\n",
    ),
    (
        "a_test.go",
        "package a\n",
        "func Test{}(t *testing.T) {\n\tassert.Equal(t, 1, total({n}))\n}\n",
        "",
        "/*\n",
        "*/\n",
    ),
    (
        "ATest.java",
        "class ATest {\n",
        "@Test void {}() {\n    assertEquals(1, total({n}));\n}\n",
        "}\n",
        "/*\n",
        "*/\n",
    ),
    (
        "ATest.kt",
        "class ATest {\n",
        "@Test\nfun {}() {\n    assertEquals(1, total({n}))\n}\n",
        "}\n",
        "/*\n",
        "*/\n",
    ),
    (
        "ATests.cs",
        "class ATests {\n",
        "[Fact]\npublic void {}() {\n    Assert.Equal(1, total({n}));\n}\n",
        "}\n",
        "#if false\n",
        "#endif\n",
    ),
    ("spec/a_spec.rb", "", "it \"{}\" do\n  expect(total({n})).to eq(1)\nend\n", "", "=begin\n", "=end\n"),
    (
        "tests/ATest.php",
        "<?php\nclass ATest extends TestCase {\n",
        "function test{}() {\n    $this->assertSame(1, total({n}));\n}\n",
        "}\n",
        "/*\n",
        "*/\n",
    ),
    (
        "Tests/ATests.swift",
        "class ATests: XCTestCase {\n",
        "func test{}() {\n    XCTAssertEqual(total({n}), 1)\n}\n",
        "}\n",
        "#if false\n",
        "#endif\n",
    ),
    (
        "ASpec.scala",
        "class ASpec extends AnyFunSuite {\n",
        "test(\"{}\") {\n  assert(total({n}) == 1)\n}\n",
        "}\n",
        "/*\n",
        "*/\n",
    ),
    (
        "test/test_a.c",
        "",
        "void test_{}(void)\n{\n    TEST_ASSERT_EQUAL_INT(1, total({n}));\n}\n",
        "",
        "#if 0\n",
        "#endif\n",
    ),
    ("tests/a_test.cpp", "", "TEST(A, {}) {\n  EXPECT_EQ(total({n}), 1);\n}\n", "", "#if 0\n", "#endif\n"),
];

#[test]
fn a_test_that_two_new_lines_hide_is_gone() {
    let rule = "test-removed";
    for (path, head, test, foot, open, close) in HIDDEN {
        let one = |name: &str, n: &str| test.replace("{}", name).replace("{n}", n);
        let (a, b, c) = (one("First", "1"), one("Second", "2"), one("Third", "3"));
        let old = format!("{head}{a}{b}{c}{foot}");
        let hidden = format!("{head}{a}{open}{b}{close}{c}{foot}");
        let findings = Scenario::changing(path, &old, &hidden).findings(rule);
        assert_eq!(findings.len(), 1, "{path}");
        assert!(findings[0].message.contains("econd"), "{path}: {}", findings[0].message);
        let explained = format!("{head}{a}{b}{c}{foot}").replace(&b, &b.replace("total(2)", "total(20)"));
        assert_eq!(Scenario::changing(path, &old, &explained).lines(rule), NOTHING, "{path}");
    }
}
