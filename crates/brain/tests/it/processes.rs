//! Agents that do not end, leave children behind or talk too much.

use std::time::Duration;

use brain::agents::AgentTrouble;
use brain::process::{Ended, Job, Stream, ignore_lines, run, run_blocking};

use crate::stage::{Stage, sleepers, unique_sleep, wait_until};

fn bash(script: &str) -> Job<'static> {
    Job {
        program: "/bin/bash".into(),
        arguments: vec!["-c".into(), script.into()],
        directory: "/".into(),
        environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
        input: b"input".to_vec(),
        timeout: Duration::from_secs(600),
        grace: Duration::from_millis(100),
        output_limit: 1 << 20,
        on_line: &ignore_lines,
    }
}

#[test]
fn what_goes_in_and_comes_out_is_what_was_meant() {
    let outcome = run_blocking(bash("cat; echo no >&2; env | grep -c SECRET; exit 3")).unwrap();
    assert_eq!(outcome.ended, Ended::Exited(3));
    assert_eq!((outcome.stdout, outcome.stderr), (b"input0\n".to_vec(), b"no\n".to_vec()));
}

#[test]
fn lines_are_told_as_they_come() {
    let lines = std::sync::Mutex::new(Vec::new());
    let on_line = |stream: Stream, line: &[u8]| {
        lines.lock().unwrap().push((stream, String::from_utf8_lossy(line).into_owned()));
    };
    run_blocking(Job { on_line: &on_line, ..bash("printf 'one\\ntw'; printf 'o\\nthree'") }).unwrap();
    let expected = ["one", "two", "three"].map(|line| (Stream::Output, line.to_owned()));
    assert_eq!(*lines.lock().unwrap(), expected);
}

#[test]
fn a_program_that_ignores_a_request_to_end_is_killed_with_its_children() {
    let sleep = unique_sleep();
    let script = format!("trap '' TERM; sleep {sleep} & sleep {sleep}; sleep {sleep}");
    let outcome = run_blocking(Job { timeout: Duration::from_millis(500), ..bash(&script) }).unwrap();
    assert_eq!(outcome.ended, Ended::TimedOut);
    wait_until("the children are gone", || sleepers(&sleep) == 0);
}

#[test]
fn children_left_in_the_group_are_killed() {
    let sleep = unique_sleep();
    let outcome = run_blocking(bash(&format!("sleep {sleep} & echo done"))).unwrap();
    assert_eq!((outcome.ended, outcome.stdout), (Ended::Exited(0), b"done\n".to_vec()));
    wait_until("the child is gone", || sleepers(&sleep) == 0);
}

#[test]
fn a_dropped_run_is_ended() {
    let sleep = unique_sleep();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let script = format!("trap '' TERM; sleep {sleep} & sleep {sleep}");
        let running = run(bash(&script));
        tokio::select! {
            _ = running => panic!("it does not end"),
            () = async { while sleepers(&sleep) < 2 { tokio::time::sleep(Duration::from_millis(20)).await } } => {}
        }
    });
    wait_until("everybody is gone", || sleepers(&sleep) == 0);
}

#[test]
fn a_program_that_writes_forever_is_stopped() {
    let outcome = run_blocking(bash("yes")).unwrap();
    assert_eq!((outcome.ended, outcome.stdout.len()), (Ended::Flooded, 1 << 20));
}

#[test]
fn more_than_100_mb_of_complaints_are_passed_over() {
    let outcome = run_blocking(bash("head -c 110000000 /dev/zero >&2; echo done")).unwrap();
    assert_eq!((outcome.ended, outcome.stdout), (Ended::Exited(0), b"done\n".to_vec()));
    assert!(outcome.stderr.len() < 1 << 20);
}

#[test]
fn an_agent_that_never_ends_is_ended_with_all_it_started() {
    let sleep = unique_sleep();
    let mut stage = Stage::with_script("(setsid sleep @sleep@ &); sleep @sleep@ & sleep @sleep@");
    stage = stage.place(&[("sleep", &sleep)]);
    stage.launch.timeout = Duration::from_secs(2);
    assert_eq!(stage.review().unwrap_err(), AgentTrouble::TimedOut(2));
    assert_eq!(sleepers(&sleep), 0);
}

#[test]
fn an_agent_leaves_nobody_behind() {
    let sleep = unique_sleep();
    let script = "(setsid setsid sleep @sleep@ >/dev/null 2>&1 &); echo '{\"ok\": true}'";
    let stage = Stage::with_script(script).place(&[("sleep", &sleep)]);
    assert!(stage.review().unwrap().answer.structured.is_some());
    assert_eq!(sleepers(&sleep), 0);
}

#[test]
fn an_agent_ends_when_countersign_is_gone() {
    let sleep = unique_sleep();
    let scratch = tempfile::tempdir().unwrap();
    std::fs::write(scratch.path().join("login"), "secret").unwrap();
    let policy = serde_json::json!({
        "sandbox": "off", "read": [], "write": [], "ports": [], "processes": "own", "grace_ms": 100,
        "abandoned": scratch.path(),
        "limits": {"processes": 10, "cpu_seconds": 60, "file_bytes": 1000, "open_files": 100, "memory_bytes": null},
    });
    let warden = env!("CARGO_BIN_EXE_confine-for-tests");
    let script = format!("{warden} '{policy}' /bin/bash -c 'sleep {sleep} & wait' & exec sleep 600");
    let mut countersign = std::process::Command::new("/bin/bash").args(["-c", &script]).spawn().unwrap();
    wait_until("the agent runs", || sleepers(&sleep) == 1);
    countersign.kill().unwrap();
    countersign.wait().unwrap();
    wait_until("the agent is gone", || sleepers(&sleep) == 0);
    wait_until("its scratch is gone", || !scratch.path().exists());
}
