//! Tasks from the command line.

use crate::program::{Outcome, clean_branch, countersign};

fn json(outcome: &Outcome) -> serde_json::Value {
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    serde_json::from_str(&outcome.stdout).unwrap()
}

#[test]
fn a_task_is_queued_listed_shown_and_cancelled() {
    let repo = clean_branch();
    let add = ["task", "add", "--agent", "qa", "--title", "Review PR #456", "--context", "pr_number=456"];
    let added = countersign(repo.path(), &add);
    assert_eq!(added.code, Some(0), "{}", added.stderr);
    let id = added.stdout.trim();
    assert!(id.starts_with("review-qa-") && id.len() == "review-qa-1738588800000-a1b2c3".len(), "{id}");

    let listed = countersign(repo.path(), &["task", "list"]);
    assert!(listed.words().starts_with(&format!("pending 50 qa {id} ")), "{}", listed.stdout);
    assert!(listed.words().ends_with("s Review PR #456"), "{}", listed.stdout);
    let shown = json(&countersign(repo.path(), &["task", "show", id, "--format", "json"]));
    assert_eq!(
        (&shown["task"]["context"]["pr_number"], &shown["task"]["status"]),
        (&456.into(), &"pending".into())
    );
    assert!(shown["events"].as_array().is_some_and(|events| !events.is_empty()), "{shown}");

    assert_eq!(countersign(repo.path(), &["task", "cancel", id]).code, Some(0));
    let filtered =
        json(&countersign(repo.path(), &["task", "list", "--status", "cancelled", "--format", "json"]));
    assert_eq!(filtered["tasks"].as_array().map(Vec::len), Some(1));
    let again = countersign(repo.path(), &["task", "cancel", id]);
    assert_eq!(again.code, Some(2));
    assert!(again.stderr.contains("hint:"), "{}", again.stderr);
}

#[test]
fn the_task_of_the_specification_is_taken_as_it_stands_and_given_back() {
    let repo = clean_branch();
    let task = r#"{
        "id": "test-review-task", "type": "review", "status": "pending", "priority": 50,
        "created_by": "manual-test", "assigned_to": "qa", "created_at": "2026-02-03T10:00:00.000Z",
        "title": "Test Review", "description": "Test task for verification", "depends_on": [], "blocks": [],
        "context": { "jira_key": "TEST-123", "github_repo": "owner/repo", "pr_number": 999 },
        "retry_count": 0, "colour": "blue" }"#;
    std::fs::write(repo.path().join("../task.json"), task).unwrap();
    let added =
        json(&countersign(repo.path(), &["task", "add", "--from", "../task.json", "--format", "json"]));
    assert_eq!(
        (&added["task"]["id"], &added["task"]["colour"]),
        (&"test-review-task".into(), &"blue".into())
    );
    let twice = countersign(repo.path(), &["task", "add", "--from", "../task.json"]);
    assert_eq!(twice.code, Some(2));
    assert!(twice.stderr.contains("already a task test-review-task"), "{}", twice.stderr);
}

#[test]
fn what_cannot_be_queued_is_refused_with_the_field() {
    let repo = clean_branch();
    let add = |more: &[&str]| {
        let mut arguments = vec!["task", "add", "--title", "T"];
        arguments.extend(more);
        countersign(repo.path(), &arguments)
    };
    for (more, expected) in [
        (&["--agent", "../qa"][..], "assigned_to"),
        (&["--agent", "qa", "--depends-on", "nobody-knows"], "which does not exist"),
        (&["--agent", "qa", "--type", "a/b"], "type"),
        (&["--agent", "qa", "--max-queue-size", "0"], "full"),
    ] {
        let outcome = add(more);
        assert_eq!(outcome.code, Some(2), "{more:?}");
        assert!(outcome.stderr.contains(expected), "{more:?}: {}", outcome.stderr);
        assert_eq!(outcome.stderr.lines().count(), 2, "{}", outcome.stderr);
    }
    assert_eq!(
        json(&countersign(repo.path(), &["task", "list", "--format", "json"]))["tasks"],
        serde_json::json!([])
    );
}

