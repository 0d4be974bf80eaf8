//! Assertions that went elsewhere count; others that only look like them do not.

use domain::words::Severity;

use crate::support::Scenario;

fn blocking(scenario: &Scenario) -> usize {
    let rules = ["assertion-removed", "test-removed"];
    let findings = scenario.review().findings.into_iter();
    findings.filter(|one| rules.contains(&one.rule.as_str()) && one.blocks(Severity::Major)).count()
}

const OLD: &str = "def test_total():\n    cart = load()\n    assert cart.open\n    assert cart.total == 30\n    assert cart.owner == 'Alice'\n";
const LESS: &str = "def test_total():\n    cart = load()\n    assert cart.open\n";

fn and_elsewhere(other: &str) -> usize {
    blocking(&Scenario::changing("tests/test_cart.py", OLD, LESS).and_adding("tests/test_more.py", other))
}

#[test]
fn what_another_test_asks_for_is_not_gone() {
    for other in [
        "def test_more():\n    cart = load()\n    assert cart.total == 30\n    assert cart.owner == 'Alice'\n",
        "def test_more():\n    basket = load()\n    assert basket.total == 30\n    assert 'Alice' == basket.owner\n",
    ] {
        assert_eq!(and_elsewhere(other), 0, "{other}");
    }
}

#[test]
fn less_or_something_else_is_no_replacement() {
    for (other, left) in [
        // Less of the same.
        ("def test_more():\n    cart = load()\n    assert cart.total\n    assert cart.owner\n", 2),
        ("def test_more():\n    cart = load()\n    assert cart.total > 0\n    assert cart.owner != ''\n", 2),
        // Other values, or of something else.
        (
            "def test_more():\n    cart = load()\n    assert cart.total == 31\n    assert cart.owner == 'Bob'\n",
            2,
        ),
        ("def test_more():\n    assert load().size == 30\n    assert load().name == 'Alice'\n", 2),
        (
            "def test_more():\n    user = find()\n    assert user.total == 30\n    assert user.owner == 'Alice'\n",
            2,
        ),
        // One accounts for one.
        (
            "def test_more():\n    cart = load()\n    assert cart.total == 30\n    assert cart.total == 30\n",
            1,
        ),
        // A function that no test calls asserts nothing.
        ("def compare(cart):\n    assert cart.total == 30\n    assert cart.owner == 'Alice'\n", 2),
        ("def test_more():\n    assert True\n    assert 30 == 30\n", 2),
    ] {
        assert_eq!(and_elsewhere(other), left, "{other}");
    }
}

#[test]
fn a_failure_counts_where_the_same_call_fails() {
    let old = "class ReaderTest {\n    @Test\n    void reads() {\n        assertEquals(\"a\", reader.read(\"a\"));\n        assertThrows(MissingFile.class, () -> reader.open(\"b\"));\n    }\n}\n";
    let with = |second: &str| {
        let new = format!(
            "class ReaderTest {{\n    @Test\n    void reads() {{\n        assertEquals(\"a\", reader.read(\"a\"));\n    }}\n    @Test\n    void other() {{\n        {second}\n    }}\n}}\n"
        );
        blocking(&Scenario::changing("ReaderTest.java", old, &new))
    };
    assert_eq!(with("assertThrows(MissingFile.class, () -> reader.open(\"c\"));"), 0);
    assert_eq!(with("assertThrows(MissingFile.class, () -> reader.close());"), 1);
    assert_eq!(with("assertThrows(Exception.class, () -> reader.open(\"b\"));"), 1);
    assert_eq!(with("assertDoesNotThrow(() -> reader.open(\"b\"));"), 1);
}

#[test]
fn a_file_beside_may_have_the_same_test() {
    let test = "def test_total():\n    cart = load()\n    assert cart.open\n    assert cart.total == 30\n";
    let other = "\n\ndef test_other():\n    assert load_other() == 1\n";
    let gone = || Scenario::changing("tests/test_a.py", &format!("{test}{other}"), other.trim_start());
    assert_eq!(blocking(&gone()), 1);
    assert_eq!(blocking(&gone().and_keeping("tests/test_b.py", test)), 0);
    assert_eq!(blocking(&gone().and_keeping("tests/test_b.py", &test.replace("30", "31"))), 1);
    assert_eq!(blocking(&gone().and_keeping("tests/notes.txt", test)), 1);
}

#[test]
fn a_step_that_a_fixture_takes_is_no_loss_and_another_is() {
    let old = "package a\n\nfunc TestA(t *testing.T) {\n\tdir, err := os.MkdirTemp(\"\", \"a\")\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n\tn, err := write(dir)\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n\tif n != 3 {\n\t\tt.Error(n)\n\t}\n}\n";
    let with = |rest: &str| {
        let new = format!("package a\n\nfunc TestA(t *testing.T) {{\n\tdir := t.TempDir()\n{rest}}}\n");
        blocking(&Scenario::changing("a_test.go", old, &new))
    };
    let checked = "\tn, err := write(dir)\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n\tif n != 3 {\n\t\tt.Error(n)\n\t}\n";
    assert_eq!(with(checked), 0);
    assert_eq!(with("\tn, err := write(dir)\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n\t_ = n\n"), 1);
}

#[test]
fn a_new_name_hides_no_weaker_assertion() {
    let old = "class CartTest {\n    @Test\n    public void testTotal() {\n        assertEquals(30, cart.total());\n        assertTrue(cart.isOpen());\n    }\n}\n";
    let new =
        "class CartTest {\n    @Test\n    void total() {\n        assertTrue(cart.isOpen());\n    }\n}\n";
    assert_eq!(blocking(&Scenario::changing("CartTest.java", old, new)), 1);
}

#[test]
fn a_deleted_file_of_tests_may_stand_elsewhere_in_another_form() {
    let old = "import XCTest\n\nfinal class CartTests: XCTestCase {\n    func testTotal() {\n        XCTAssertEqual(cart.total, 30)\n    }\n}\n";
    let new = "import Testing\n\nstruct Sums {\n    @Test func sums() {\n        #expect(cart.total == 30)\n    }\n}\n";
    let gone = |new: &str| {
        blocking(
            &Scenario::default()
                .and_removing("Tests/CartTests.swift", old)
                .and_adding("Tests/SumsTests.swift", new),
        )
    };
    assert_eq!(gone(new), 0);
    assert_eq!(gone(&new.replace("30", "31")), 1);
}
