//! The same work, handed in by several at the same moment.

use std::process::{Child, Command, Stdio as Streams};
use std::time::Duration;

use serde_json::{Value, json};
use testkit::forge::Fault;

use super::stage::{KEY, Kind, PROJECT, SOUND, Stage};
use crate::agents::eventually;
use crate::mcp::client::{Client, Stdio};

const ROUNDS: usize = 6;
const BRANCH: &str = "topic/PROJ-1-more";

impl Stage {
    /// Whoever looks for the comment while another posts it does not find it yet.
    fn slow_tracker(&self) {
        self.forge.fault(
            Fault::on("POST", "/rest/api/2/issue/*/comment").slow(Duration::from_millis(400)).times(4),
        );
    }

    fn submitting(&self, more: &[&str]) -> Child {
        let mut command: Command =
            self.command(&[&["submit", "--project", PROJECT, "--jira", KEY], more].concat());
        command.stdout(Streams::null()).stderr(Streams::piped());
        command.spawn().unwrap()
    }

    /// As often as there were commits.
    fn is_handed_in_once(&self, commits: usize) {
        let issue = self.forge.issue(KEY);
        assert_eq!(issue.said().len(), commits, "{:?}", issue.said());
        assert_eq!((issue.status.as_str(), issue.links.len()), ("Code Review", 1));
        let listed = self.run(&["task", "list", "--agent", "qa", "--format", "json"]).stdout;
        let listed: Value = serde_json::from_str(&listed).unwrap();
        assert_eq!(listed["tasks"].as_array().unwrap().len(), commits, "{listed}");
    }
}

fn went_well(child: Child) {
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn handed_in_by_two_at_the_same_moment_the_ticket_is_told_once() {
    for kind in Kind::BOTH {
        let stage = Stage::new(kind, SOUND);
        stage.forge.set_status(KEY, "In Progress");
        for round in 1..=ROUNDS / 2 {
            stage.slow_tracker();
            let both = [0, 1].map(|_| stage.submitting(&["--branch", "feature"]));
            both.into_iter().for_each(went_well);
            stage.forge.heal();
            stage.is_handed_in_once(round);
            stage.forge.commit(PROJECT, "feature", &[("src/more.py", &format!("X = {round}\n"))]);
        }
    }
}

#[test]
fn handed_in_by_a_person_and_by_a_tool_at_the_same_moment_the_ticket_is_told_once() {
    for round in 0..ROUNDS / 2 {
        let stage = Stage::new(Kind::Github, SOUND);
        stage.forge.set_status(KEY, "In Progress");
        stage.forge.commit(PROJECT, BRANCH, &[("src/more.py", &format!("X = {round}\n"))]);
        stage.slow_tracker();
        let mut tool = Stdio::start(stage.command(&["mcp", "github", "--hand-in"]));
        let person = stage.submitting(&["--branch", BRANCH, "--create-pr"]);
        let work = json!({"repo": PROJECT, "title": "More", "head": BRANCH, "base": "main"});
        let answer = tool.request("tools/call", json!({"name": "github_create_pr", "arguments": work}));
        let said = answer["result"]["content"][1]["text"].as_str().unwrap_or_default().to_owned();
        assert!(said.starts_with("Handed in"), "{answer}");
        went_well(person);
        stage.forge.heal();
        stage.is_handed_in_once(1);
        assert_eq!(stage.forge.pulls(PROJECT).len(), 2, "one of them made the request");
    }
}

#[test]
fn killed_while_it_tells_the_ticket_the_next_one_tells_what_is_missing_and_nothing_twice() {
    for late in [false, true] {
        let stage = Stage::new(Kind::Github, SOUND);
        stage.forge.set_status(KEY, "In Progress");
        let fault = Fault::on("POST", "/rest/api/2/issue/*/comment");
        let hour = Duration::from_secs(3600);
        stage.forge.fault(if late { fault.late(hour) } else { fault.slow(hour) });
        let mut killed = stage.submitting(&["--branch", "feature"]);
        eventually("it tells the ticket", || stage.forge.faults_left() == 0);
        killed.kill().unwrap();
        killed.wait().unwrap();
        stage.forge.heal();
        went_well(stage.submitting(&["--branch", "feature"]));
        stage.is_handed_in_once(1);
    }
}

#[test]
fn a_tracker_that_lists_late_is_not_told_again() {
    let stage = Stage::new(Kind::Github, SOUND);
    stage.forge.set_status(KEY, "In Progress");
    stage.forge.fault(Fault::on("POST", "/rest/api/2/issue/*/comment").lag(50));
    for _ in 0..2 {
        went_well(stage.submitting(&["--branch", "feature"]));
    }
    stage.is_handed_in_once(1);
}
