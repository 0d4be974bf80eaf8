use proptest::prelude::*;

use super::*;

#[test]
fn usual_names_are_taken() {
    for name in ["main", "task/TASK-001-feature", "fix_1.2", "a/b/c", "über", "user@host"] {
        assert_eq!(BranchName::parse(name).unwrap().as_str(), name);
    }
}

#[test]
fn what_git_would_not_take_or_would_take_for_something_else_is_refused() {
    let long = "x".repeat(201);
    let names = [
        "",
        "-f",
        "--upload-pack=x",
        "HEAD",
        "@",
        "refs/heads/main",
        "../main",
        "a/../b",
        "a..b",
        "/a",
        "a/",
        "a//b",
        ".a",
        "a/.b",
        "a.lock",
        "a.lock/b",
        "a.",
        "a b",
        "a~1",
        "a^",
        "a:b",
        "a?",
        "a*",
        "a[b",
        "a\\b",
        "a@{1}",
        "a\0b",
        "a\nb",
        "a\u{202e}b",
        "a\u{1b}[2J",
        &long,
    ];
    for name in names {
        assert_eq!(BranchName::parse(name).unwrap_err().field, "branch_name", "{name:?}");
    }
}

proptest! {
    #[test]
    fn no_name_leads_out_of_its_folder_or_reads_as_an_option(text in "[-./a@{}~:\\\\ ]{0,12}") {
        if let Ok(name) = BranchName::parse(&text) {
            let name = name.as_str();
            prop_assert!(!name.starts_with('-') && !name.contains("..") && !name.starts_with('/'));
            prop_assert!(name.split('/').all(|part| !part.is_empty() && !part.starts_with('.')));
        }
    }
}