#[test]
fn a_long_list_comes_in_pages() {
    let repo = clean_branch();
    for number in 0..3 {
        let title = format!("Task {number}");
        assert_eq!(
            countersign(repo.path(), &["task", "add", "--agent", "qa", "--title", &title]).code,
            Some(0)
        );
    }
    let first = json(&countersign(repo.path(), &["task", "list", "--limit", "2", "--format", "json"]));
    let after = first["next"].to_string();
    let second = json(&countersign(repo.path(), &["task", "list", "--after", &after, "--format", "json"]));
    assert_eq!(
        (first["tasks"].as_array().map(Vec::len), second["tasks"].as_array().map(Vec::len)),
        (Some(2), Some(1))
    );
    assert_eq!(second["tasks"][0]["task"]["title"], "Task 0");
}

#[test]
fn the_store_keeps_itself_out_of_version_control() {
    let repo = clean_branch();
    countersign(repo.path(), &["task", "list"]);
    assert!(!repo.path().join(".agent-communication").exists(), "looking makes nothing");
    assert_eq!(countersign(repo.path(), &["task", "add", "--agent", "qa", "--title", "T"]).code, Some(0));
    assert!(repo.path().join(".agent-communication/countersign.db").exists());
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_store_that_cannot_be_reached_is_an_error_without_its_password() {
    let repo = clean_branch();
    let outcome = countersign(
        repo.path(),
        &["task", "list", "--store", "postgres://me:hunter2secret@127.0.0.1:1/none"],
    );
    assert_eq!(outcome.code, Some(2));
    assert!(!outcome.stderr.contains("hunter2secret"), "{}", outcome.stderr);
}

#[test]
fn a_wrong_id_is_answered_with_the_nearest_one() {
    let repo = clean_branch();
    let added = countersign(repo.path(), &["task", "add", "--agent", "qa", "--title", "T"]);
    let id = added.stdout.trim();
    for wrong in [id.replace("review", "reveiw"), id[..20].to_owned()] {
        for verb in ["show", "cancel", "retry"] {
            let outcome = countersign(repo.path(), &["task", verb, &wrong]);
            assert_eq!(outcome.code, Some(2));
            assert!(outcome.stderr.contains(&format!("did you mean {id}?")), "{}", outcome.stderr);
        }
    }
}

#[test]
fn a_list_and_a_page_say_why_a_task_waits() {
    let repo = clean_branch();
    let add = |more: &[&str]| {
        let arguments = [&["task", "add", "--agent", "qa", "--title", "T"], more].concat();
        countersign(repo.path(), &arguments).stdout.trim().to_owned()
    };
    let first = add(&[]);
    let second = add(&["--depends-on", &first]);
    let waits = format!("waits for {first} (pending)");
    let listed = countersign(repo.path(), &["task", "list"]).stdout;
    assert!(listed.lines().next().is_some_and(|line| line.contains(&waits)), "{listed}");
    let shown = countersign(repo.path(), &["task", "show", &second]);
    assert!(shown.words().contains(&format!("because {waits}")), "{}", shown.stdout);
    countersign(repo.path(), &["agent", "pause", "qa"]);
    let listed = json(&countersign(repo.path(), &["task", "list", "--format", "json"]));
    assert_eq!(listed["tasks"][1]["waits_because"], "qa is paused");
}

#[test]
fn a_queue_that_nobody_serves_is_warned_of_and_used_all_the_same() {
    let repo = clean_branch();
    let add = |agent| countersign(repo.path(), &["task", "add", "--agent", agent, "--title", "T"]);
    let typo = add("enginer");
    assert_eq!(typo.code, Some(0), "{}", typo.stderr);
    assert!(typo.stdout.starts_with("review-enginer-"), "{}", typo.stdout);
    assert!(typo.stderr.contains("serves enginer; did you mean engineer?"), "{}", typo.stderr);
    assert!(add("nobody").stderr.contains("the queues are qa, engineer"));
    assert_eq!(add("qa").stderr, "");
}

#[test]
fn a_refusal_names_the_commands_that_work() {
    let repo = clean_branch();
    let added = countersign(repo.path(), &["task", "add", "--agent", "qa", "--title", "T"]);
    let id = added.stdout.trim();
    let refused = |arguments: &[&str], expected: &str| {
        let outcome = countersign(repo.path(), arguments);
        assert_eq!(outcome.code, Some(2), "{arguments:?}");
        assert!(outcome.stderr.contains(expected), "{expected}: {}", outcome.stderr);
    };
    refused(&["task", "retry", id], &format!("task {id} is pending: it cannot be retried"));
    refused(&["task", "retry", id], &format!("`countersign task cancel {id}`"));
    refused(&["task", "resolve", id, "one-more"], "it cannot be resolved with `one-more`");
    countersign(repo.path(), &["task", "cancel", id]);
    refused(&["task", "cancel", id], "is cancelled: it cannot be cancelled");
    refused(&["task", "resolve", id, "accept"], "it is over");
    refused(
        &["task", "add", "--agent", "qa", "--title", "T", "--depends-on", "a/b"],
        "depends_on: holds '/'",
    );
}

#[test]
fn what_was_not_paused_is_not_said_to_work_again() {
    let repo = clean_branch();
    let resume = || countersign(repo.path(), &["agent", "resume", "qa"]).stderr;
    assert_eq!(resume(), "qa was not paused.\n");
    countersign(repo.path(), &["agent", "pause", "qa"]);
    assert_eq!(resume(), "qa works again.\n");
}

#[test]
fn the_directory_shows_every_change_though_no_agent_runs() {
    let repo = clean_branch();
    let shown = |path: &str| {
        let path = repo.path().join(".agent-communication").join(path);
        std::fs::read_to_string(path).unwrap_or_default()
    };
    let id = countersign(repo.path(), &["task", "add", "--agent", "qa", "--title", "T"]).stdout;
    let id = id.trim();
    assert!(shown(&format!("queues/qa/{id}.json")).contains("\"status\": \"pending\""));
    countersign(repo.path(), &["task", "cancel", id]);
    assert!(shown(&format!("completed/qa/{id}.json")).contains("\"status\": \"cancelled\""));
    assert_eq!(shown(&format!("queues/qa/{id}.json")), "");
    countersign(repo.path(), &["agent", "pause", "qa"]);
    assert_eq!(shown("pause/qa"), "paused by command\n");
    countersign(repo.path(), &["agent", "resume", "qa"]);
    assert_eq!(shown("pause/qa"), "");
}

#[test]
fn resuming_removes_a_pause_file_that_no_agent_has_seen() {
    let repo = clean_branch();
    countersign(repo.path(), &["agent", "resume", "qa"]);
    let file = repo.path().join(".agent-communication/pause/qa");
    std::fs::write(&file, "").unwrap();
    assert_eq!(countersign(repo.path(), &["agent", "resume", "qa"]).stderr, "qa works again.\n");
    assert!(!file.exists());
}

#[test]
fn an_unknown_agent_cannot_be_paused() {
    let repo = clean_branch();
    for verb in ["pause", "resume"] {
        let outcome = countersign(repo.path(), &["agent", verb, "qa-1"]);
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
        assert!(outcome.stderr.contains("no agent, queue or replica is called qa-1"), "{}", outcome.stderr);
    }
}

#[test]
fn a_task_is_added_in_the_name_that_git_knows() {
    let repo = clean_branch();
    repo.git(&["config", "user.name", "Mia Müller"]);
    let add =
        ["task", "add", "--agent", "qa", "--title", "T", "--max-review-cycles", "2", "--format", "json"];
    let added = json(&countersign(repo.path(), &add));
    assert_eq!(
        (&added["task"]["created_by"], &added["task"]["max_review_cycles"]),
        (&"Mia Müller".into(), &2.into())
    );
}

#[test]
fn every_argument_of_a_task_command_is_explained() {
    let repo = clean_branch();
    for verb in ["add", "show", "cancel", "retry", "resolve", "guide", "list"] {
        let help = countersign(repo.path(), &["task", verb, "-h"]).stdout;
        // What is indented further goes on with the line above.
        let is_argument = |line: &&str| {
            let rest = line.trim_start();
            line.len() - rest.len() <= 6 && rest.starts_with(['<', '[', '-'])
        };
        let arguments = help.lines().filter(is_argument);
        for line in arguments {
            let explained = line
                .trim()
                .split_once("  ")
                .is_some_and(|(_, text)| !text.trim().is_empty() && !text.trim().starts_with("[default"));
            assert!(explained, "task {verb}: {line}");
        }
    }
}
