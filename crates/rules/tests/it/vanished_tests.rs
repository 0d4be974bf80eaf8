//! Tests that are no longer there, or no longer found, while the code stays.

use domain::words::Severity;

use crate::support::{NOTHING, Scenario};

const RULE: &str = "test-removed";

fn blocking(scenario: &Scenario) -> usize {
    scenario.findings(RULE).iter().filter(|finding| finding.blocks(Severity::Major)).count()
}

/// A file of tests in languages of which only a parse tells what a test is, and the same under another name.
const DELETED: [(&str, &str, &str); 8] = [
    (
        "spec/price_spec.rb",
        "RSpec.describe Price do\n  it \"three\" do\n    expect(Price.new.of(3)).to eq(300)\n  end\nend\n",
        "spec/amount_spec.rb",
    ),
    (
        "test/price_test.rb",
        "class PriceTest < Minitest::Test\n  def test_three\n    assert_equal 300, Price.new.of(3)\n  end\nend\n",
        "test/amount_test.rb",
    ),
    (
        "tests/PriceTest.php",
        "<?php\nclass PriceTest extends TestCase\n{\n    public function testThree(): void\n    {\n        $this->assertSame(300, (new Price())->of(3));\n    }\n}\n",
        "tests/AmountTest.php",
    ),
    (
        "tests/PriceTests.cs",
        "public class PriceTests\n{\n    [Fact]\n    public void Three()\n    {\n        Assert.Equal(300, new Price().Of(3));\n    }\n}\n",
        "tests/AmountTests.cs",
    ),
    (
        "Tests/AppTests/PriceTests.swift",
        "final class PriceTests: XCTestCase {\n    func testThree() {\n        XCTAssertEqual(Price().of(3), 300)\n    }\n}\n",
        "Tests/AppTests/AmountTests.swift",
    ),
    (
        "src/test/scala/PriceSpec.scala",
        "class PriceSpec extends AnyFunSuite {\n  test(\"three\") {\n    assert(new Price().of(3) == 300)\n  }\n}\n",
        "src/test/scala/AmountSpec.scala",
    ),
    (
        "tests/price_test.cpp",
        "TEST(Price, Three) {\n    EXPECT_EQ(price(3), 300);\n}\n",
        "tests/amount_test.cpp",
    ),
    (
        "tests/test_price.c",
        "static void test_three(void) {\n    assert(price(3) == 300);\n}\n\nint main(void) {\n    test_three();\n    return 0;\n}\n",
        "tests/test_amount.c",
    ),
];

#[test]
fn a_file_of_tests_that_is_deleted_is_told_of_in_every_language() {
    for (path, text, other) in DELETED {
        assert_eq!(blocking(&Scenario::default().and_removing(path, text)), 1, "{path}");
        let moved = Scenario::default().and_removing(path, text).and_adding(other, text);
        assert_eq!(moved.lines(RULE), NOTHING, "{path}");
        let helper = "no tests in here\n";
        assert_eq!(Scenario::default().and_removing(path, helper).lines(RULE), NOTHING, "{path}");
    }
}

const SHIPPING: &str = "from shop.shipping import cost, rate_for\n\n\ndef test_letter():\n    assert cost(ORDER, \"letter\") == 1.2\n\n\ndef test_heavy_parcel():\n    assert cost(ORDER, \"parcel\") == 6.4\n";

