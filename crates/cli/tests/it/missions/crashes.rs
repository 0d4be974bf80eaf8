//! Killed anywhere, a mission leaves one start, one review and one result, in either mode.

use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;
use testkit::forge::Fault;
use testkit::model_server::{Asked, Reply};

use super::stage::{KEY, PROJECT, Stage, finding, finds_it, report};
use crate::agents::eventually;
use crate::exploring::is_offered_tools;
use crate::program::run;

/// Nobody waits for it.
const FOR_EVER: Duration = Duration::from_secs(600);
const NOTE: &str = "I am looking at the mean";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Linear,
    Agentic,
}

/// Whether what was asked for happens before the process dies.
#[derive(Debug, Clone, Copy)]
enum Dies {
    Before,
    After,
}

impl Mode {
    /// `slow` is the number of a question whose answer never comes.
    fn stage(self, slow: Option<usize>) -> Stage {
        let answer = move |asked: &Asked| match self {
            Mode::Linear => finds_it(),
            Mode::Agentic => explores(asked),
        };
        Stage::new(move |asked: &Asked| match slow.is_some() && asked.number == slow {
            true => answer(asked).after(FOR_EVER),
            false => answer(asked),
        })
    }

    fn command(self, stage: &Stage) -> Command {
        match self {
            Mode::Linear => stage.command(&[KEY, "--mode", "linear"]),
            Mode::Agentic => stage.command(&[KEY, "--mode", "agentic"]),
        }
    }

    /// Remarks of the model's own.
    fn notes(self) -> usize {
        match self {
            Mode::Linear => 0,
            Mode::Agentic => 1,
        }
    }
}

/// Looks, says something by itself, then reports: by what it was shown, not by how often it was asked.
fn explores(asked: &Asked) -> Reply {
    let turns = asked.body["messages"].as_array().map_or(0, Vec::len);
    match (is_offered_tools(asked), turns) {
        (true, 1) => Reply::text("I look.").and_call("show_hunk", json!({ "file": "src/total.py" })),
        (true, 2..=3) => {
            Reply::call("gitlab_add_mr_note", json!({ "project": PROJECT, "mr_iid": 1, "body": NOTE }))
        }
        _ => Reply::json(&report(&[finding()])),
    }
}

/// Starts it, lets it come to `moment`, kills it there, and goes on.
fn killed_at(stage: &Stage, mode: Mode, at: &str, moment: impl Fn() -> bool) {
    let mut command = mode.command(stage);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut mission = command.spawn().unwrap();
    eventually(at, moment);
    mission.kill().unwrap();
    mission.wait().unwrap();
    stage.forge.heal();
    let outcome = run(mode.command(stage));
    stage.nothing_leaked(&outcome);
    assert_eq!(outcome.code, Some(1), "{at}: {}{}", outcome.stdout, outcome.stderr);
    is_there_once(stage, mode, at);
}

fn is_there_once(stage: &Stage, mode: Mode, at: &str) {
    assert_eq!((stage.count("start"), stage.count("result")), (1, 1), "{at}: {:?}", stage.told());
    let said = stage.posted();
    let count = |part: &str| said.iter().filter(|body| body.contains(part)).count();
    let there = (count("countersign:finding"), count("countersign:summary"), count(NOTE));
    assert_eq!(there, (1, 1, mode.notes()), "{at}: {said:?}");
    let head = stage.forge.pull(PROJECT, stage.number).head_sha;
    assert_eq!(stage.forge.statuses(PROJECT, &head).len(), 1, "{at}");
}

fn at_every_save(mode: Mode) {
    for moment in ["before", "after"] {
        for save in 0..6 {
            let stage = mode.stage(None);
            let mut command = mode.command(&stage);
            command.env("COUNTERSIGN_FAULT_SAVE", format!("{moment}:{save}"));
            assert_eq!(run(command).code, None, "{moment}:{save} is a step");
            let over = moment == "after" && save == 5;
            if !over {
                let outcome = run(mode.command(&stage));
                assert_eq!(outcome.code, Some(1), "{moment}:{save} {}{}", outcome.stdout, outcome.stderr);
            }
            is_there_once(&stage, mode, &format!("{moment}:{save}"));
        }
    }
}

