//! Breaks that their users are told of, or that reach nobody.

use domain::words::Severity;

use crate::support::Scenario;

const RULE: &str = "breaking-change";

fn package(rest: &str) -> String {
    format!("[package]\nname = \"a\"\n{rest}")
}

fn broken() -> Scenario {
    Scenario::changing("src/lib.rs", "pub fn start() {}\n", "pub fn begin() {}\n")
        .and_keeping("Cargo.toml", &package("version = \"1.2.0\"\n"))
}

fn blocks(scenario: &Scenario) -> bool {
    let findings = scenario.findings(RULE);
    assert!(!findings.is_empty());
    findings.iter().any(|finding| finding.blocks(Severity::Major))
}

#[test]
fn commits_and_changelogs_announce_a_break() {
    assert!(blocks(&broken()));
    for message in ["feat!: begin instead of start\n", "api: rename\n\nBREAKING CHANGE: start is gone\n"] {
        assert!(!blocks(&broken().committed_as(message)), "{message}");
    }
    assert!(blocks(&broken().committed_as("fix: a typo\n\nThis is a non-breaking change.\n")));
    let log = |line: &str| broken().and_changing("CHANGELOG.md", "# 1.3\n", &format!("# 1.3\n{line}\n"));
    assert!(!blocks(&log("- `start` was renamed to `begin`")));
    assert!(!blocks(&log("- Breaking: begin")));
    assert!(blocks(&log("- Faster")));
    assert!(blocks(&log("- `stop` was removed")));
    let changeset = broken().and_adding(".changeset/blue.md", "---\n\"a\": major\n---\n\nBegins.\n");
    assert!(!blocks(&changeset));
}

#[test]
fn removing_what_no_release_has_is_advice() {
    assert!(!blocks(&broken().released_with("stop")));
    assert!(blocks(&broken().released_with("start stop")));
}

#[test]
fn a_version_may_promise_nothing() {
    let of = |version: &str| {
        Scenario::changing("src/lib.rs", "pub fn start() {}\n", "pub fn begin() {}\n")
            .and_keeping("Cargo.toml", &package(version))
    };
    for version in
        ["version = \"0.0.4\"\n", "version = \"2.0.0-rc.1\"\n", "version = \"1.0.0\"\npublish = false\n"]
    {
        assert!(!blocks(&of(version)), "{version}");
    }
    for version in ["version = \"0.1.4\"\n", "version = \"2.0.0\"\n"] {
        assert!(blocks(&of(version)), "{version}");
    }
    let bumped = Scenario::changing("src/lib.rs", "pub fn start() {}\n", "pub fn begin() {}\n").and_changing(
        "Cargo.toml",
        &package("version = \"1.2.0\"\n"),
        &package("version = \"2.0.0-alpha.1\"\n"),
    );
    assert!(!blocks(&bumped));
}

#[test]
fn the_members_of_a_type_are_told_at_once() {
    let old = "pub struct S;\nimpl S {\n    pub fn first() {}\n    pub fn second() {}\n    pub fn third() {}\n}\npub fn start() {}\n";
    let new = "pub struct S;\nimpl S {\n    pub fn fourth() {}\n}\npub fn begin() {}\n";
    let scenario = Scenario::changing("src/lib.rs", old, new)
        .and_keeping("Cargo.toml", &package("version = \"1.2.0\"\n"));
    let messages: Vec<String> = scenario.findings(RULE).into_iter().map(|one| one.message).collect();
    let [members, function] = messages.as_slice() else { panic!("{messages:?}") };
    assert!(
        members.starts_with("S.first function was removed and 2 other members of S with it"),
        "{members}"
    );
    assert!(function.starts_with("start function was removed"), "{function}");
}

#[test]
fn a_caller_that_is_left_behind_is_no_announcement() {
    let scenario = Scenario::changing(
        "src/auth.py",
        "def login(name):\n    pass\n",
        "def login(name, otp):\n    pass\n",
    )
    .and_changing("src/web.py", "\n", "from auth import other\nlogin('a')\n")
    .committed_as("feat!: one-time passwords\n");
    assert!(blocks(&scenario));
}

#[test]
fn a_module_that_another_file_declares_is_not_gone() {
    let with = |other: &str| {
        Scenario::changing("src/lib.rs", "pub mod map;\npub mod raw;\n", "pub mod map;\n")
            .and_changing("src/map.rs", "pub fn a() {}\n", &format!("pub fn a() {{}}\n{other}\n"))
            .and_keeping("Cargo.toml", &package("version = \"1.2.0\"\n"))
    };
    assert!(!blocks(&with("pub mod raw;")));
    assert!(blocks(&with("mod raw;")));
}
