//! Missions whose process ended before they did: the ticket is told, and a person finds them.

use std::process::{Child, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use testkit::model_server::Asked;

use super::stage::{KEY, Stage, finds_it};
use crate::agents::eventually;
use crate::program::{countersign, run};

/// Nobody waits for it.
const FOR_EVER: Duration = Duration::from_secs(600);

/// A mission whose model does not answer the first question.
fn waiting() -> (Stage, Child) {
    let stage = Stage::new(|asked: &Asked| match asked.number {
        Some(0) => finds_it().after(FOR_EVER),
        _ => finds_it(),
    });
    let mut command = stage.command(&[KEY]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let child = command.spawn().unwrap();
    eventually("the model is asked", || !stage.model.questions().is_empty());
    (stage, child)
}

fn listed(stage: &Stage) -> String {
    let outcome = countersign(stage.folder.path(), &["escalation", "list"]);
    outcome.words()
}

fn interruptions(stage: &Stage) -> usize {
    stage.told().iter().filter(|body| body.starts_with("Mission interrupted while reviewing.")).count()
}

fn goes_on(stage: &Stage) {
    let outcome = stage.run(&[KEY]);
    assert_eq!(outcome.code, Some(1), "{}{}", outcome.stdout, outcome.stderr);
    assert_eq!((stage.count("start"), stage.count("result")), (1, 1), "{:?}", stage.told());
    assert!(!listed(stage).contains("mission/"), "{}", listed(stage));
}

#[test]
fn a_mission_that_is_stopped_tells_its_ticket() {
    let (stage, mut child) = waiting();
    assert!(!listed(&stage).contains("mission/PROJ-1"), "somebody is at work on it");
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    child.wait().unwrap();
    assert_eq!(interruptions(&stage), 1, "{:?}", stage.told());
    assert!(listed(&stage).contains("mission/PROJ-1"), "{}", listed(&stage));
    goes_on(&stage);
}

#[test]
fn a_mission_that_was_killed_is_listed_and_found_by_the_next_start() {
    let (stage, mut child) = waiting();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(listed(&stage).contains("mission/PROJ-1"), "{}", listed(&stage));
    let shown = countersign(stage.folder.path(), &["escalation", "show", "mission/PROJ-1"]);
    assert!(shown.stdout.contains("ended while reviewing"), "{}{}", shown.stdout, shown.stderr);
    stage.forge.ticket("PROJ-2", "Add up prices", stage.description().as_str());
    let other = stage.run(&["PROJ-2"]);
    assert!(other.stderr.contains("PROJ-1: its mission was interrupted"), "{}", other.stderr);
    assert_eq!(interruptions(&stage), 1, "{:?}", stage.told());
    goes_on(&stage);
}

#[test]
fn a_server_finds_a_mission_that_was_killed_and_tells_its_ticket() {
    let (stage, mut child) = waiting();
    child.kill().unwrap();
    child.wait().unwrap();
    let mut serve = stage.program(&["serve", "--port", "0", "--as", "person"]);
    serve.stdout(Stdio::null()).stderr(Stdio::null());
    let mut server = serve.spawn().unwrap();
    eventually("the ticket is told", || interruptions(&stage) == 1);
    server.kill().unwrap();
    server.wait().unwrap();
    goes_on(&stage);
}

#[test]
fn a_person_ends_a_mission_that_was_interrupted() {
    let (stage, mut child) = waiting();
    child.kill().unwrap();
    child.wait().unwrap();
    let decided = countersign(stage.folder.path(), &["escalation", "resolve", "mission/PROJ-1", "accept"]);
    assert_eq!(decided.code, Some(0), "{}", decided.stderr);
    assert!(!listed(&stage).contains("mission/"), "{}", listed(&stage));
    assert_eq!(run(stage.command(&[KEY])).code, Some(1), "it begins anew");
}
