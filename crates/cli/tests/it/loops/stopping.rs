use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::stage::*;

fn eventually(what: &str, check: impl Fn() -> bool) {
    let started = Instant::now();
    while !check() {
        assert!(started.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A loop whose fixer has begun and never ends. It says so in its worktree.
fn hanging() -> (Stage, Child, PathBuf) {
    let fixer = "cat > /dev/null\necho $$ > begun\nsleep 10000";
    let stage = Setup { notes: "fine\nBUG one\n", fixer, ..Setup::default() }.stage();
    let mut command = stage.begin();
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let loops = stage.repo.outside("cache/countersign/loops");
    let begun = || -> Option<PathBuf> {
        let entries = std::fs::read_dir(&loops).into_iter().flatten().flatten();
        let said = entries.filter_map(|entry| std::fs::read_to_string(entry.path().join("tree/begun")).ok());
        said.into_iter()
            .find(|said| said.ends_with('\n'))
            .map(|said| PathBuf::from(format!("/proc/{}", said.trim())))
    };
    eventually("the fixer begins", || begun().is_some());
    let fixer = begun().unwrap();
    assert!(fixer.exists());
    (stage, child, fixer)
}

fn pid(child: &Child) -> Pid {
    Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap()
}

#[test]
fn ctrl_c_stops_cleanly_and_the_loop_goes_on_later() {
    let (stage, child, fixer) = hanging();
    kill_process(pid(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("Go on with: countersign loop --resume --branch topic"), "{said}");
    stage.assert_nothing_left();
    eventually("the fixer is ended", || !fixer.exists());
    script(&stage.repo, "engineer", ALL_AT_ONCE);
    assert_code(&stage.resume(&[]), 0);
    assert_eq!(stage.dossier()["rounds"].as_array().unwrap().len(), 2);
}

#[test]
fn a_second_loop_on_the_branch_is_refused_and_told_who_has_it() {
    let (stage, mut child, fixer) = hanging();
    for outcome in [stage.run(&[]), stage.resume(&[])] {
        assert_code(&outcome, 2);
        let holder = format!("another loop works on branch `topic`: process {} of ada on ", child.id());
        assert!(outcome.stderr.contains(&holder), "{}", outcome.stderr);
    }
    kill_process(pid(&child), Signal::KILL).unwrap();
    child.wait().unwrap();
    eventually("the fixer is ended", || !fixer.exists());
    script(&stage.repo, "engineer", ALL_AT_ONCE);
    assert_code(&stage.resume(&[]), 0);
    stage.assert_nothing_left();
}