#[test]
fn a_file_that_is_left_without_its_tests_is_as_good_as_deleted() {
    for rest in [
        "",
        "# moved\n",
        "def test_smoke():\n    assert True\n",
        "def test_smoke():\n    assert rate_for(\"letter\") > 0\n",
    ] {
        let scenario = Scenario::changing("tests/test_shipping.py", SHIPPING, rest);
        assert_eq!((scenario.findings(RULE).len(), blocking(&scenario)), (1, 1), "{rest}");
    }
    let go = "package shop\n\nfunc TestLetter(t *testing.T) {\n\tassert.Equal(t, 1.2, Cost(\"letter\"))\n}\n";
    assert_eq!(blocking(&Scenario::changing("shop/a_test.go", go, "package shop\n")), 1);
    let java = "class ShippingTest {\n    @Test void letter() {\n        assertEquals(1.2, cost(\"letter\"));\n    }\n}\n";
    assert_eq!(
        blocking(&Scenario::changing("src/test/java/ShippingTest.java", java, "class ShippingTest {}\n")),
        1
    );
    let js = "test('letter', () => {\n  expect(cost('letter')).toBe(1.2);\n});\n";
    assert_eq!(blocking(&Scenario::changing("src/cost.test.js", js, "")), 1);
    let code = "pub fn cost(x: u8) -> u8 {\n    x + 1\n}\n\n#[cfg(test)]\nmod tests {";
    let rust = format!(
        "{code}\n    #[test]\n    fn letter() {{\n        assert_eq!(super::cost(1), 2);\n    }}\n}}\n"
    );
    assert_eq!(blocking(&Scenario::changing("src/cost.rs", &rust, &format!("{code}}}\n"))), 1);
}

#[test]
fn tests_that_leave_their_file_for_a_reason_are_no_loss() {
    let code = "def cost(order, kind):\n    return 1\n\n\ndef rate_for(kind):\n    return 2\n";
    let empty = || Scenario::changing("tests/test_shipping.py", SHIPPING, "# moved\n");
    assert_eq!(blocking(&empty().and_adding("tests/unit/test_cost.py", SHIPPING)), 0);
    let without = "def rate_for(kind):\n    return 2\n";
    assert_eq!(blocking(&empty().and_changing("shop/shipping.py", code, without)), 0);
    // Written anew from further away, and as strictly: that is for people to say.
    let client = "def test_quote():\n    assert client.get(\"/quote\").json() == {\"total\": 6.4}\n\n\ndef test_letters():\n    assert client.get(\"/letters\").json() == [1]\n";
    let scenario = Scenario::changing("tests/test_shipping.py", SHIPPING, client);
    assert_eq!(blocking(&scenario), 0);
}

#[test]
fn a_test_that_makes_room_for_a_weaker_one_is_gone() {
    let swapped = |test: &str| {
        let kept = &SHIPPING[..SHIPPING.find("def test_heavy_parcel").unwrap()];
        Scenario::changing("tests/test_shipping.py", SHIPPING, &format!("{kept}{test}"))
    };
    let weaker = [
        "def test_rates_exist():\n    assert rate_for(\"letter\") > 0\n",
        "def test_parcels_cost():\n    assert cost(ORDER, \"parcel\") > 0\n",
        "def test_parcels():\n    cost(ORDER, \"parcel\")\n",
    ];
    for test in weaker {
        assert_eq!(blocking(&swapped(test)), 1, "{test}");
    }
    let rewritten = [
        "def test_a_heavy_parcel_costs_more():\n    total = cost(HEAVY, \"parcel\")\n    assert total == 6.5\n",
        "@pytest.mark.parametrize(\"kind, want\", [(\"parcel\", 6.4)])\ndef test_costs(kind, want):\n    assert cost(ORDER, kind) == want\n",
        "def test_no_parcels():\n    with pytest.raises(ValueError):\n        cost(ORDER, \"parcel\")\n",
    ];
    for test in rewritten {
        assert_eq!(swapped(test).lines(RULE), NOTHING, "{test}");
    }
}

#[test]
fn a_new_test_stands_for_a_lost_one_if_it_calls_the_same() {
    let kept = &SHIPPING[..SHIPPING.find("\n\ndef test_heavy_parcel").unwrap()];
    let lost = || Scenario::changing("tests/test_shipping.py", SHIPPING, kept);
    let other = "def test_greets():\n    assert greet(\"you\") == \"hello you\"\n";
    assert_eq!(blocking(&lost().and_adding("tests/test_greet.py", other)), 1);
    let same = "def test_parcels():\n    assert cost(HEAVY, \"parcel\") == 6.4\n";
    assert_eq!(blocking(&lost().and_adding("tests/test_parcels.py", same)), 0);
}

