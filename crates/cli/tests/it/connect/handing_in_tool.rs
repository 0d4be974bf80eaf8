//! Tools that tell forge and tracker as `countersign submit` does.

use serde_json::json;
use testkit::Repo;

use super::stage::{KEY, Kind, PROJECT, SOUND, Stage};
use crate::mcp::client::{Client, Stdio};

fn served(stage: &Stage, repo: &Repo, who: &str) -> Stdio {
    let mut command = crate::program::command(repo.path());
    command.args(["mcp", "queue", "--as", who]);
    stage.prepare(&mut command);
    Stdio::start(command)
}

#[test]
fn an_assignment_that_is_handed_in_tells_forge_and_tracker_once() {
    let stage = Stage::new(Kind::Github, SOUND);
    stage.forge.set_status(KEY, "In Progress");
    let repo = Repo::new();
    repo.write(
        "countersign.yaml",
        "agents:\n  - {id: green, role: coder}\n  - {id: purple, role: reviewer}\n",
    );
    repo.commit("Start");
    repo.git(&["remote", "add", "origin", &stage.forge.clone_url(PROJECT)]);
    repo.branch("feature");
    repo.write("src/total.py", SOUND);
    repo.commit("Add up");
    let made = served(&stage, &repo, "purple")
        .call("create_assignment", json!({"agent": "green", "title": "Add up"}))
        .done();
    let id = made["assignment_id"].as_i64().unwrap();
    let mut green = served(&stage, &repo, "green");
    green.call("accept_assignment", json!({"assignment_id": id})).done();
    let work = json!({"assignment_id": id, "branch_name": "feature", "jira_key": KEY});
    let handed = green.call("submit_for_review", work).done();
    let expected = format!("{} is handed in, its review is task review-qa-", stage.url());
    assert!(handed["message"].as_str().unwrap().contains(&expected), "{handed}");
    assert!(handed["review_task"].as_str().unwrap().starts_with("review-qa-"), "{handed}");
    let issue = stage.forge.issue(KEY);
    assert_eq!((issue.status.as_str(), issue.links.len(), issue.said().len()), ("Code Review", 1, 1));
    stage.forge.assert_no_token_leaked();
}

#[test]
fn a_forge_that_is_not_there_does_not_keep_an_assignment_from_being_handed_in() {
    let stage = Stage::new(Kind::Github, SOUND);
    let repo = Repo::new();
    repo.write(
        "countersign.yaml",
        "agents:\n  - {id: green, role: coder}\n  - {id: purple, role: reviewer}\n",
    );
    repo.commit("Start");
    repo.branch("feature");
    repo.write("src/total.py", SOUND);
    repo.commit("Add up");
    let mut purple = served(&stage, &repo, "purple");
    let made = purple.call("create_assignment", json!({"agent": "green", "title": "Add up"})).done();
    let id = made["assignment_id"].as_i64().unwrap();
    let mut green = served(&stage, &repo, "green");
    green.call("accept_assignment", json!({"assignment_id": id})).done();
    let work = json!({"assignment_id": id, "branch_name": "feature", "pr_number": 1});
    let handed = green.call("submit_for_review", work).done();
    assert_eq!(handed["status"], "completed", "{handed}");
    assert!(handed["message"].as_str().unwrap().contains("were not told"), "{handed}");
}

#[test]
fn a_request_created_through_our_own_server_is_handed_in_once() {
    for kind in Kind::BOTH {
        let stage = Stage::new(kind, SOUND);
        stage.forge.set_status(KEY, "In Progress");
        stage.forge.commit(PROJECT, "topic/PROJ-1-more", &[("src/more.py", "X = 1\n")]);
        let (service, tool, work) = match kind {
            Kind::Github => (
                "github",
                "github_create_pr",
                json!({"repo": PROJECT, "title": "More", "head": "topic/PROJ-1-more", "base": "main"}),
            ),
            Kind::Gitlab => (
                "gitlab",
                "gitlab_create_mr",
                json!({"project": PROJECT, "title": "More", "source_branch": "topic/PROJ-1-more", "target_branch": "main"}),
            ),
        };
        let mut client = Stdio::start(stage.command(&["mcp", service, "--hand-in"]));
        for said in ["Handed in: its review is task review-qa-", "Handed in before: its review is task"] {
            let answer = client.request("tools/call", json!({"name": tool, "arguments": work}));
            let told = answer["result"]["content"][1]["text"].as_str().unwrap_or_default().to_owned();
            assert!(told.contains(said), "{answer}");
            let task = answer["result"]["structuredContent"]["review_task"].as_str().unwrap_or_default();
            assert!(told.contains(task) && task.starts_with("review-qa-"), "{answer}");
        }
        let issue = stage.forge.issue(KEY);
        assert_eq!((issue.status.as_str(), issue.links.len(), issue.said().len()), ("Code Review", 1, 1));
    }
}
