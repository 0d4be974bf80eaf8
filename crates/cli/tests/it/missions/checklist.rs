//! The acceptance checklist of missions, line by line.

use testkit::forge::{Fault, Jira};
use testkit::model_server::Reply;

use super::stage::{KEY, PROJECT, Stage, finds_it, report};

#[test]
fn both_modes_implemented_and_testable_linear() {
    let stage = Stage::new(finds_it());
    let outcome = stage.run(&[KEY]);
    assert_eq!(outcome.code, Some(1), "{}{}", outcome.stdout, outcome.stderr);
    assert_eq!((stage.count("start"), stage.count("result")), (1, 1), "{:?}", stage.told());
    let posted = stage.posted();
    assert!(posted.iter().any(|body| body.contains("This is the mean, not the total")), "{posted:?}");
    let result = stage.told().pop().unwrap();
    assert!(
        result.contains(&stage.forge.merge_request_url(PROJECT, stage.number)) && result.contains("HIGH"),
        "{result}"
    );
}

#[test]
fn deterministic_mode_is_explicit_auditable_and_one_shot_structured_llm_only() {
    let stage = Stage::new(Reply::json(&report(&[])));
    let outcome = stage.run(&[KEY, "--mode", "linear", "--format", "json"]);
    let mission: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(mission["step"], "done", "{}", outcome.stderr);
    let trace: Vec<_> =
        mission["trace"].as_array().unwrap().iter().map(|one| one["what"].as_str().unwrap()).collect();
    assert_eq!(
        trace,
        [
            "parse, then report_start",
            "report_start, then validate",
            "validate, then review",
            "review, then publish",
            "publish, then report",
            "report, then done",
        ]
    );
    let questions = stage.model.questions();
    assert_eq!(questions.len(), 1);
    let asked = questions[0].text();
    for part in ["Add up prices", "Money is never a float", "return sum(prices)"] {
        assert!(asked.contains(part), "{part}: {asked}");
    }
}

#[test]
fn provider_not_supported_path_is_explicit_and_reported_to_jira() {
    let stage = Stage::new(finds_it());
    let mut command = stage.command(&[KEY]);
    command.env("VCS_PROVIDER", "BITBUCKET");
    let outcome = crate::program::run(command);
    assert_eq!(outcome.code, Some(4), "{}{}", outcome.stdout, outcome.stderr);
    let told = stage.told();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[1].contains("BITBUCKET is not supported"), "{told:?}");
    assert_eq!(stage.posted().len(), 0);
}

#[test]
fn all_mutable_settings_are_env_driven() {
    let stage = Stage::new(finds_it());
    let mut command = stage.command(&[KEY]);
    command.env("VCS_BASE_URL", "https://other.example.com");
    let outcome = crate::program::run(command);
    assert_eq!(outcome.code, Some(4));
    assert!(stage.told()[1].contains("does not belong to https://other.example.com"), "{:?}", stage.told());
}

#[test]
fn start_success_failure_reporting_is_always_performed() {
    let stage = Stage::new(finds_it());
    stage.forge.delete_branch(PROJECT, "feature");
    assert_eq!(stage.run(&[KEY]).code, Some(4));
    assert_eq!((stage.count("start"), stage.count("result")), (1, 1));
    assert!(stage.told()[1].contains("no branch"), "{:?}", stage.told());
}

#[test]
fn a_cloud_ticket_with_rich_text_is_understood() {
    let stage = Stage::new(finds_it());
    stage.forge.set_jira(Jira::Cloud);
    let yaml = stage.description();
    let yaml = yaml.split("{code:yaml}\n").nth(1).unwrap().split("{code}").next().unwrap();
    let document = serde_json::json!({"type": "doc", "version": 1, "content": [
        {"type": "codeBlock", "attrs": {"language": "yaml"}, "content": [{"type": "text", "text": yaml}]}
    ]});
    stage.forge.ticket("PROJ-2", "Add up prices", document);
    let mut command = stage.command(&["PROJ-2"]);
    let token =
        command.get_envs().find(|(name, _)| *name == "JIRA_PERSONAL_TOKEN").unwrap().1.unwrap().to_owned();
    for service in ["JIRA", "CONFLUENCE"] {
        command.env_remove(format!("{service}_PERSONAL_TOKEN"));
        command.env(format!("{service}_EMAIL"), "countersign@example.com");
        command.env(format!("{service}_API_TOKEN"), &token);
    }
    let outcome = crate::program::run(command);
    assert_eq!(outcome.code, Some(1), "{}{}", outcome.stdout, outcome.stderr);
    assert_eq!(stage.forge.issue("PROJ-2").said().len(), 2);
}

#[test]
fn a_webhook_of_jira_starts_a_mission_too() {
    let stage = Stage::new(finds_it());
    let payload = serde_json::json!({
        "webhookEvent": "jira:issue_updated",
        "issue": {"key": KEY, "fields": {"description": stage.description()}}
    });
    let file = stage.folder.path().join("payload.json");
    std::fs::write(&file, payload.to_string()).unwrap();
    let outcome = stage.run(&["--webhook", file.to_str().unwrap()]);
    assert_eq!(outcome.code, Some(1), "{}{}", outcome.stdout, outcome.stderr);
    assert_eq!(stage.count("result"), 1);
}

#[test]
fn a_review_that_cannot_be_published_is_told_to_the_ticket_whole() {
    let stage = Stage::new(finds_it());
    stage.forge.fault(Fault::on("POST", "/api/v4/projects/*/merge_requests/*/**").status(403).always());
    let outcome = stage.run(&[KEY]);
    let result = stage.told().pop().unwrap();
    assert!(
        result.contains("could not be published") && result.contains("This is the mean"),
        "{result} {}",
        outcome.stderr
    );
    assert_eq!(stage.count("result"), 1);
}

#[test]
fn a_ticket_that_cannot_be_told_is_left_to_a_human() {
    let stage = Stage::new(finds_it());
    stage.forge.fault(Fault::on("POST", "/rest/api/2/issue/*/comment").status(403).always());
    let outcome = stage.run(&[KEY]);
    assert_eq!(outcome.code, Some(4), "{}{}", outcome.stdout, outcome.stderr);
    assert!(outcome.stdout.contains("could not be told"), "{}", outcome.stdout);
}
