//! The acceptance checklist of missions, line by line: the first seven are called after its lines.

use serde_json::json;
use testkit::forge::{Fault, Jira, PullState};
use testkit::model_server::{Asked, Reply};

use super::exploring::looks;
use super::stage::{KEY, PROJECT, Stage, finding, finds_it, report};
use crate::exploring::is_offered_tools;

fn names(asked: &Asked) -> Vec<String> {
    let tools = asked.body["tools"].as_array().cloned().unwrap_or_default();
    tools.iter().filter_map(|tool| tool["name"].as_str().map(str::to_owned)).collect()
}

#[test]
fn both_modes_are_implemented_and_testable() {
    for mode in ["linear", "agentic"] {
        let stage = Stage::new(|asked: &Asked| match is_offered_tools(asked) && asked.number == Some(0) {
            true => looks(),
            false => finds_it(),
        });
        let outcome = stage.run(&[KEY, "--mode", mode]);
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
fn agentic_mode_exposes_only_policy_filtered_tools_and_the_program_executes_calls() {
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
    let trace = mission["trace"].as_array().unwrap();
    let steps: Vec<&str> = trace.iter().filter_map(|step| step["what"].as_str()).collect();
    for denied in ["gitlab_add_mr_note", "jira_transition_issue"] {
        let entry = format!("\"denied_tool\":\"{denied}\"");
        assert!(steps.iter().any(|step| step.contains(&entry)), "{denied}: {steps:?}");
    }
    assert_eq!(stage.forge.issue(KEY).status, "To Do");
    assert_eq!((stage.count("start"), stage.count("result")), (1, 1));
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

/// The program itself is given no address and no token of any service: whatever reached them went through an MCP server.
#[test]
fn all_outbound_side_effects_go_through_ports_and_mcp_adapters() {
    let stage = Stage::new(finds_it());
    let mut command = stage.command(&[KEY]);
    let secret = |name: &str| ["GITLAB_", "JIRA_", "CONFLUENCE_"].iter().any(|start| name.starts_with(start));
    let set: Vec<(String, String)> = command
        .get_envs()
        .filter_map(|(name, value)| Some((name.to_str()?.to_owned(), value?.to_str()?.to_owned())))
        .filter(|(name, _)| secret(name))
        .collect();
    for (name, _) in &set {
        command.env_remove(name);
    }
    let exports: String = set.iter().map(|(name, value)| format!("export {name}='{value}'\n")).collect();
    let program = env!("CARGO_BIN_EXE_countersign");
    let script = format!("{exports}tee -a \"heard-$1\" | '{program}' mcp \"$1\"\n");
    std::fs::write(stage.folder.path().join("server.sh"), script).unwrap();
    let server = |name: &str| json!({"command": "sh", "args": [stage.folder.path().join("server.sh"), name]});
    let servers = json!({"mcpServers": {
        "forge": server("gitlab"), "tickets": server("jira"), "wiki": server("confluence")}});
    std::fs::write(stage.folder.path().join(".mcp.json"), servers.to_string()).unwrap();
    let policy =
        "connect: { vcs: { server: forge }, tracker: { server: tickets }, docs: { server: wiki } }\n";
    std::fs::write(stage.folder.path().join("countersign.yaml"), policy).unwrap();
    let outcome = crate::program::run(command);
    stage.nothing_leaked(&outcome);
    assert_eq!(outcome.code, Some(1), "{}{} {:?}", outcome.stdout, outcome.stderr, stage.told());
    assert_eq!((stage.count("start"), stage.count("result")), (1, 1), "{:?}", stage.told());
    let heard = |name: &str| {
        std::fs::read_to_string(stage.folder.path().join(format!("heard-{name}"))).unwrap_or_default()
    };
    for (name, tool) in [("gitlab", "gitlab_"), ("jira", "jira_add_comment"), ("confluence", "confluence_")] {
        assert!(heard(name).contains("tools/call") && heard(name).contains(tool), "{name}: {}", heard(name));
    }
}

#[test]
fn all_mutable_settings_are_env_driven() {
    let with = |name: &str, value: &str| {
        let stage = Stage::new(finds_it());
        let other = stage.forge.page("OTHER", "Other", "<p>Names are short.</p>", &[]).to_string();
        let mut command = stage.command(&[KEY]);
        command.env(name, if value == "another page" { &other } else { value });
        let outcome = crate::program::run(command);
        stage.nothing_leaked(&outcome);
        (stage, outcome)
    };
    let failed = |name: &str, value: &str, told: &str| {
        let (stage, outcome) = with(name, value);
        assert_eq!(outcome.code, Some(4), "{name}: {}{}", outcome.stdout, outcome.stderr);
        assert!(stage.told()[1].contains(told), "{name}: {:?}", stage.told());
    };
    failed("VCS_PROVIDER", "BITBUCKET", "BITBUCKET is not supported");
    failed("VCS_BASE_URL", "https://other.example.com", "does not belong to https://other.example.com");
    failed("GITLAB_TOKEN", "glpat-of-somebody-else", "token");
    failed("GITLAB_API_URL", "http://127.0.0.1:1/api/v4", "looking for the merge request");
    failed("CONFLUENCE_PERSONAL_TOKEN", "of-somebody-else", "reading the documentation");
    failed("CODE_REVIEW_LLM_MODEL_PRIORITY", "nobody:knows", "no model can be asked");
    let (_, untold) = with("JIRA_PERSONAL_TOKEN", "of-somebody-else");
    assert!(untold.stdout.contains("could not be told"), "{}", untold.stdout);
    let (stage, _) = with("CODE_REVIEW_LLM_MODEL_PRIORITY", "anthropic:another-model");
    assert_eq!(stage.model.questions()[0].body["model"], "another-model");
    let (stage, _) = with("ARCHITECTURE_DOC_PAGE_ID", "another page");
    assert!(stage.model.questions()[0].text().contains("Names are short"));
}

#[test]
fn start_success_failure_reporting_is_always_performed() {
    let reported = |break_it: fn(&Stage), code: i32, result: &str| {
        let stage = Stage::new(finds_it());
        break_it(&stage);
        let outcome = stage.run(&[KEY]);
        assert_eq!(outcome.code, Some(code), "{result}: {}{}", outcome.stdout, outcome.stderr);
        assert_eq!((stage.count("start"), stage.count("result")), (1, 1), "{result}: {:?}", stage.told());
        assert!(stage.told()[1].contains(result), "{result}: {:?}", stage.told());
    };
    reported(|_| {}, 1, "Code review failed: changes are requested");
    reported(|stage| stage.forge.delete_branch(PROJECT, "feature"), 4, "no branch");
    reported(|stage| stage.forge.set_pull_state(PROJECT, stage.number, PullState::Merged), 4, "is merged");
    let wiki =
        |stage: &Stage| stage.forge.fault(Fault::on("GET", "/rest/api/content/**").status(403).always());
    reported(wiki, 4, "reading the documentation");
    let mute = |stage: &Stage| {
        let path = "/api/v4/projects/*/merge_requests/*/**";
        stage.forge.fault(Fault::on("POST", path).status(403).always());
    };
    reported(mute, 1, "could not be published");
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
