//! Expected values that follow the code, in the shapes that people write them in.

use domain::words::Severity;

use crate::support::{NOTHING, Scenario};

const RULE: &str = "expectation-changed";

/// A language: where its code and its tests stand, and how a test is written of which `BODY` is inside.
struct Home {
    code: (&'static str, &'static str),
    test: (&'static str, &'static str),
}

const GO: Home = Home {
    code: (
        "a.go",
        "package a\n\nfunc Price(n int) int {\n\treturn n * 10\n}\n\nfunc Other(n int) int {\n\treturn n - 1\n}\n",
    ),
    test: ("a_test.go", "package a\n\nfunc TestPrice(t *testing.T) {\nBODY\n}\n"),
};
const MINITEST: Home = Home {
    code: (
        "lib/shop.rb",
        "class Shop\n  def self.price(n)\n    n * 10\n  end\n\n  def cost(n)\n    n * 10\n  end\nend\n",
    ),
    test: ("test/shop_test.rb", "class ShopTest < Minitest::Test\n  def test_price\nBODY\n  end\nend\n"),
};
const RSPEC: Home = Home {
    code: MINITEST.code,
    test: ("spec/shop_spec.rb", "describe Shop do\n  it \"prices\" do\nBODY\n  end\nend\n"),
};
const JAVA: Home = Home {
    code: (
        "src/main/java/Shop.java",
        "public class Shop {\n    public static int price(int n) {\n        return n * 10;\n    }\n}\n",
    ),
    test: (
        "src/test/java/ShopTest.java",
        "class ShopTest {\n    @Test\n    void prices() {\nBODY\n    }\n}\n",
    ),
};
const KOTLIN: Home = Home {
    code: ("src/main/kotlin/Shop.kt", "object Shop {\n    fun price(n: Int): Int = n * 10\n}\n"),
    test: (
        "src/test/kotlin/ShopTest.kt",
        "class ShopTest {\n    @Test\n    fun prices() {\nBODY\n    }\n}\n",
    ),
};
const CSHARP: Home = Home {
    code: ("src/Shop.cs", "public static class Shop {\n    public static int Price(int n) => n * 10;\n}\n"),
    test: (
        "tests/ShopTests.cs",
        "public class ShopTests {\n    [Fact]\n    public void Prices() {\nBODY\n    }\n}\n",
    ),
};
const PHP: Home = Home {
    code: (
        "src/Shop.php",
        "<?php\nclass Shop {\n    public static function price($n) {\n        return $n * 10;\n    }\n}\n",
    ),
    test: (
        "tests/ShopTest.php",
        "<?php\nclass ShopTest extends TestCase {\n    public function testPrice() {\nBODY\n    }\n}\n",
    ),
};
const SWIFT: Home = Home {
    code: (
        "Sources/Shop.swift",
        "struct Shop {\n    static func price(_ n: Int) -> Int {\n        return n * 10\n    }\n}\n",
    ),
    test: (
        "Tests/ShopTests.swift",
        "final class ShopTests: XCTestCase {\n    func testPrice() {\nBODY\n    }\n}\n",
    ),
};
const SCALA: Home = Home {
    code: ("src/main/scala/Shop.scala", "object Shop {\n  def price(n: Int): Int = n * 10\n}\n"),
    test: (
        "src/test/scala/ShopSpec.scala",
        "class ShopSpec extends AnyFunSuite with Matchers {\n  test(\"prices\") {\nBODY\n  }\n}\n",
    ),
};
const C: Home = Home {
    code: ("src/shop.c", "int price(int n)\n{\n    return n * 10;\n}\n"),
    test: ("tests/test_shop.c", "void test_price(void)\n{\nBODY\n}\n"),
};
const CPP: Home = Home {
    code: ("src/shop.cpp", "int Shop::price(int n) {\n  return n * 10;\n}\n"),
    test: ("tests/shop_test.cpp", "TEST(Shop, Prices) {\nBODY\n}\n"),
};
const RUST: Home = Home {
    code: ("src/shop.rs", "impl Shop {\n    pub fn price(n: u8) -> u8 {\n        n * 10\n    }\n}\n"),
    test: ("tests/shop.rs", "#[test]\nfn prices() {\nBODY\n}\n"),
};
const PYTHON: Home = Home {
    code: ("src/shop.py", "class Shop:\n    def price(n):\n        return n * 10\n"),
    test: ("tests/test_shop.py", "def test_price():\nBODY\n"),
};
const SCRIPT: Home = Home {
    code: ("src/shop.ts", "export class Shop {\n  static price(n: number) {\n    return n * 10;\n  }\n}\n"),
    test: ("src/shop.test.ts", "it('prices', () => {\nBODY\n});\n"),
};