#[test]
fn all_tests_of_a_file_of_code_may_lose_their_mark() {
    let test = |name: &str| {
        format!("    #[test]\n    fn {name}() {{\n        assert_eq!(super::cost(3), 3);\n    }}\n")
    };
    let old = format!(
        "pub fn cost(n: u8) -> u8 {{\n    n\n}}\n\n#[cfg(test)]\nmod tests {{\n{}{}{}}}\n",
        test("one"),
        test("two"),
        test("three"),
    );
    let idle = old.replace("    #[test]\n", "");
    assert_eq!(blocking(&Scenario::changing("src/a.rs", &old, &idle)), 3);
}

const TESTS: [(&str, &str); 7] = [
    ("tests/test_a.py", "def test_a():\n    assert cost(1) == 2\n"),
    ("src/a.test.js", "it('a', () => {\n  expect(cost(1)).toBe(2);\n});\n"),
    ("a/a_test.go", "package a\n\nfunc TestA(t *testing.T) {\n\tassert.Equal(t, 2, Cost(1))\n}\n"),
    (
        "src/test/java/ATest.java",
        "class ATest {\n    @Test void a() {\n        assertEquals(2, cost(1));\n    }\n}\n",
    ),
    ("spec/a_spec.rb", "it \"a\" do\n  expect(cost(1)).to eq(2)\nend\n"),
    (
        "tests/ATest.php",
        "<?php\nclass ATest extends TestCase {\n    function testA() {\n        $this->assertSame(2, cost(1));\n    }\n}\n",
    ),
    ("tests/a.rs", "#[test]\nfn a() {\n    assert_eq!(cost(1), 2);\n}\n"),
];

#[test]
fn a_file_of_tests_keeps_a_name_by_which_it_is_found() {
    let lost = [
        ("tests/test_a.py", "tests/a_checks.py"),
        ("tests/test_a.py", "tests/test_a.py.bak"),
        ("tests/test_a.py", "tests/test_a.py.disabled"),
        ("src/a.test.js", "src/a.js"),
        ("src/a.test.js", "src/a.tests.js"),
        ("src/a.test.js", "src/a.test.js.skip"),
        ("a/a_test.go", "a/a_tests.go"),
        ("a/a_test.go", "a/testdata/a_test.go"),
        ("src/test/java/ATest.java", "src/test/java/AChecks.java"),
        ("src/test/java/ATest.java", "src/test/java/ATest.java.txt"),
        ("src/test/java/ATest.java", "src/test/resources/ATest.java"),
        ("spec/a_spec.rb", "spec/a_specs.rb"),
        ("tests/ATest.php", "tests/AChecks.php"),
        ("tests/a.rs", "tests/old/a.rs"),
    ];
    let text = |path: &str| TESTS.iter().find(|(known, _)| *known == path).unwrap().1;
    for (old, new) in lost {
        let scenario = Scenario::renaming(old, new, text(old));
        assert_eq!((scenario.findings(RULE).len(), blocking(&scenario)), (1, 1), "{new}");
    }
    let found = [
        ("tests/test_a.py", "tests/unit/test_a.py"),
        ("tests/test_a.py", "tests/a_test.py"),
        ("src/a.test.js", "src/unit/a.test.js"),
        ("src/a.test.js", "src/a.spec.ts"),
        ("src/a.test.js", "src/__tests__/a.js"),
        ("a/a_test.go", "b/a_test.go"),
        ("src/test/java/ATest.java", "src/test/java/b/BTests.java"),
        ("spec/a_spec.rb", "spec/models/a_spec.rb"),
        ("tests/ATest.php", "tests/Unit/BTest.php"),
        ("tests/a.rs", "tests/b.rs"),
        ("tests/a.rs", "tests/a/main.rs"),
        ("tests/a.rs", "src/a/tests.rs"),
    ];
    for (old, new) in found {
        assert_eq!(Scenario::renaming(old, new, text(old)).lines(RULE), NOTHING, "{new}");
    }
    let helper = "def order():\n    return Order(1)\n";
    assert_eq!(Scenario::renaming("tests/test_helpers.py", "tests/helpers.py", helper).lines(RULE), NOTHING);
}

