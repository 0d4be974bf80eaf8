//! Agents as processes: real signals, real files, the check that the specification prints.

use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use testkit::Repo;

use crate::program::{clean_branch, command, countersign};

/// Killed if the test ends without stopping it.
struct Running(Child);

impl Running {
    fn start(repo: &Repo, arguments: &[&str]) -> Running {
        let mut command = command(repo.path());
        command.args(["agent", "start"]).args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
        Running(command.spawn().unwrap())
    }

    fn terminate(mut self) -> Option<i32> {
        std::process::Command::new("kill").arg(self.0.id().to_string()).status().unwrap();
        self.0.wait().unwrap().code()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn eventually(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(60), "never happened: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn put(repo: &Repo, branch: &str) {
    let folder = repo.path().join(".agent-communication/queues/qa");
    eventually("the mailbox is there", || folder.parent().is_some_and(Path::exists));
    std::fs::create_dir_all(&folder).unwrap();
    let task = format!(
        r#"{{"id": "test-review-task", "type": "review", "status": "pending", "priority": 50,
            "created_by": "manual-test", "assigned_to": "qa", "created_at": "2026-02-03T10:00:00.000Z",
            "title": "Test Review", "description": "Test task for verification", "depends_on": [], "blocks": [],
            "context": {{"jira_key": "TEST-123", "pr_number": 999, "branch_name": "{branch}", "base_branch": "main"}},
            "retry_count": 0}}"#
    );
    std::fs::write(folder.join("test-task.json"), task).unwrap();
}

#[test]
fn a_hand_written_task_is_reviewed_archived_and_logged() {
    let repo = clean_branch();
    let agents = Running::start(&repo, &["qa", "--replicas", "2"]);
    put(&repo, "docs");
    let archived = repo.path().join(".agent-communication/completed/qa/test-review-task.json");
    eventually("the task is archived", || archived.exists());
    assert!(repo.path().join(".agent-communication/heartbeats/qa-2.json").exists());
    assert_eq!(agents.terminate(), Some(0));
    let log = std::fs::read_to_string(repo.path().join("logs/qa.log")).unwrap();
    for expected in [
        "INFO [qa] Found task: test-review-task",
        "[TEST-123] Starting review of PR #999",
        "[REVIEW-APPROVED]",
    ] {
        assert!(log.contains(expected), "{log}");
    }
    assert!(!repo.path().join(".agent-communication/locks/test-review-task.lock").exists());
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn changes_requested_become_one_fix_task_with_a_checklist() {
    let repo = clean_branch();
    repo.branch("feature");
    repo.write("a.py", "def f():\n    breakpoint()\n");
    repo.commit("Stop");
    let agents = Running::start(&repo, &["qa"]);
    put(&repo, "feature");
    let fixes = || countersign(repo.path(), &["task", "list", "--agent", "engineer"]).stdout;
    eventually("the fix task is queued", || !fixes().is_empty());
    assert_eq!(agents.terminate(), Some(0));
    assert_eq!(fixes().lines().count(), 1);
    let id = fixes().split_whitespace().nth(3).unwrap().to_owned();
    let shown = countersign(repo.path(), &["task", "show", &id]).stdout;
    assert!(shown.contains("1. [ ] **MAJOR** (correctness): a.py:2"), "{shown}");
}

#[test]
fn two_processes_share_a_queue_under_names_of_their_own() {
    let repo = clean_branch();
    let heartbeat = |name: &str| {
        let file = repo.path().join(".agent-communication/heartbeats").join(name);
        std::fs::read_to_string(file).unwrap_or_default()
    };
    let first = Running::start(&repo, &["qa"]);
    eventually("the first lives", || heartbeat("qa-1.json").contains(&first.0.id().to_string()));
    let second = Running::start(&repo, &["qa"]);
    eventually("the second lives", || heartbeat("qa-2.json").contains(&second.0.id().to_string()));
    drop(first);
    let third = Running::start(&repo, &["qa"]);
    eventually("the third takes the place of the first, which was killed", || {
        heartbeat("qa-1.json").contains(&third.0.id().to_string())
    });
}

#[test]
fn an_unknown_agent_is_refused() {
    let repo = clean_branch();
    let outcome = countersign(repo.path(), &["agent", "start", "nobody"]);
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr.contains("the agents are qa, engineer"), "{}", outcome.stderr);
}

#[test]
fn a_paused_agent_takes_nothing_until_it_is_resumed() {
    let repo = clean_branch();
    assert_eq!(countersign(repo.path(), &["agent", "pause", "qa"]).code, Some(0));
    let status = countersign(repo.path(), &["agent", "status"]);
    assert!(status.words().contains("qa paused (qa) Code Reviewer"), "{}", status.stdout);
    let agents = Running::start(&repo, &["qa"]);
    put(&repo, "docs");
    let state = || countersign(repo.path(), &["task", "list"]).stdout;
    eventually("the task is taken in", || state().starts_with("pending"));
    std::thread::sleep(Duration::from_millis(500));
    assert!(state().starts_with("pending"), "{}", state());
    assert_eq!(countersign(repo.path(), &["agent", "resume", "qa"]).code, Some(0));
    eventually("the task is completed", || state().starts_with("completed"));
    assert_eq!(agents.terminate(), Some(0));
}
