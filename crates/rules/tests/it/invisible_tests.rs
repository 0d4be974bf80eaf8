//! Tests that are still there, and that nobody runs because of a word in front of them.

use domain::words::Severity;

use crate::support::{NOTHING, Scenario};

const RULE: &str = "test-removed";
const JAVA: &str = "src/test/java/ShopTest.java";
const KOTLIN: &str = "src/test/kotlin/ShopTest.kt";

const SHOP: &str = "class ShopTest {\n    @Test\n    void prices() {\n        assertEquals(20, price(2));\n    }\n\n    @ParameterizedTest\n    @ValueSource(ints = {1, 2})\n    void adds(int n) {\n        assertEquals(n, add(n));\n    }\n}\n";
const MARKT: &str = "class ShopTest {\n    @Test\n    fun prices() {\n        assertEquals(20, price(2))\n    }\n\n    @org.junit.jupiter.api.Test\n    fun adds() {\n        assertEquals(3, add(3))\n    }\n}\n";

/// What the rule says of a change of one file, line by line, and whether it blocks.
fn told(scenario: &Scenario) -> Vec<(u32, bool)> {
    let findings = scenario.findings(RULE);
    findings.iter().map(|one| (one.line().unwrap(), one.blocks(Severity::Major))).collect()
}

#[test]
fn a_test_that_becomes_private_is_told_of() {
    for (path, text, from, to, line) in [
        (JAVA, SHOP, "    void prices", "    private void prices", 3),
        (JAVA, SHOP, "    void adds", "    private void adds", 9),
        (JAVA, SHOP, "    @Test\n    void prices", "    @Test private void prices", 2),
        (KOTLIN, MARKT, "    fun prices", "    private fun prices", 3),
        (KOTLIN, MARKT, "    fun adds", "    private fun adds", 8),
        (KOTLIN, MARKT, "    @Test\n    fun prices", "    @Test private fun prices", 2),
    ] {
        let scenario = Scenario::changing(path, text, &text.replace(from, to));
        assert_eq!(told(&scenario), [(line, true)], "{to}");
    }
}

#[test]
fn a_class_of_tests_that_becomes_abstract_is_told_of() {
    for (path, text) in [(JAVA, SHOP), (KOTLIN, MARKT)] {
        let hidden = text.replace("class ShopTest", "abstract class ShopTest");
        assert_eq!(told(&Scenario::changing(path, text, &hidden)), [(1, true)], "{path}");
        let public = format!("public {text}");
        let hidden = public.replace("public", "public abstract");
        assert_eq!(told(&Scenario::changing(path, &public, &hidden)), [(1, true)], "{path}");
        let beside =
            Scenario::changing(path, text, &text.replace("class ShopTest", "abstract class ShopTest"))
                .and_at_base("src/test/java/OtherTest.java", "class OtherTest extends Base {}\n");
        assert_eq!(told(&beside), [(1, true)], "{path}");
    }
}

