//! Killed without warning after, and before, every single save; and gone on with.

use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;

use super::stage::*;
use crate::program::run;

/// Counts its calls; fails its review once.
const BUILDER: &str = "echo build >> '@outside@/calls'\n\
    if grep -q 'REVISION REQUIRED' <<< \"$prompt\"; then echo fine > \"$id.txt\"; else echo BUG > \"$id.txt\"; fi";

/// Whether it was killed there.
fn killed(stage: &Stage, fault: &str) -> bool {
    let mut command = stage.begin(&["--merge", "--parallel", "1"]);
    command.env("COUNTERSIGN_FAULT_SAVE", fault);
    command.output().unwrap().status.signal() == Some(9)
}

#[test]
fn after_any_step_it_goes_on_and_no_finished_call_is_paid_twice() {
    let reviewer = format!("echo review >> '@outside@/calls'\n{REVIEWER}");
    let mut seen = BTreeSet::new();
    for (moment, extra) in [("after", 0), ("before", 1)] {
        for save in 0.. {
            let (policy, epic) = ("sandbox: off\n", "commands: {test: 'true'}\n");
            let setup = Setup { builder: BUILDER, reviewer: &reviewer, policy, epic, ..Setup::default() };
            let stage = setup.stage();
            let fault = format!("{moment}:{save}");
            if !killed(&stage, &fault) {
                assert!(save > 8, "a whole run is saved more often than {save} times");
                break;
            }
            seen.insert(stage.stored()["tickets"]["a"]["status"].as_str().unwrap().to_owned());
            assert_code(&stage.resume(&[]), 0);
            let paid = (stage.calls("build"), stage.calls("review"));
            assert!(paid.0 >= 2 && paid.1 >= 2 && paid.0 + paid.1 <= 4 + extra, "{fault}: {paid:?}");
            assert_eq!(stage.file("epic/login", "a.txt"), "fine", "{fault}");
            assert_eq!(stage.repo.git(&["rev-list", "--count", "--merges", "epic/login"]), "1", "{fault}");
            stage.assert_in_agreement();
            stage.assert_nothing_left();
        }
    }
    let all = ["pending", "queued", "executing", "validating", "reviewing", "needs_revision", "completed"];
    assert_eq!(seen, all.map(str::to_owned).into());
}

#[test]
fn killed_while_something_fails_it_still_fails_and_blocks() {
    for save in 0.. {
        let builder = "echo \"BUG $RANDOM$RANDOM\" > \"$id.txt\"";
        let epic = "limits: {max_revisions: 0}\n";
        let stage = Setup { tickets: &["a", "b: a"], builder, epic, ..Setup::default() }.stage();
        if !killed(&stage, &format!("after:{save}")) {
            break;
        }
        assert_code(&stage.resume(&[]), 1);
        assert_eq!((stage.status("a"), stage.status("b")), ("failed".to_owned(), "blocked".to_owned()));
        stage.assert_in_agreement();
    }
}

#[test]
fn whoever_watches_a_run_that_was_killed_is_told_that_nobody_is_at_it() {
    let stage = with_tickets(&["a"]);
    assert!(killed(&stage, "after:2"));
    for more in [&[][..], &["--watch"]] {
        let asked = run(stage.command(&[&["status", "login"], more].concat()));
        assert_code(&asked, 0);
        assert!(asked.stdout.contains("nobody is at work on it. Go on with: countersign epic resume login"));
    }
    assert_code(&stage.resume(&[]), 0);
    let asked = run(stage.command(&["status", "login"]));
    assert!(!asked.stdout.contains("nobody is at work"), "{}", asked.stdout);
}