/// Each expects 20 of what is given 2.
const SHAPES: &[(&Home, &str)] = &[
    (&GO, "\tif got := Price(2); got != 20 {\n\t\tt.Errorf(\"got %d\", got)\n\t}"),
    (&GO, "\tgot := Price(2)\n\tif got != 20 {\n\t\tt.Errorf(\"Price(2) = %d\", got)\n\t}"),
    (
        &GO,
        "\tgot, err := Price(2)\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n\tif got != 20 {\n\t\tt.Fatalf(\"got %d, want 20\", got)\n\t}",
    ),
    (&GO, "\tif Price(2) != 20 {\n\t\tt.Error(\"wrong\")\n\t}"),
    (
        &GO,
        "\twant := 20\n\tif got := Price(2); got != want {\n\t\tt.Errorf(\"got %d, want %d\", got, want)\n\t}",
    ),
    (&GO, "\tassert.Equal(t, 20, Price(2))"),
    (&GO, "\trequire.Equal(t, 20, shop.Price(2), \"two of them\")"),
    (&GO, "\tgot := Price(2)\n\tassert.Equal(t, 20, got)"),
    (
        &GO,
        "\ttests := []struct {\n\t\tin   int\n\t\twant int\n\t}{\n\t\t{in: 1, want: 10},\n\t\t{in: 2, want: 20},\n\t}\n\tfor _, tt := range tests {\n\t\tif got := Price(tt.in); got != tt.want {\n\t\t\tt.Errorf(\"got %d\", got)\n\t\t}\n\t}",
    ),
    (
        &GO,
        "\ttests := []struct {\n\t\tname     string\n\t\tn        int\n\t\texpected int\n\t}{\n\t\t{\"one\", 1, 10},\n\t\t{\"two\", 2, 20},\n\t}\n\tfor _, tc := range tests {\n\t\tt.Run(tc.name, func(t *testing.T) {\n\t\t\tassert.Equal(t, tc.expected, Price(tc.n))\n\t\t})\n\t}",
    ),
    (
        &GO,
        "\tfor name, tc := range map[string]struct{ n, want int }{\n\t\t\"one\": {n: 1, want: 10},\n\t\t\"two\": {\n\t\t\tn:    2,\n\t\t\twant: 20,\n\t\t},\n\t} {\n\t\tt.Run(name, func(t *testing.T) {\n\t\t\tgot := Price(tc.n)\n\t\t\trequire.Equal(t, tc.want, got)\n\t\t})\n\t}",
    ),
    (&MINITEST, "    assert_equal 20, Shop.price(2)"),
    (&MINITEST, "    assert_equal(20, Shop.new.cost(2))"),
    (&MINITEST, "    shop = Shop.new\n    assert_equal 20, shop.cost(2), \"two of them\""),
    (&MINITEST, "    got = Shop.price(2)\n    assert_equal 20, got"),
    (&RSPEC, "    expect(Shop.price(2)).to eq 20"),
    (&RSPEC, "    expect(Shop.price(2)).to eq(20)"),
    (&RSPEC, "    expect(Shop.new.cost(2)).to eql 20"),
    (&RSPEC, "    result = Shop.price(2)\n    expect(result).to eq 20"),
    (&JAVA, "        assertEquals(20, Shop.price(2));"),
    (&JAVA, "        assertEquals(20, Shop.price(2), \"two of them\");"),
    (&JAVA, "        assertThat(Shop.price(2)).isEqualTo(20);"),
    (&JAVA, "        int got = Shop.price(2);\n        Assertions.assertEquals(20, got);"),
    (&KOTLIN, "        assertEquals(20, Shop.price(2))"),
    (&KOTLIN, "        val got = Shop.price(2)\n        assertEquals(20, got)"),
    (&KOTLIN, "        Shop.price(2) shouldBe 20"),
    (&KOTLIN, "        assertEquals(expected = 20, actual = Shop.price(2))"),
    (&CSHARP, "        Assert.Equal(20, Shop.Price(2));"),
    (&CSHARP, "        var got = Shop.Price(2);\n        Assert.AreEqual(20, got);"),
    (&CSHARP, "        Assert.That(Shop.Price(2), Is.EqualTo(20));"),
    (&CSHARP, "        Shop.Price(2).Should().Be(20);"),
    (&PHP, "        $this->assertSame(20, Shop::price(2));"),
    (&PHP, "        $got = Shop::price(2);\n        $this->assertEquals(20, $got);"),
    (&PHP, "        self::assertSame(20, Shop::price(2));"),
    (&SWIFT, "        XCTAssertEqual(Shop.price(2), 20)"),
    (&SWIFT, "        let got = Shop.price(2)\n        XCTAssertEqual(got, 20)"),
    (&SWIFT, "        #expect(Shop.price(2) == 20)"),
    (&SCALA, "    assert(Shop.price(2) == 20)"),
    (&SCALA, "    Shop.price(2) shouldBe 20"),
    (&SCALA, "    val got = Shop.price(2)\n    assertEquals(got, 20)"),
    (&C, "    TEST_ASSERT_EQUAL_INT(20, price(2));"),
    (&C, "    assert(price(2) == 20);"),
    (&C, "    int got = price(2);\n    TEST_ASSERT_EQUAL(20, got);"),
    (&CPP, "  EXPECT_EQ(Shop::price(2), 20);"),
    (&CPP, "  ASSERT_EQ(20, shop.price(2));"),
    (&CPP, "  const auto got = Shop::price(2);\n  EXPECT_EQ(got, 20);"),
    (&RUST, "    assert_eq!(Shop::price(2), 20);"),
    (&RUST, "    let got = Shop::price(2);\n    assert_eq!(got, 20, \"two of them\");"),
    (&RUST, "    let expected = 20;\n    assert_eq!(Shop::price(2), expected);"),
    (&PYTHON, "    assert Shop.price(2) == 20"),
    (&PYTHON, "    got = Shop.price(2)\n    assert got == 20"),
    (&PYTHON, "    expected = 20\n    assert Shop.price(2) == expected"),
    (&SCRIPT, "  expect(Shop.price(2)).toBe(20);"),
    (&SCRIPT, "  const got = Shop.price(2);\n  expect(got).toBe(20);"),
    (&SCRIPT, "  const expected = 20;\n  expect(Shop.price(2)).toEqual(expected);"),
];