#[test]
fn what_derives_from_a_class_runs_its_tests() {
    let hidden = SHOP.replace("class ShopTest", "abstract class ShopTest");
    let new = Scenario::changing(JAVA, SHOP, &hidden)
        .and_adding("src/test/java/CornerShopTest.java", "class CornerShopTest extends ShopTest {\n}\n");
    assert_eq!(new.lines(RULE), NOTHING);
    let old = Scenario::changing(JAVA, SHOP, &hidden)
        .and_at_base("src/test/java/CornerShopTest.java", "class CornerShopTest extends ShopTest {\n}\n");
    assert_eq!(old.lines(RULE), NOTHING);
    let far = Scenario::changing(JAVA, SHOP, &hidden).and_at_base(
        "src/test/java/corner/CornerShopTest.java",
        "class CornerShopTest extends shop.ShopTest {}\n",
    );
    assert_eq!(far.lines(RULE), NOTHING);
    let other = Scenario::changing(JAVA, SHOP, &hidden)
        .and_adding("src/test/kotlin/CornerShopTest.kt", "class CornerShopTest : ShopTest()\n");
    assert_eq!(other.lines(RULE), NOTHING);
    for (path, heir) in [
        ("src/test/kotlin/PgShopTest.kt", "class PgShopTest : Containers, ShopTest() {\n}\n"),
        ("src/test/java/PgShopTest.java", "class PgShopTest extends @Slow ShopTest {\n}\n"),
        ("src/integration/java/PgShop.java", "class PgShop extends ShopTest {\n}\n"),
        ("src/test/groovy/PgSpec.groovy", "class PgSpec extends ShopTest {\n}\n"),
    ] {
        let old = Scenario::changing(JAVA, SHOP, &hidden).and_at_base(path, heir);
        assert_eq!(old.lines(RULE), NOTHING, "{path}");
    }
    let inside = format!("{hidden}\nclass CornerShopTest extends ShopTest {{\n}}\n");
    assert_eq!(Scenario::changing(JAVA, SHOP, &inside).lines(RULE), NOTHING);
    let hidden = MARKT.replace("class ShopTest", "abstract class ShopTest");
    let kotlin = Scenario::changing(KOTLIN, MARKT, &hidden)
        .and_adding("src/test/kotlin/CornerShopTest.kt", "class CornerShopTest : ShopTest() {\n}\n");
    assert_eq!(kotlin.lines(RULE), NOTHING);
}

#[test]
fn what_was_hidden_before_or_hides_no_test_is_left_alone() {
    let private = SHOP.replace("    void prices", "    private void prices");
    let quiet = [
        // It was so before.
        (private.clone(), private.replace("20", "21")),
        // It runs again.
        (private.clone(), SHOP.to_owned()),
        // A helper.
        (
            SHOP.to_owned(),
            SHOP.replace(
                "    @Test\n",
                "    private int price(int n) {\n        return 1;\n    }\n\n    @Test\n",
            ),
        ),
        (
            SHOP.to_owned(),
            SHOP.replace("class ShopTest {", "class ShopTest {\n    private Shop shop = new Shop();\n"),
        ),
        (
            SHOP.to_owned(),
            SHOP.replace("class ShopTest {", "class ShopTest {\n    private static abstract class Base {}\n"),
        ),
        (
            SHOP.to_owned(),
            SHOP.replace(
                "class ShopTest {",
                "class ShopTest {\n    // a private test is not run, an abstract one neither\n",
            ),
        ),
        (SHOP.to_owned(), SHOP.replace("    void prices", "    public void prices")),
        (SHOP.to_owned(), SHOP.replace("    void prices", "    protected void prices")),
        // Another test calls it.
        (
            SHOP.to_owned(),
            private.replace("assertEquals(n, add(n));", "assertEquals(n, add(n));\n        prices();"),
        ),
        // No marker of a test.
        (
            SHOP.replace(
                "class ShopTest {",
                "class ShopTest {\n    @VisibleForTest\n    int peek() {\n        return 1;\n    }\n",
            ),
            SHOP.replace(
                "class ShopTest {",
                "class ShopTest {\n    @VisibleForTest\n    private int peek() {\n        return 1;\n    }\n",
            ),
        ),
        (
            "class Base {\n    int a() { return 1; }\n}\n".to_owned(),
            "abstract class Base {\n    int a() { return 1; }\n}\n".to_owned(),
        ),
    ];
    for (was, now) in quiet {
        assert_eq!(Scenario::changing(JAVA, &was, &now).lines(RULE), NOTHING, "{now}");
    }
    let new = SHOP.replace("class ShopTest", "abstract class ShopTest");
    assert_eq!(Scenario::adding(JAVA, new).lines(RULE), NOTHING);
    for (was, now) in [
        (MARKT.to_owned(), MARKT.replace("    @Test\n", "    private val shop = Shop()\n\n    @Test\n")),
        (MARKT.to_owned(), MARKT.replace("    fun prices", "    internal fun prices")),
        (MARKT.replace("    fun adds", "    private fun adds"), MARKT.to_owned()),
    ] {
        assert_eq!(Scenario::changing(KOTLIN, &was, &now).lines(RULE), NOTHING, "{now}");
    }
}