#[test]
fn a_project_may_find_its_tests_by_other_names() {
    let (old, text) = TESTS[0];
    let archived = Scenario::renaming(old, "archive/test_a.py", text);
    assert_eq!((archived.findings(RULE).len(), blocking(&archived)), (1, 0));
    let renamed = || Scenario::renaming(old, "tests/a_checks.py", text);
    let told = renamed().and_keeping("pytest.ini", "[pytest]\npython_files = *_checks.py\n");
    assert_eq!(blocking(&told), 0);
    let imported = renamed().and_adding("tests/test_all.py", "from a_checks import *\n");
    assert_eq!(imported.lines(RULE), NOTHING);
    let module = Scenario::renaming("tests/a.rs", "tests/it/a.rs", TESTS[6].1)
        .and_adding("tests/it/main.rs", "mod a;\n");
    assert_eq!(module.lines(RULE), NOTHING);
    let gradle = Scenario::renaming("src/test/java/ATest.java", "src/test/java/AChecks.java", TESTS[3].1);
    assert_eq!(blocking(&gradle.and_keeping("build.gradle", "plugins { id 'java' }\n")), 0);
}

#[test]
fn tests_that_went_into_a_file_nobody_looks_at_are_gone() {
    let text = TESTS[0].1;
    let gone = |new: &str| Scenario::default().and_removing("tests/test_a.py", text).and_adding(new, text);
    assert_eq!(blocking(&gone("tests/a_checks.py")), 1);
    assert_eq!(gone("tests/unit/test_b.py").lines(RULE), NOTHING);
    let base = gone("tests/a_checks.py").and_adding("tests/test_all.py", "from a_checks import *\n");
    assert_eq!(base.lines(RULE), NOTHING);
}

fn skipped(path: &str, old: &str, new: &str) -> Vec<Severity> {
    let findings = Scenario::changing(path, old, new).findings("skipped-test");
    findings.iter().map(|finding| finding.severity).collect()
}

#[test]
fn a_test_that_was_there_may_not_hide_behind_a_panic() {
    let old = "#[test]\nfn a() {\n    let n = cost(1);\n    assert_eq!(n, 2);\n}\n";
    let panics = old.replace("fn a", "#[should_panic]\nfn a");
    assert_eq!(skipped("tests/a.rs", old, &panics), [Severity::Major]);
    assert_eq!(skipped("tests/a.rs", old, &panics.replace("cost(1)", "cost(0)")), []);
    assert_eq!(skipped("tests/a.rs", "", &panics), []);
    let swift =
        "class ATests: XCTestCase {\n    func testA() {\n        XCTAssertEqual(cost(1), 2)\n    }\n}\n";
    let expected = swift.replace("        XCT", "        XCTExpectFailure()\n        XCT");
    assert_eq!(skipped("Tests/ATests.swift", swift, &expected), [Severity::Major]);
}

