//! Missions in which the model decides what to look at.

use serde_json::json;
use testkit::model_server::{Asked, Reply};

use super::stage::{KEY, PROJECT, Stage, finding, report};
use crate::exploring::is_offered_tools;

fn looks() -> Reply {
    Reply::text("I look.").and_call("show_hunk", json!({ "file": "src/total.py" }))
}

fn names(asked: &Asked) -> Vec<String> {
    let tools = asked.body["tools"].as_array().cloned().unwrap_or_default();
    tools.iter().filter_map(|tool| tool["name"].as_str().map(str::to_owned)).collect()
}

#[test]
fn agentic_mode_exposes_only_policy_filtered_tools_and_we_make_the_calls() {
    let stage = Stage::new([
        looks().and_call("gitlab_get_mr", json!({ "project": PROJECT, "mr_iid": 1 })),
        // Destructive, elsewhere, and unheard of.
        Reply::call("gitlab_merge_mr", json!({ "project": PROJECT, "mr_iid": 1 }))
            .and_call("jira_transition_issue", json!({ "issue_key": KEY, "status": "Done" }))
            .and_call("gitlab_add_mr_note", json!({ "project": "acme/other", "mr_iid": 1, "body": "x" })),
        Reply::json(&report(&[finding()])),
    ]);
    let outcome = stage.run(&[KEY, "--mode", "agentic", "--format", "json"]);
    let mission: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(mission["step"], "done", "{}", outcome.stderr);
    let questions = stage.model.questions();
    let offered = names(&questions[0]);
    assert!(offered.iter().any(|name| name == "gitlab_get_mr"), "{offered:?}");
    for denied in [
        "jira_transition_issue",
        "gitlab_update_mr",
        "gitlab_resolve_discussion",
        "gitlab_create_commit_status",
    ] {
        assert!(!offered.iter().any(|name| name == denied), "{denied}: {offered:?}");
    }
    assert!(questions[1].text().contains("Totals"), "what the forge answered is shown to the model");
    let observed = questions[2].text();
    assert!(observed.contains("not allowed") && observed.contains("Nothing was done"), "{observed}");
    let trace = mission["trace"].to_string();
    assert!(trace.contains("denied") && trace.contains("gitlab_add_mr_note"), "{trace}");
    assert_eq!(stage.forge.issue(KEY).status, "To Do");
    assert_eq!((stage.count("start"), stage.count("result")), (1, 1));
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
