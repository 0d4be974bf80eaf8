//! Missions in which the model decides what to look at.

use serde_json::json;
use testkit::model_server::{Asked, Reply};

use super::stage::{KEY, PROJECT, Stage, report};
use crate::exploring::is_offered_tools;

pub(super) fn looks() -> Reply {
    Reply::text("I look.").and_call("show_hunk", json!({ "file": "src/total.py" }))
}

#[test]
fn a_diff_too_large_for_one_question_switches_to_the_act_loop() {
    let large: String =
        (0..400).map(|line| format!("VALUE_{line} = compute({line}, 'of a table that is long')\n")).collect();
    let script = move |asked: &Asked| match is_offered_tools(asked) {
        true => looks(),
        false => Reply::json(&report(&[])),
    };
    let stage = Stage::new(script);
    stage.forge.commit(PROJECT, "feature", &[("src/table.py", large.as_str())]);
    let mut command = stage.command(&[KEY]);
    command.env("COUNTERSIGN_MODEL_LINEAR_TOKENS", "4000").env("COUNTERSIGN_MODEL_ITERATIONS", "2");
    let outcome = crate::program::run(command);
    assert!(stage.model.questions().iter().any(is_offered_tools), "{}{}", outcome.stdout, outcome.stderr);
    // It did not look at the table, and that proves nothing: the ticket is told so.
    assert_eq!(outcome.code, Some(3), "{}{}", outcome.stdout, outcome.stderr);
    assert!(stage.told().pop().unwrap().contains("inconclusive"), "{:?}", stage.told());
}