impl Home {
    fn written(&self, body: &str) -> String {
        self.test.1.replace("BODY", body)
    }

    /// A change of a test, and of the code as well.
    fn change(&self, was: &str, now: &str, code: (&str, &str)) -> Scenario {
        let changed = self.code.1.replace(code.0, code.1);
        assert_ne!(changed, self.code.1);
        let scenario = Scenario::changing(self.test.0, &self.written(was), &self.written(now));
        scenario.and_changing(self.code.0, self.code.1, &changed)
    }
}

#[test]
fn an_expected_value_that_follows_the_code_is_told_of_in_every_shape() {
    let mut silent = Vec::new();
    for (home, body) in SHAPES {
        let scenario = home.change(body, &body.replace("20", "22"), ("n * 10", "n * 11"));
        let findings = scenario.findings(RULE);
        assert!(findings.iter().all(|finding| !finding.blocks(Severity::Major)), "{body}");
        if findings.len() != 1 {
            silent.push(format!("{} times {}:\n{body}", findings.len(), home.test.0));
        }
    }
    assert!(silent.is_empty(), "{}\n{}", silent.len(), silent.join("\n"));
}

#[test]
fn an_expected_value_that_changes_alone_or_with_what_is_given_is_not() {
    for (home, body) in SHAPES {
        let other = body.replace("20", "22");
        let alone = Scenario::changing(home.test.0, &home.written(body), &home.written(&other));
        assert_eq!(alone.lines(RULE), NOTHING, "{body}");
        let input = other.replace("(2)", "(3)").replace("n:    2", "n:    3").replace("in: 2", "in: 3");
        let input = input.replace("\"two\", 2", "\"two\", 3");
        let asked = home.change(body, &input, ("n * 10", "n * 11"));
        assert_eq!(asked.lines(RULE), NOTHING, "{body}");
        let (renamed, method) = (home.code.1.replace("rice", "riceless"), home.code.0);
        let renamed = renamed.replace("cost", "costly");
        let elsewhere = Scenario::changing(home.test.0, &home.written(body), &home.written(&other))
            .and_changing(method, &renamed, &renamed.replace("n * 10", "n * 11"));
        assert_eq!(elsewhere.lines(RULE), NOTHING, "{body}");
    }
}

