//! Agents that write code.

use std::time::Duration;

use brain::agents::AgentAuthor;
use domain::config::Sandbox;
use domain::ports::{Author, AuthorError, AuthorJob, AuthorReport};

use crate::stage::{Stage, exists, kernel_confines, sleepers, unique_sleep};

fn work(stage: &Stage) -> Result<AuthorReport, AuthorError> {
    work_until(stage, &|| false)
}

fn work_until(stage: &Stage, given_up: &(dyn Fn() -> bool + Sync)) -> Result<AuthorReport, AuthorError> {
    let author = AgentAuthor { name: "fixer".into(), launch: stage.launch.clone() };
    author.work(&AuthorJob {
        prompt: "fix it",
        worktree: &stage.at("export"),
        timeout: Duration::from_secs(600),
        progress: &|_| {},
        given_up,
    })
}

fn linked(script: &str) -> Stage {
    let mut stage = Stage::with_script(script).place(&[]);
    let link = format!("gitdir: {}\n", stage.at("repo/.git").display());
    std::fs::write(stage.at("export/.git"), link).unwrap();
    stage.launch.sandbox = Sandbox::Preferred;
    stage
}

#[test]
fn an_author_writes_its_worktree_and_nothing_else() {
    if !kernel_confines() {
        return;
    }
    let stage = linked(
        "cat > src/a.rs; echo x > src/new.rs
         for file in @repo@/README.md @repo@/.git/config @repo@/.git/hooks/pre-commit @home@/.bashrc; do
             (echo x > $file) 2>/dev/null && echo \"wrote $file\"
         done
         echo fixed",
    );
    assert_eq!(work(&stage).unwrap().summary, "fixed");
    assert_eq!(std::fs::read_to_string(stage.at("export/src/a.rs")).unwrap(), "fix it");
    assert!(exists(&stage.at("export/src/new.rs")));
    assert_eq!(std::fs::read_to_string(stage.at("repo/README.md")).unwrap(), "content\n");
    assert!(!exists(&stage.at("repo/.git/hooks/pre-commit")) && !exists(&stage.at("home/.bashrc")));
}

#[test]
fn an_author_that_bends_the_link_to_the_repository_is_found_out() {
    let stage = linked("echo 'gitdir: src/evil' > .git; echo fixed");
    let before = std::fs::read(stage.at("export/.git")).unwrap();
    assert_eq!(work(&stage).unwrap_err().kind, "tampered");
    assert_eq!(std::fs::read(stage.at("export/.git")).unwrap(), before);
}

#[test]
fn what_an_author_says_is_cleaned() {
    let stage = linked("printf '\\033[31mfixed\\033[0m <!-- hidden -->'");
    let summary = work(&stage).unwrap().summary;
    assert!(!summary.contains('\u{1b}') && !summary.contains("<!--"), "{summary}");
}

#[test]
fn an_author_that_fails_says_why() {
    let error = work(&linked("echo 'no key' >&2; exit 4")).unwrap_err();
    assert_eq!((error.kind.as_str(), error.reason.as_str()), ("failed", "ended with exit code 4: no key"));
}

#[test]
fn an_author_that_nobody_waits_for_is_ended_with_all_it_started() {
    let sleep = unique_sleep();
    let stage = linked("(setsid sleep @sleep@ &); sleep @sleep@").place(&[("sleep", &sleep)]);
    let error = work_until(&stage, &|| sleepers(&sleep) == 2).unwrap_err();
    assert_eq!(error.kind, "given_up");
    assert_eq!(sleepers(&sleep), 0);
}