/// What a mission that nobody kills writes, in order, told apart where the same is written twice.
fn writes(mode: Mode) -> Vec<(String, String, usize)> {
    let stage = mode.stage(None);
    let outcome = run(mode.command(&stage));
    assert_eq!(outcome.code, Some(1), "{}{}", outcome.stdout, outcome.stderr);
    is_there_once(&stage, mode, "not killed");
    let mut writes: Vec<(String, String, usize)> = Vec::new();
    for asked in stage.forge.writes() {
        let before =
            writes.iter().filter(|(method, path, _)| *method == asked.method && *path == asked.path).count();
        writes.push((asked.method, asked.path, before));
    }
    assert!(writes.len() >= 5 + mode.notes(), "{writes:?}");
    writes
}

fn at_every_write(mode: Mode, dies: Dies) {
    for (method, path, before) in writes(mode) {
        let stage = mode.stage(None);
        let fault = Fault::on(&method, &path).after(before);
        stage.forge.fault(match dies {
            Dies::Before => fault.slow(FOR_EVER),
            Dies::After => fault.late(FOR_EVER),
        });
        killed_at(&stage, mode, &format!("{dies:?} {method} {path} {before}"), || {
            stage.forge.faults_left() == 0
        });
    }
}

#[test]
fn killed_at_every_save_of_the_linear_mode_everything_is_there_once() {
    at_every_save(Mode::Linear);
}

#[test]
fn killed_at_every_save_of_the_agentic_mode_everything_is_there_once() {
    at_every_save(Mode::Agentic);
}

#[test]
fn killed_before_every_write_of_the_linear_mode_everything_is_there_once() {
    at_every_write(Mode::Linear, Dies::Before);
}

#[test]
fn killed_after_every_write_of_the_linear_mode_everything_is_there_once() {
    at_every_write(Mode::Linear, Dies::After);
}

#[test]
fn killed_after_every_write_of_the_agentic_mode_everything_is_there_once() {
    at_every_write(Mode::Agentic, Dies::After);
}

/// A remark of the model's own is written down before it is posted: of two evils, it is rather missing than there twice.
#[test]
fn killed_before_every_write_of_the_agentic_mode_nothing_is_there_twice() {
    for (method, path, before) in writes(Mode::Agentic) {
        let stage = Mode::Agentic.stage(None);
        stage.forge.fault(Fault::on(&method, &path).after(before).slow(FOR_EVER));
        let mut command = Mode::Agentic.command(&stage);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut mission = command.spawn().unwrap();
        eventually("it writes", || stage.forge.faults_left() == 0);
        mission.kill().unwrap();
        mission.wait().unwrap();
        stage.forge.heal();
        assert_eq!(run(Mode::Agentic.command(&stage)).code, Some(1), "{method} {path} {before}");
        let said = stage.posted();
        let count = |part: &str| said.iter().filter(|body| body.contains(part)).count();
        assert_eq!((count("countersign:finding"), count("countersign:summary")), (1, 1), "{path}: {said:?}");
        assert!(count(NOTE) <= 1, "{path}: {said:?}");
        assert_eq!((stage.count("start"), stage.count("result")), (1, 1), "{path}: {:?}", stage.told());
    }
}

#[test]
fn killed_while_the_model_thinks_everything_is_there_once() {
    for (mode, questions) in [(Mode::Linear, 1), (Mode::Agentic, 3)] {
        for question in 0..questions {
            let stage = mode.stage(Some(question));
            let at = format!("{mode:?} question {question}");
            killed_at(&stage, mode, &at, || stage.model.questions().len() > question);
        }
    }
}

#[test]
fn a_review_that_was_paid_for_is_not_asked_for_again() {
    let stage = Mode::Linear.stage(None);
    let mut command = Mode::Linear.command(&stage);
    command.env("COUNTERSIGN_FAULT_SAVE", "after:3");
    assert_eq!(run(command).code, None);
    assert_eq!(run(Mode::Linear.command(&stage)).code, Some(1));
    assert_eq!(stage.model.questions().len(), 1);
}
