//! What others rely on, and how much it matters that it changed.

use domain::words::Severity;
use domain::work::{Coordination, ProhibitedChange};

use crate::breaking_table::{BROKEN, UNBROKEN};
use crate::coordination::{agreed, only};
use crate::support::{NOTHING, Scenario};

pub(crate) fn prohibited(paths: &[&str], symbols: &[&str]) -> Coordination {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    let entry =
        ProhibitedChange { what: "callers stay".into(), paths: owned(paths), symbols: owned(symbols) };
    Coordination { breaking_changes_prohibited: vec![entry], ..Coordination::default() }
}

#[test]
fn what_is_public_and_changes_is_told() {
    for (path, old, new, said) in BROKEN {
        let findings = Scenario::changing(path, old, new).findings("breaking-change");
        let messages: Vec<&str> = findings.iter().map(|finding| finding.message.as_str()).collect();
        assert_eq!(messages, [*said], "{path}: {new}");
        assert!(!findings[0].blocks(Severity::Major), "{new}");
    }
}

#[test]
fn what_stays_callable_breaks_nothing() {
    for (path, old, new) in UNBROKEN {
        let scenario = agreed(Scenario::changing(path, old, new), prohibited(&[], &[]));
        assert_eq!(scenario.lines("breaking-change"), NOTHING, "{path}: {new}");
    }
}

#[test]
fn what_moved_within_the_change_is_not_lost() {
    let moved = Scenario::changing("src/a.rs", "pub fn f() {}\npub fn g() {}\n", "pub fn g() {}\n")
        .and_adding("src/b.rs", "pub fn f() {}\n");
    assert_eq!(moved.lines("breaking-change"), NOTHING);
    let whole = Scenario::default()
        .and_removing("src/a.py", "class A:\n    def m(self):\n        pass\n")
        .and_adding("src/b.py", "class A:\n    def m(self):\n        pass\n");
    assert_eq!(whole.lines("breaking-change"), NOTHING);
}

#[test]
fn a_caller_left_behind_is_proof() {
    let scenario = Scenario::changing(
        "src/auth.py",
        "def login(name):\n    pass\n",
        "def login(name, otp):\n    pass\n",
    )
    .and_changing("src/web.py", "\n", "from auth import other\nlogin('a')\n");
    let findings = scenario.findings("breaking-change");
    let finding = only(&findings);
    assert!(
        finding.message.ends_with("but src/web.py:2 still calls it with 1 argument"),
        "{}",
        finding.message
    );
    assert!(finding.blocks(Severity::Major));
}

#[test]
fn callers_that_fit_or_mean_another_are_no_proof() {
    let with = |caller: &str| {
        let scenario = Scenario::changing(
            "src/auth.py",
            "def login(name):\n    pass\n",
            "def login(name, otp):\n    pass\n",
        )
        .and_changing("src/web.py", "\n", caller);
        scenario.findings("breaking-change").iter().any(|finding| finding.blocks(Severity::Major))
    };
    for caller in [
        "login('a', 'b')\n",
        "login(*args)\n",
        "other.login('a')\n",
        "from else_where import login\nlogin('a')\n",
        "def login(a):\n    pass\nlogin('a')\n",
        "# login('a')\n",
    ] {
        assert!(!with(caller), "{caller}");
    }
    assert!(with("auth.login('a')\n"));
}

#[test]
fn who_can_see_it_decides_how_much_it_matters() {
    let severity = |manifest: &str, lib: &str| {
        let scenario = Scenario::changing("src/a.rs", "pub fn f() {}\n", "pub fn g() {}\n")
            .and_keeping("Cargo.toml", manifest)
            .and_keeping("src/lib.rs", lib);
        scenario.findings("breaking-change").first().map(|finding| finding.severity)
    };
    assert_eq!(severity("[package]\n", "pub mod a;\n"), Some(Severity::High));
    assert_eq!(severity("[package]\n", "mod a;\npub use a::{f, x};\n"), Some(Severity::High));
    assert_eq!(severity("[package]\n", "mod a;\npub use a::x;\n"), Some(Severity::Low));
    let beside_others = "[package]\npublish = false\n[workspace]\nmembers = [\"b\"]\n";
    assert_eq!(severity(beside_others, "pub mod a;\n"), Some(Severity::Medium));
}

#[test]
fn many_losses_of_one_file_are_one_remark() {
    let old: String = (0..9).map(|n| format!("pub fn f{n}() {{}}\n")).collect();
    let findings = Scenario::default().and_removing("src/a.rs", &old).findings("breaking-change");
    assert_eq!(only(&findings).message, "9 public names were removed or changed: f0, f1, f2, f3 and 5 more");
}

#[test]
fn what_was_announced_may_go() {
    let old = "#[deprecated]\npub fn f() {}\n";
    assert_eq!(Scenario::changing("src/a.rs", old, "\n").lines("breaking-change"), NOTHING);
}

#[test]
fn a_function_of_a_private_place_is_advice_unless_its_calls_went_too() {
    for (old, new) in [
        ("struct S;\nimpl S {\n    pub fn f() {}\n}\n", "struct S;\nimpl S {\n    pub fn g() {}\n}\n"),
        ("struct S;\nimpl S {\n    pub fn f() {}\n}\n", "struct S;\nimpl S {\n    pub fn f(a: u8) {}\n}\n"),
    ] {
        let alone = agreed(Scenario::changing("src/a.rs", old, new), prohibited(&[], &[]));
        let findings = alone.findings("breaking-change");
        assert!(!only(&findings).blocks(Severity::Low), "{new}");
        let followed = Scenario::changing("src/a.rs", old, new).and_changing(
            "src/b.rs",
            "fn x() {\n    f();\n}\n",
            "fn x() {\n    g();\n}\n",
        );
        assert_eq!(followed.lines("breaking-change"), NOTHING, "{new}");
    }
}

#[test]
fn a_version_that_tells_makes_it_a_note() {
    let manifest = |version: &str| format!("[package]\nname = \"a\"\nversion = \"{version}\"\n");
    for (version, severity) in
        [("0.1.1", Severity::High), ("0.2.0", Severity::Suggestion), ("1.0.0", Severity::Suggestion)]
    {
        let scenario = Scenario::changing("src/lib.rs", "pub fn f() {}\n", "pub fn g() {}\n").and_changing(
            "Cargo.toml",
            &manifest("0.1.0"),
            &manifest(version),
        );
        assert_eq!(only(&scenario.findings("breaking-change")).severity, severity, "{version}");
    }
}