/// Before and after, each beside code that was edited: none expects anything else.
const HONEST: &[(&Home, &str, &str)] = &[
    (
        &JAVA,
        "        assertEquals(20, Shop.price(2), \"a\");",
        "        assertEquals(20, Shop.price(2), \"b\");",
    ),
    (&GO, "\tassert.Equal(t, \"20\", Price(2), \"a\")", "\tassert.Equal(t, \"20\", Price(2), \"b\")"),
    (&GO, "\tassert.Equal(t, want, Price(2), \"a\")", "\tassert.Equal(t, want, Price(2), \"b\")"),
    (&PYTHON, "    assert Shop.price(2) == 20", "    expected = 20\n    assert Shop.price(2) == expected"),
    (&PYTHON, "    assert Shop.price(2) == 2000", "    assert Shop.price(2) == 2_000"),
    (&PYTHON, "    assert Shop.price(2) == '20'", "    assert Shop.price(2) == \"20\""),
    (
        &PYTHON,
        "    text = \"20\"\n    assert Shop.price(text) == text",
        "    text = \"22\"\n    assert Shop.price(text) == text",
    ),
    (
        &PYTHON,
        "    n = 2\n    got = Shop.price(n)\n    assert got == 20",
        "    n = 3\n    got = Shop.price(n)\n    assert got == 30",
    ),
    (
        &SCRIPT,
        "  const given = { n: 2 };\n  expect(Shop.price(given)).toBe(20);",
        "  const given = { n: 3 };\n  expect(Shop.price(given)).toBe(30);",
    ),
    (
        &SCRIPT,
        "  const got = Shop.price(2);\n  expect(got).toBe(20);",
        "  const price = Shop.price(2);\n  expect(price).toBe(20);",
    ),
    (&SCRIPT, "  expect(Shop.price(2)).toBeCloseTo(20, 3);", "  expect(Shop.price(2)).toBeCloseTo(20, 4);"),
    (&RSPEC, "    expect(Shop.price(2)).to eq 20", "    expect(Shop.price(2)).to eql 20"),
    (&MINITEST, "    assert_equal 20, Shop.price(2)", "    assert_equal 20, Shop.price(2), \"two\""),
    (
        &GO,
        "\tgot := Price(2)\n\tif got != 20 {\n\t\tt.Errorf(\"got %d\", got)\n\t}",
        "\tgot := Price(2)\n\tif got != 20 {\n\t\tt.Errorf(\"got %d, want 20\", got)\n\t}",
    ),
    (
        &GO,
        "\twant := 20\n\tgot := Price(want)\n\tif got != want {\n\t\tt.Error(got)\n\t}",
        "\twant := 22\n\tgot := Price(want)\n\tif got != want {\n\t\tt.Error(got)\n\t}",
    ),
];

/// The rows of a table before and after.
const ROWS: &[(&str, &str)] = &[
    ("{in: 1, want: 10},", "{in: 1, want: 10},\n\t\t{in: 2, want: 20},"),
    ("{in: 1, want: 10},\n\t\t{in: 2, want: 20},", "{in: 2, want: 20},\n\t\t{in: 1, want: 10},"),
    ("{in: 1, want: 10},", "{in: 3, want: 30},"),
    ("{in: 1, want: 10},", "{name: \"one\", in: 1, want: 11},"),
    ("{in: 1, want: limit},", "{in: 1, want: most},"),
    ("{in: 1, want: 10},\n\t\t{in: 1, want: 11},", "{in: 1, want: 10},\n\t\t{in: 1, want: 12},"),
    ("{in: 1, want: 10},", "{\n\t\t\tin:   1,\n\t\t\twant: 10,\n\t\t},"),
];

#[test]
fn what_only_looks_like_another_expectation_is_left_alone() {
    for (home, was, now) in HONEST {
        let scenario = home.change(was, now, ("n * 10", "n * 11"));
        assert_eq!(scenario.lines(RULE), NOTHING, "{was}\n{now}");
    }
    let table = |rows: &str| {
        format!(
            "\ttests := []struct {{\n\t\tname string\n\t\tin   int\n\t\twant int\n\t}}{{\n\t\t{rows}\n\t}}\n\tfor _, tt := range tests {{\n\t\tif got := Price(tt.in); got != tt.want {{\n\t\t\tt.Error(got)\n\t\t}}\n\t}}"
        )
    };
    for (was, now) in ROWS {
        let scenario = GO.change(&table(was), &table(now), ("n * 10", "n * 11"));
        assert_eq!(scenario.lines(RULE), NOTHING, "{was}\n{now}");
    }
    // What is edited is called, but not with what the row gives.
    let beside = table("{in: 2, want: 20},").replace("\tfor _", "\tOther(3)\n\tfor _");
    let scenario = GO.change(&beside, &beside.replace("20", "22"), ("n - 1", "n - 2"));
    assert_eq!(scenario.lines(RULE), NOTHING);
}
