//! Files that git shows as copies: new ones, of which the source still stands.

use domain::words::Severity;
use rules::weakened_tests;

use crate::breaking::prohibited;
use crate::coordination::agreed;
use crate::support::{NOTHING, Scenario};

const MANIFEST: &str = "[package]\nname = \"a\"\nversion = \"1.0.0\"\n";
const BOTH: &str =
    "pub fn load(x: u32) -> u32 {\n    x + 1\n}\n\npub fn save(x: u32) -> u32 {\n    x + 2\n}\n";

fn must_fix(scenario: &Scenario) -> Vec<String> {
    let findings = scenario.review().findings.into_iter().filter(|finding| finding.blocks(Severity::Major));
    findings.map(|finding| finding.message).collect()
}

#[test]
fn what_a_copy_leaves_out_was_not_removed() {
    let lib = format!("{BOTH}\npub const K: u32 = 3;\n");
    let split =
        Scenario::changing("src/lib.rs", &lib, "mod c;\npub use c::{load, save};\n\npub const K: u32 = 3;\n")
            .and_copying("src/lib.rs", &lib, "src/c.rs", BOTH)
            .and_keeping("Cargo.toml", MANIFEST);
    assert_eq!(must_fix(&split), [""; 0]);
    let cart =
        "class Cart:\n    def price(self, x):\n        return x\n\n\ndef empty():\n    return Cart()\n";
    let variant = Scenario::changing("shop/cart.py", cart, &cart.replace("return x", "return x + 1"))
        .and_copying("shop/cart.py", cart, "shop/basket.py", &cart.replace("Cart", "Basket"));
    assert_eq!(must_fix(&agreed(variant, prohibited(&[], &[]))), [""; 0]);
}

#[test]
fn what_the_source_lost_is_found_in_the_copy_or_told() {
    let moved = |kept: &str| {
        Scenario::changing("src/a.rs", BOTH, "pub use crate::c::*;\n")
            .and_copying("src/a.rs", BOTH, "src/c.rs", kept)
            .and_changing("src/lib.rs", "pub mod a;\n", "pub mod a;\npub mod c;\n")
            .and_keeping("Cargo.toml", MANIFEST)
    };
    assert_eq!(must_fix(&moved(BOTH)), [""; 0]);
    let less = BOTH.replace("pub fn save", "pub fn store");
    let told = must_fix(&moved(&less));
    assert!(told.iter().any(|message| message.starts_with("save function was removed")), "{told:?}");
}

#[test]
fn a_copy_is_held_to_what_new_files_are() {
    let ring = "pub fn turn() -> bool {\n    true\n}\n\npub fn round() -> bool {\n    todo!()\n}\n";
    let copied = Scenario::changing("src/disc.rs", ring, &ring.replace("true", "false")).and_copying(
        "src/disc.rs",
        ring,
        "src/ring.rs",
        &ring.replace("turn", "spin"),
    );
    assert_eq!(copied.lines("stub"), [6], "in the copy, not in the old file");
    let token = format!("TOKEN = \"{}{}\"\nA = 1\n", "ghp_", "16C7e42F292c6912E7710c838347Ae178B4a");
    let secret = Scenario::changing("a.py", &token, &token.replace("A = 1", "A = 2")).and_copying(
        "a.py",
        &token,
        "b.py",
        &token.replace("A = 1", "B = 1"),
    );
    let review = secret.review();
    assert!(
        review.findings.iter().any(|finding| finding.is_secret() && finding.path() == Some(&"b.py".into()))
    );
}

#[test]
fn a_copy_that_cannot_be_read_is_left_unseen() {
    let scenario = Scenario::changing("src/a.rs", BOTH, "pub fn load() {}\n")
        .and_copying("src/a.rs", BOTH, "src/c.rs", BOTH)
        .unreadable("src/c.rs");
    assert!(!scenario.review().troubles.is_empty());
}

#[test]
fn tests_that_are_copied_are_not_gone() {
    let test = "#[test]\nfn adds() {\n    assert_eq!(add(1, 1), 2);\n}\n";
    let copied = Scenario::changing("tests/a.rs", test, &test.replace("(1, 1), 2", "(1, 2), 3")).and_copying(
        "tests/a.rs",
        test,
        "tests/b.rs",
        &test.replace("adds", "adds_more"),
    );
    assert_eq!(copied.with_request(weakened_tests), [""; 0]);
}

#[test]
fn a_check_that_moved_to_another_pipeline_is_not_lost() {
    let (ci, lint) = (".github/workflows/ci.yml", ".github/workflows/lint.yml");
    let old = "on: push\nsteps:\n  - run: cargo fmt --check\n  - run: cargo clippy\n  - run: cargo test\n";
    let without = old.replace("  - run: cargo clippy\n", "");
    let severities = |scenario: Scenario| -> Vec<Severity> {
        scenario.findings("checks-changed").iter().map(|finding| finding.severity).collect()
    };
    let moved = "on: push\nsteps:\n  - run: cargo clippy\n";
    let copied = Scenario::changing(ci, old, &without).and_copying(ci, old, lint, moved);
    assert_eq!(severities(copied), [Severity::Low]);
    for other in [
        "on: workflow_dispatch\nsteps:\n  - run: cargo clippy\n",
        "on: push\nsteps:\n  # - run: cargo clippy\n",
    ] {
        let lost = Scenario::changing(ci, old, &without).and_adding(lint, other);
        assert_eq!(severities(lost), [Severity::High], "{other}");
    }
    assert_eq!(Scenario::adding(lint, moved).lines("checks-changed"), NOTHING);
}
