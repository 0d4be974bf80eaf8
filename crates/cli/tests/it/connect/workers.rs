use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use testkit::forge::Fault;

use super::stage::{KEY, Kind, PROJECT, SOUND, STOPS, Stage};
use crate::agents::{Running, eventually};

impl Stage {
    fn worker(&self) -> Running {
        let mut command = self.command(&["agent", "start", "qa"]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        Running::of(command)
    }

    fn queue(&self) -> String {
        let (project, number) = match self.kind {
            Kind::Github => ("github_repo", "pr_number"),
            Kind::Gitlab => ("gitlab_project", "mr_iid"),
        };
        let task = json!({
            "id": "review-1", "type": "review", "assigned_to": "qa", "title": "Review it",
            "context": {"jira_key": KEY, project: PROJECT, number: self.number},
        });
        let file = self.folder.path().join("task.json");
        std::fs::write(&file, task.to_string()).unwrap();
        let added = self.run(&["task", "add", "--from", file.to_str().unwrap()]);
        assert_eq!(added.code, Some(0), "{}", added.stderr);
        added.stdout.trim().to_owned()
    }

    fn task(&self, id: &str) -> Value {
        serde_json::from_str(&self.run(&["task", "show", id, "--format", "json"]).stdout).unwrap_or_default()
    }

    fn is_over(&self, id: &str) -> bool {
        let shown = self.run(&["task", "show", id]).words();
        ["completed", "failed", "escalated"].iter().any(|state| shown.contains(&format!("status {state}")))
    }

    fn told(&self) -> Vec<String> {
        self.forge.issue(KEY).said().into_iter().map(str::to_owned).collect()
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("logs/qa.log")).unwrap_or_default()
    }
}

#[test]
fn a_request_that_fails_is_posted_told_and_becomes_a_fix_task() {
    for kind in Kind::BOTH {
        let stage = Stage::new(kind, STOPS);
        let id = stage.queue();
        let worker = stage.worker();
        eventually("it is reviewed", || stage.is_over(&id));
        assert_eq!(worker.terminate(), Some(0));
        assert_eq!(stage.forge.pull(PROJECT, stage.number).threads.len(), 1, "{}", stage.log());
        let issue = stage.forge.issue(KEY);
        assert_eq!(issue.status, "Changes Requested", "{}", stage.log());
        assert_eq!(stage.told().len(), 1, "{:?}", stage.told());
        assert!(stage.told()[0].contains("changes are requested"), "{:?}", stage.told());
        assert!(stage.told()[0].contains(&stage.url()), "{:?}", stage.told());
        let fixes = stage.run(&["task", "list", "--agent", "engineer", "--format", "json"]).stdout;
        let fixes: Value = serde_json::from_str(&fixes).unwrap();
        let context = &fixes["tasks"][0]["task"]["context"];
        assert_eq!(context["jira_key"], KEY, "{fixes}");
        assert!(stage.log().contains("Published at"), "{}", stage.log());
    }
}

#[test]
fn a_request_that_passes_is_approved() {
    let stage = Stage::new(Kind::Github, SOUND);
    let id = stage.queue();
    let worker = stage.worker();
    eventually("it is reviewed", || stage.is_over(&id));
    assert_eq!(worker.terminate(), Some(0));
    assert_eq!(stage.forge.issue(KEY).status, "Approved", "{}", stage.log());
    assert_eq!(stage.statuses(&stage.head()), ["success"]);
    assert!(stage.run(&["task", "list", "--agent", "engineer"]).stdout.is_empty());
}

#[test]
fn the_names_of_statuses_are_the_trackers_own_and_a_missing_one_is_explained_once() {
    let stage = Stage::new(Kind::Github, SOUND);
    let own = "connect: { statuses: { approved: Ready to Ship } }\n";
    std::fs::write(stage.folder.path().join("countersign.yaml"), own).unwrap();
    let id = stage.queue();
    let worker = stage.worker();
    eventually("it is reviewed", || stage.is_over(&id));
    assert_eq!(worker.terminate(), Some(0));
    assert_eq!(stage.forge.issue(KEY).status, "Code Review");
    assert_eq!(stage.told().len(), 1, "{:?}", stage.told());
    assert!(stage.told()[0].contains("was not changed to Ready to Ship"), "{:?}", stage.told());
    assert!(stage.run(&["task", "show", &id]).words().contains("status completed"));
    assert!(
        stage.task(&id).to_string().contains("could not be moved to Ready to Ship"),
        "{}",
        stage.task(&id)
    );
}

