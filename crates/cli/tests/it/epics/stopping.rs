//! Stopped by Ctrl-C, by time, and kept from running twice.

use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::stage::*;
use crate::program::run;

/// Until the file is there; gives up after a minute.
fn wait_for(stage: &Stage, name: &str) {
    let started = Instant::now();
    while !stage.repo.outside(name).exists() {
        assert!(started.elapsed() < Duration::from_secs(60), "{name} never came");
        std::thread::sleep(Duration::from_millis(20));
    }
}

const SLOW: &str =
    "if [ -e '@outside@/quick' ]; then echo fine > \"$id.txt\"; else touch '@outside@/busy'; sleep 600; fi";

#[test]
fn asked_to_stop_it_ends_its_agents_keeps_everything_says_why_and_goes_on_later() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let stage =
            Setup { tickets: &["a", "b: a"], builder: SLOW, policy: "sandbox: off\n", ..Setup::default() }
                .stage();
        let child = stage.begin(&[]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        wait_for(&stage, "busy");
        kill_process(Pid::from_child(&child), signal).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("Go on with: countersign epic resume login"), "{said}");
        stage.assert_nothing_left();
        assert_eq!(stage.status("a"), "executing");
        let (state, report) = (stage.state(), stage.report());
        assert_eq!(state["stopped"]["reason"], "human");
        assert_eq!(state["tickets"]["b"]["stopped"]["reason"], "human", "also of what was never begun");
        stage.assert_in_agreement();
        assert!(report.contains("**Stopped (human):** Ctrl-C, SIGTERM or a closed terminal"), "{report}");
        let status = run(stage.command(&["status", "login"])).stdout;
        assert!(
            status.contains("Stopped (human): Ctrl-C, SIGTERM or a closed terminal. Go on with"),
            "{status}"
        );
        assert!(run(stage.command(&["status"])).stdout.contains("; stopped (human)"));

        std::fs::write(stage.repo.outside("quick"), "").unwrap();
        assert_code(&stage.resume(&[]), 0);
        assert!(!stage.state().to_string().contains("stopped") && !stage.report().contains("topped"));
        stage.assert_in_agreement();
    }
}

#[test]
fn of_a_run_that_was_killed_the_status_says_that_it_was_interrupted() {
    let stage = Setup { builder: SLOW, policy: "sandbox: off\n", ..Setup::default() }.stage();
    let mut child = stage.begin(&[]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for(&stage, "busy");
    assert!(!run(stage.command(&["status", "login"])).stdout.contains("nterrupted"));
    child.kill().unwrap();
    child.wait().unwrap();
    let status = run(stage.command(&["status", "login"])).stdout;
    assert!(status.contains("Interrupted: nobody is at work on it. Go on with"), "{status}");
    let listed = run(stage.command(&["status", "--format", "json"])).stdout;
    assert!(listed.contains("\"condition\": \"interrupted\""), "{listed}");
}

#[test]
fn an_epic_is_run_by_one_at_a_time() {
    let stage = Setup { builder: SLOW, policy: "sandbox: off\n", ..Setup::default() }.stage();
    let child = stage.begin(&[]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for(&stage, "busy");
    for second in [stage.run(&[]), stage.resume(&[])] {
        assert_code(&second, 2);
        assert!(second.stderr.contains("epic login is being run: process"), "{}", second.stderr);
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    child.wait_with_output().unwrap();
}

#[test]
fn an_epic_whose_time_is_over_stands_still_and_goes_on_when_resumed() {
    let builder =
        "if [ ! -e '@outside@/slow' ]; then touch '@outside@/slow'; sleep 5; fi; echo fine > \"$id.txt\"";
    let epic = "limits: {epic_seconds: 4}\n";
    let stage =
        Setup { tickets: &["a", "b"], builder, epic, policy: "sandbox: off\n", ..Setup::default() }.stage();
    let outcome = stage.run(&["--parallel", "1"]);
    assert_code(&outcome, 4);
    assert_eq!(stage.state()["stopped"]["reason"], "time");
    assert_eq!(stage.ticket("b")["stopped"]["reason"], "time", "also of what was never begun");
    let report = stage.report();
    assert!(!report.contains("proved nothing") && !report.contains("no reason was recorded"), "{report}");
    assert!(outcome.stdout.contains("the epic's 4 seconds are over"), "{}", outcome.stdout);
    // However little of it a busy machine does in its time, each time it comes further.
    let ended = (0..60).map(|_| stage.resume(&[]).code).find(|code| *code == Some(0));
    assert_eq!(ended, Some(Some(0)));
}

#[test]
fn an_epic_branch_that_is_gone_stops_for_a_human_who_is_told_how_to_make_it_again() {
    let builder = format!("{FINE}\ngit -C '@repo@' update-ref -d refs/heads/epic/login");
    let stage = Setup { builder: &builder, policy: "sandbox: off\n", ..Setup::default() }.stage();
    let main = stage.repo.git(&["rev-parse", "main"]);
    let outcome = stage.run(&["--merge"]);
    assert_code(&outcome, 4);
    assert!(outcome.stdout.contains("git branch epic/login"), "{}", outcome.stdout);
    stage.repo.git(&["branch", "epic/login", &main]);
    assert_code(&stage.resume(&[]), 0);
}

#[test]
fn whoever_is_not_installed_is_told_of_before_anybody_is_paid() {
    for agent in ["engineer", "qa"] {
        let stage = with_tickets(&["a"]);
        let config = std::fs::read_to_string(stage.repo.path().join("countersign.yaml")).unwrap();
        let line = config.lines().find(|line| line.contains(&format!("id: {agent},"))).unwrap();
        let missing = format!("  - {{id: {agent}, brain: command, command: [no-such-program]}}");
        stage.repo.write("countersign.yaml", config.replace(line, &missing)).commit("Nobody");
        for more in [&["--dry-run"][..], &[]] {
            let outcome = stage.run(more);
            assert_code(&outcome, 2);
            assert!(outcome.stderr.contains("no-such-program"), "{}", outcome.stderr);
        }
        assert_eq!(stage.repo.git(&["branch", "--list", "epic/*", "ticket/*"]), "");
    }
}

#[test]
fn work_that_was_cut_off_counts_with_its_time_and_nobody_says_it_cost_nothing() {
    let stage = Setup { builder: SLOW, policy: "sandbox: off\n", ..Setup::default() }.stage();
    let child = stage.begin(&[]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for(&stage, "busy");
    std::thread::sleep(Duration::from_millis(1100));
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    let report = stage.report();
    assert!(report.contains("Work on it was interrupted once."), "{report}");
    assert!(!report.contains("never begun") && !report.contains("Work on tickets: 0 s"), "{report}");
    assert!(report.contains("Cost: not known."), "{report}");
}

#[test]
fn asked_to_stop_in_its_first_moments_it_still_says_why_it_stands_still() {
    let stage = Setup { builder: SLOW, policy: "sandbox: off\n", ..Setup::default() }.stage();
    let stop = |mut command: std::process::Command, wait: &dyn Fn()| {
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        wait();
        kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
        child.wait_with_output().unwrap();
        assert_eq!(stage.stored()["stopped"]["reason"], "human");
    };
    stop(stage.begin(&[]), &|| wait_for(&stage, "busy"));
    // Either it did not come to clear the old reason, or it writes down a new one.
    for delay in (0..96).step_by(8) {
        stop(stage.command(&["resume", "login"]), &|| std::thread::sleep(Duration::from_millis(delay)));
    }
}