#[test]
fn a_test_that_was_there_may_not_become_something_else() {
    let old = "import pytest\n\n\nclass TestCost:\n    def test_a(self):\n        assert cost(1) == 2\n\n\ndef test_b():\n    assert cost(2) == 3\n";
    let off = |from: &str, to: &str| skipped("tests/test_a.py", old, &old.replace(from, to));
    assert_eq!(off("class TestCost:\n", "class TestCost:\n    __test__ = False\n\n"), [Severity::Major]);
    assert_eq!(off("def test_b", "@pytest.fixture\ndef test_b"), [Severity::Major]);
    assert_eq!(off("def test_b()", "@pytest.mark.parametrize(\"n\", [])\ndef test_b(n)"), [Severity::Major]);
    assert_eq!(off("def test_b()", "@pytest.mark.parametrize(\"n\", [1])\ndef test_b(n)"), []);
    assert_eq!(off("def test_b", "@pytest.fixture\ndef test_data():\n    return 1\n\n\ndef test_b"), []);
    let helper = "class TestData:\n    def make(self):\n        return 1\n";
    let apart = helper.replace("Data:\n", "Data:\n    __test__ = False\n\n");
    assert_eq!(skipped("tests/test_a.py", helper, &apart), []);
    let js = "it('a', () => {\n  expect(cost(1)).toBe(2);\n});\n";
    assert_eq!(skipped("a.test.js", js, &js.replace("it(", "it[\"skip\"](")), [Severity::Major]);
    assert_eq!(skipped("a.test.js", js, &js.replace("it(", "it.each([])(")), [Severity::Major]);
    assert_eq!(skipped("a.test.js", js, &js.replace("it(", "it.each([1])(")), []);
}

#[test]
fn a_test_that_is_left_where_changes_are_checked_is_switched_off() {
    let python = "import os\n\n\ndef test_a():\n    assert cost(1) == 2\n";
    let when = |condition: &str| {
        let mark = format!("@pytest.mark.skipif({condition}, reason=\"slow\")\ndef test_a");
        skipped("tests/test_a.py", python, &python.replace("def test_a", &mark))
    };
    for condition in ["os.getenv(\"CI\") == \"true\"", "os.environ.get(\"CI\")", "\"CI\" in os.environ"] {
        assert_eq!(when(condition), [Severity::Major], "{condition}");
    }
    assert_eq!(when("not os.getenv(\"RUN_SLOW\")"), [Severity::Medium]);
    for condition in [
        "not os.getenv(\"CI\")",
        "\"CI\" not in os.environ",
        "sys.platform == \"win32\"",
        "not os.getenv(\"API_TOKEN\")",
    ] {
        assert_eq!(when(condition), [], "{condition}");
    }
    let go = "package a\n\nfunc TestA(t *testing.T) {\n\tassert.Equal(t, 2, Cost(1))\n}\n";
    let when = |condition: &str| {
        let left = format!("\tif {condition} {{\n\t\tt.Skip(\"slow\")\n\t}}\n\tassert");
        skipped("a/a_test.go", go, &go.replace("\tassert", &left))
    };
    assert_eq!(when("os.Getenv(\"CI\") != \"\""), [Severity::Major]);
    assert_eq!(when("os.Getenv(\"CI\") == \"\""), []);
    assert_eq!(when("testing.Short()"), []);
    let rust = "#[test]\nfn a() {\n    assert_eq!(cost(1), 2);\n}\n";
    let left = rust
        .replace("    assert", "    if std::env::var(\"CI\").is_ok() {\n        return;\n    }\n    assert");
    assert_eq!(skipped("tests/a.rs", rust, &left), [Severity::Major]);
    assert_eq!(skipped("tests/a.rs", rust, &left.replace("\"CI\"", "\"DATABASE_URL\"")), []);
    let js = "it('a', () => {\n  expect(cost(1)).toBe(2);\n});\n";
    assert_eq!(skipped("a.test.js", js, &js.replace("it(", "it.skipIf(process.env.CI)(")), [Severity::Major]);
    assert_eq!(skipped("a.test.js", js, &js.replace("it(", "it.skipIf(!process.env.CI)(")), []);
    // What is new may well need more than others have.
    assert_eq!(skipped("tests/a.rs", "", &left), []);
}