#[test]
fn a_worker_killed_between_posting_and_finishing_leaves_nothing_twice() {
    for (method, path) in [
        ("POST", "/repos/*/*/issues/*/comments"),
        ("POST", "/rest/api/2/issue/*/transitions"),
        ("POST", "/rest/api/2/issue/*/comment"),
    ] {
        let stage = Stage::new(Kind::Github, STOPS);
        let quick = "safeguards: { heartbeat_timeout: 3, watchdog_interval: 1 }\n";
        std::fs::write(stage.folder.path().join("countersign.yaml"), quick).unwrap();
        let id = stage.queue();
        stage.forge.fault(Fault::on(method, path).slow(Duration::from_secs(20)));
        let killed = stage.worker();
        eventually("it posts", || stage.forge.faults_left() == 0);
        drop(killed);
        stage.forge.heal();
        let worker = stage.worker();
        eventually("another finishes it", || stage.is_over(&id));
        assert_eq!(worker.terminate(), Some(0));
        let pull = stage.forge.pull(PROJECT, stage.number);
        assert_eq!((pull.threads.len(), pull.comments.len()), (1, 1), "{path}: {:?}", stage.posted());
        assert_eq!(stage.told().len(), 1, "{path}: {:?}", stage.told());
        assert_eq!(stage.forge.issue(KEY).status, "Changes Requested", "{path}");
        let fixes = stage.run(&["task", "list", "--agent", "engineer"]).stdout;
        assert_eq!(fixes.lines().count(), 1, "{path}: {fixes}");
    }
}

#[test]
fn a_forge_that_refuses_is_told_in_the_reason_of_the_task() {
    let stage = Stage::new(Kind::Gitlab, SOUND);
    stage.forge.revoke(&stage.token);
    let id = stage.queue();
    let worker = stage.worker();
    eventually("it was tried", || stage.log().contains("token"));
    assert_eq!(worker.terminate(), Some(0));
    assert!(!stage.log().contains(&stage.token), "{}", stage.log());
    assert!(!stage.is_over(&id));
}

#[test]
fn without_a_configured_forge_a_request_is_left_to_other_programs() {
    let stage = Stage::new(Kind::Github, SOUND);
    let repo = crate::program::clean_branch();
    let add = ["task", "add", "--agent", "qa", "--title", "T", "--context", "github_repo=acme/shop"];
    let more = ["--context", "pr_number=1", "--context", "branch_name=docs", "--context", "base_branch=main"];
    let added = crate::program::countersign(repo.path(), &[&add[..], &more].concat());
    assert_eq!(added.code, Some(0), "{}", added.stderr);
    let worker = Running::start(&repo, &["qa"]);
    let state = || crate::program::countersign(repo.path(), &["task", "list"]).stdout;
    eventually("it is reviewed here", || state().starts_with("completed"));
    assert_eq!(worker.terminate(), Some(0));
    assert_eq!(stage.forge.requests().len(), 0);
}

#[test]
fn a_long_limit_puts_the_task_back_until_it_is_over_and_costs_no_attempt() {
    let stage = Stage::new(Kind::Github, STOPS);
    stage.forge.fault(Fault::on("POST", "/repos/*/*/pulls/*/reviews").secondary_limit(900));
    let id = stage.queue();
    let worker = stage.worker();
    eventually("it is put back", || stage.log().contains("Put back for"));
    assert_eq!(worker.terminate(), Some(0));
    assert!(stage.log().contains("the review was not published"), "{}", stage.log());
    let shown = stage.task(&id);
    let task = &shown["task"];
    assert_eq!((&task["status"], &task["retry_count"]), (&json!("pending"), &json!(0)), "{shown}");
    assert!(shown["not_before"].is_string(), "{shown}");
}
