//! What the epic says about names that others rely on.

use domain::words::Severity;
use domain::work::{Coordination, SharedInterface};

use crate::breaking::prohibited;
use crate::breaking_table::BROKEN;
use crate::coordination::{agreed, only};
use crate::support::{NOTHING, Scenario};

#[test]
fn what_the_epic_prohibits_blocks() {
    for (path, old, new, said) in BROKEN {
        let scenario = agreed(Scenario::changing(path, old, new), prohibited(&[], &[]));
        let findings = scenario.findings("breaking-change");
        let messages: Vec<&str> = findings.iter().map(|finding| finding.message.as_str()).collect();
        assert_eq!(
            messages,
            [format!("{said} but epic prohibits breaking changes: callers stay")],
            "{path}: {new}"
        );
        assert!(findings[0].blocks(Severity::Major), "{new}");
        assert!(findings[0].suggestion.ends_with("or update epic coordination requirements"), "{new}");
    }
}

#[test]
fn prohibitions_may_name_paths_and_symbols() {
    let old = "pub fn f() {}\npub fn g() {}\npub struct S {\n    pub a: u8,\n    pub b: u8,\n}\n";
    let new = "pub struct S {\n    pub b: u8,\n}\n";
    let blocked = |paths: &[&str], symbols: &[&str]| {
        let scenario = agreed(Scenario::changing("src/api/a.rs", old, new), prohibited(paths, symbols));
        let findings = scenario.findings("breaking-change");
        findings.iter().filter(|finding| finding.blocks(Severity::Major)).count()
    };
    assert_eq!(blocked(&["src/api/**"], &[]), 3);
    assert_eq!(blocked(&["src/other"], &[]), 0);
    assert_eq!(blocked(&[], &["f"]), 1);
    assert_eq!(blocked(&[], &["S.a"]), 1);
    assert_eq!(blocked(&[], &["S", "g"]), 2);
}

#[test]
fn a_shared_type_keeps_its_members() {
    let shared = |new: &str| {
        let old = "struct User {\n    name: String,\n    mail: String,\n}\n";
        let interface = SharedInterface { name: "User".into(), description: String::new() };
        let coordination = Coordination { shared_interfaces: vec![interface], ..Coordination::default() };
        let scenario = agreed(Scenario::changing("src/user.rs", old, new), coordination);
        scenario
            .findings("shared-interface")
            .iter()
            .map(|finding| finding.message.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        shared("struct User {\n    name: String,\n}\n"),
        ["User.mail field was removed but the epic shares it between tickets"]
    );
    assert_eq!(shared("struct Person;\n"), ["User type was removed but the epic shares it between tickets"]);
    assert!(shared("struct User {\n    name: String,\n    mail: String,\n    age: u8,\n}\n").is_empty());
}

#[test]
fn a_member_of_a_shared_type_is_told_once() {
    let of_types =
        BROKEN.iter().filter_map(|case| Some((case, case.3.split(' ').next()?.split_once('.')?.0)));
    let mut seen = 0;
    for ((path, old, new, said), name) in of_types {
        let interface = SharedInterface { name: name.into(), description: String::new() };
        let coordination = Coordination { shared_interfaces: vec![interface], ..Coordination::default() };
        let scenario = agreed(Scenario::changing(path, old, new), coordination);
        let findings = scenario.findings("shared-interface");
        assert_eq!(only(&findings).message, format!("{said} but the epic shares it between tickets"));
        assert_eq!(scenario.lines("breaking-change"), NOTHING, "{new}");
        seen += 1;
    }
    assert!(seen > 12, "{seen}");
}

#[test]
fn what_a_shared_type_keeps_to_itself_is_advice() {
    let blocks = |gone: &str| {
        let old = "package s\n\ntype Session struct {\n\tID string\n\tUser string\n\tn int\n}\n";
        let new = old.replace(&format!("\t{gone}\n"), "\tExpires int64\n");
        let interface = SharedInterface { name: "Session".into(), description: String::new() };
        let coordination = Coordination { shared_interfaces: vec![interface], ..Coordination::default() };
        let scenario = agreed(Scenario::changing("s/session.go", old, &new), coordination);
        only(&scenario.findings("shared-interface")).blocks(Severity::Major)
    };
    assert!(blocks("User string"));
    assert!(!blocks("n int"));
}
