//! Agents as processes: real signals, real files, the check that the specification prints.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use testkit::Repo;

use crate::program::{clean_branch, command, countersign};

/// Killed if the test ends without stopping it.
pub(crate) struct Running(Child);

impl Running {
    pub(crate) fn start(repo: &Repo, arguments: &[&str]) -> Running {
        let mut command = command(repo.path());
        command.args(["agent", "start"]).args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
        Running::of(command)
    }

    pub(crate) fn of(mut command: std::process::Command) -> Running {
        Running(command.spawn().unwrap())
    }

    pub(crate) fn terminate(mut self) -> Option<i32> {
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

pub(crate) fn eventually(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(60), "never happened: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// As the specification prints it: the folder of the queue is there by itself.
pub(crate) fn put(repo: &Repo, branch: &str) {
    let context = format!(r#""pr_number": 999, "branch_name": "{branch}", "base_branch": "main""#);
    put_about(repo, &context);
}

fn put_about(repo: &Repo, context: &str) {
    let folder = repo.path().join(".agent-communication/queues/qa");
    eventually("the queue is there", || folder.exists());
    let task = format!(
        r#"{{"id": "test-review-task", "type": "review", "status": "pending", "priority": 50,
            "created_by": "manual-test", "assigned_to": "qa", "created_at": "2026-02-03T10:00:00.000Z",
            "title": "Test Review", "description": "Test task for verification", "depends_on": [], "blocks": [],
            "context": {{"jira_key": "TEST-123", {context}}},
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
        "Z INFO [qa-",
        "] Found task: test-review-task",
        "[TEST-123] Starting review of PR #999",
        "[REVIEW-APPROVED] task test-review-task approved on attempt 1/3: pass of docs (",
        ") against main (",
    ] {
        assert!(log.contains(expected), "{log}");
    }
    let shown = countersign(repo.path(), &["task", "show", "test-review-task"]);
    assert!(shown.words().contains("Review pass of docs ("), "{}", shown.stdout);
    assert!(shown.words().contains("Only local commits were reviewed"), "{}", shown.stdout);
    assert!(!repo.path().join(".agent-communication/locks/test-review-task.lock").exists());
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_request_that_cannot_be_fetched_is_inconclusive_and_says_what_is_missing() {
    for (context, missing) in [
        (r#""github_repo": "owner/repo", "pr_number": 999"#, "set VCS_PROVIDER"),
        (r#""pr_url": "https://github.com/owner/repo/pull/999""#, "set VCS_PROVIDER"),
        (r#""pr_number": 999"#, "set VCS_PROVIDER"),
    ] {
        let repo = clean_branch();
        let agents = Running::start(&repo, &["qa"]);
        put_about(&repo, context);
        let log = || std::fs::read_to_string(repo.path().join("logs/qa.log")).unwrap_or_default();
        eventually("it is put back", || log().contains("waiting 30 s: inconclusive: nothing was reviewed"));
        assert_eq!(agents.terminate(), Some(0));
        assert!(log().contains("no forge is configured") && log().contains(missing), "{}", log());
        assert!(!log().contains("[REVIEW-APPROVED]"), "{}", log());
        let shown = countersign(repo.path(), &["task", "show", "test-review-task"]);
        assert!(shown.words().contains("because tried again in"), "{}", shown.stdout);
        assert!(shown.words().contains("no forge is configured"), "{}", shown.stdout);
    }
}

#[test]
fn the_rules_run_beside_a_reviewer_that_is_a_command() {
    let policy = |answer: &str| {
        format!(
            "agents:\n  - {{id: qa, handler: command, command: [echo, '{answer}']}}\n  - {{id: engineer}}\n"
        )
    };
    let log = |repo: &Repo| std::fs::read_to_string(repo.path().join("logs/qa.log")).unwrap_or_default();
    let reviewed = |answer: &str, mark: &str, setup: fn(&Repo)| {
        let repo = clean_branch();
        repo.branch("feature");
        setup(&repo);
        std::fs::write(repo.path().join("countersign.yaml"), policy(answer)).unwrap();
        let agents = Running::start(&repo, &["qa"]);
        put(&repo, "feature");
        eventually("it is reviewed", || log(&repo).contains(mark));
        assert_eq!(agents.terminate(), Some(0));
        log(&repo)
    };
    let stops = |repo: &Repo| {
        repo.write("a.py", "def f():\n    breakpoint()\n");
        repo.commit("Stop");
    };
    let rejected = reviewed("[]", "[REVIEW-REJECTED]", stops);
    assert!(rejected.contains("fail of feature ("), "{rejected}");
    let harmless = |repo: &Repo| {
        repo.write("notes.md", "# Notes\n\nNothing else.\n");
        repo.commit("Note");
    };
    reviewed("[]", "[REVIEW-APPROVED]", harmless);
    let objection = r#"[{"file": "notes.md", "line_number": 1, "severity": "HIGH", "description": "d"}]"#;
    reviewed(objection, "[REVIEW-REJECTED]", harmless);
    reviewed("Looks good to me", "waiting 30 s: inconclusive of feature (", harmless);
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
    let review = countersign(repo.path(), &["task", "show", "test-review-task"]);
    assert!(review.words().contains("status completed verdict fail"), "{}", review.stdout);
    assert!(review.stdout.contains("Findings of the last review"), "{}", review.stdout);
    assert!(review.stdout.contains("1. [ ] **MAJOR** (correctness): a.py:2"), "{}", review.stdout);
}

#[test]
fn two_processes_share_a_queue_under_names_of_their_own() {
    let repo = clean_branch();
    let heartbeat = |name: &str| {
        let file = repo.path().join(".agent-communication/heartbeats").join(name);
        std::fs::read_to_string(file).unwrap_or_default()
    };
    let first = Running::start(&repo, &["qa"]);
    eventually("the first lives", || heartbeat("qa.json").contains(&first.0.id().to_string()));
    let second = Running::start(&repo, &["qa"]);
    eventually("the second lives", || heartbeat("qa-1.json").contains(&second.0.id().to_string()));
    drop(first);
    let third = Running::start(&repo, &["qa"]);
    eventually("the third takes the place of the first, which was killed", || {
        heartbeat("qa.json").contains(&third.0.id().to_string())
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
    assert!(status.words().contains("qa paused qa 0 0 0 0 Code Reviewer"), "{}", status.stdout);
    let agents = Running::start(&repo, &["qa"]);
    put(&repo, "docs");
    let state = || countersign(repo.path(), &["task", "list"]).stdout;
    eventually("the task is taken in", || state().starts_with("pending"));
    let status = || countersign(repo.path(), &["agent", "status"]).words();
    eventually("the replica shows as paused", || status().matches("qa paused").count() == 2);
    std::thread::sleep(Duration::from_millis(500));
    assert!(state().starts_with("pending"), "{}", state());
    assert_eq!(countersign(repo.path(), &["agent", "resume", "qa"]).code, Some(0));
    eventually("the task is completed", || state().starts_with("completed"));
    assert_eq!(agents.terminate(), Some(0));
}

#[test]
fn status_says_who_lives_what_they_hold_and_who_is_gone() {
    let repo = clean_branch();
    repo.write("countersign.yaml", "agents:\n  - id: engineer\n    command: [sleep, '300']\n");
    let add = ["task", "add", "--agent", "engineer", "--type", "fix", "--title", "T"];
    let id = countersign(repo.path(), &add).stdout.trim().to_owned();
    let agents = Running::start(&repo, &[]);
    let status = || {
        let outcome = countersign(repo.path(), &["agent", "status", "--format", "json"]);
        serde_json::from_str::<serde_json::Value>(&outcome.stdout).unwrap()["agents"][0].clone()
    };
    eventually("the task is held", || status()["replicas"][0]["holds"][0]["task"] == id.as_str());
    eventually("the replica beats", || status()["replicas"][0]["state"] == "alive");
    assert_eq!((&status()["state"], &status()["counts"]["in_progress"]), (&"running".into(), &1.into()));
    let shown = countersign(repo.path(), &["agent", "status"]).words();
    assert!(shown.contains("engineer alive") && shown.contains(&id), "{shown}");
    drop(agents);
    assert_eq!(status()["replicas"][0]["state"], "gone");
    assert_eq!(status()["state"], "not running");
}

#[test]
fn an_agent_that_stopped_says_so() {
    let repo = clean_branch();
    let agents = Running::start(&repo, &["qa"]);
    let status = || countersign(repo.path(), &["agent", "status"]);
    eventually("it lives", || status().words().contains("qa alive"));
    assert_eq!(agents.terminate(), Some(0));
    assert!(status().words().contains("qa stopped"), "{}", status().stdout);
    assert!(status().stderr.contains("No agent runs here"), "{}", status().stderr);
}

#[test]
fn pausing_an_unknown_name_is_refused() {
    let repo = clean_branch();
    let refused = countersign(repo.path(), &["agent", "pause", "enginer"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("did you mean engineer?"), "{}", refused.stderr);
    let paused = countersign(repo.path(), &["agent", "pause", "engineer", "--format", "json"]);
    assert_eq!(paused.stdout, "{\n  \"id\": \"engineer\",\n  \"paused\": true\n}\n");
}

#[test]
fn an_escalated_task_tells_its_story_and_takes_a_decision() {
    let repo = clean_branch();
    repo.write("countersign.yaml", "limits: { max_review_cycles: 1 }\n");
    repo.branch("feature");
    repo.write("a.py", "def f():\n    breakpoint()\n");
    repo.commit("Stop");
    let agents = Running::start(&repo, &["qa"]);
    put(&repo, "feature");
    let id = "test-review-task";
    let show = || countersign(repo.path(), &["task", "show", id]);
    eventually("the task is escalated", || show().words().contains("status escalated"));
    assert_eq!(agents.terminate(), Some(0));
    let shown = show();
    for expected in [
        "because Review failed after 1 review cycle",
        "Reviews attempt 1: fail, ",
        "Findings of the last review 1. [ ] **",
        "countersign task resolve test-review-task one-more have it tried once more",
    ] {
        assert!(shown.words().contains(expected), "{expected}: {}", shown.stdout);
    }
    let retry = countersign(repo.path(), &["task", "retry", id]);
    assert_eq!(retry.code, Some(2));
    assert!(retry.stderr.contains("resolve test-review-task accept|one-more|close`"), "{}", retry.stderr);

    let resolve = ["task", "resolve", id, "one-more", "--note", "Only the login", "--format", "json"];
    let resolved = countersign(repo.path(), &resolve);
    assert_eq!(resolved.code, Some(0), "{}", resolved.stderr);
    let resolved: serde_json::Value = serde_json::from_str(&resolved.stdout).unwrap();
    assert_eq!(resolved["task"]["status"], "completed");
    let fix = countersign(repo.path(), &["task", "show", resolved["follow_ups"][0].as_str().unwrap()]);
    assert!(fix.stdout.contains("1. [ ] **"), "{}", fix.stdout);
    assert!(fix.words().contains("Notes Guidance from somebody: Only the login"), "{}", fix.stdout);
}

#[test]
fn a_command_that_is_not_there_is_not_tried_again() {
    let repo = clean_branch();
    let policy = "agents:\n  - id: engineer\n    command: [sh, -c, no-such-program]\n";
    std::fs::write(repo.path().join("countersign.yaml"), policy).unwrap();
    let agents = Running::start(&repo, &["engineer"]);
    let add = ["task", "add", "--agent", "engineer", "--type", "fix", "--title", "T"];
    let id = countersign(repo.path(), &add).stdout.trim().to_owned();
    let show = || countersign(repo.path(), &["task", "show", &id]).words();
    eventually("it fails", || show().contains("status failed"));
    assert_eq!(agents.terminate(), Some(0));
    let shown = show();
    assert!(
        shown.contains("another try would end the same way") && shown.contains("exit code 127"),
        "{shown}"
    );
}

fn is_running(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.trim_start().starts_with('Z'))
}

#[test]
fn what_a_command_started_ends_with_its_task() {
    let repo = clean_branch();
    let policy =
        "agents:\n  - id: engineer\n    command: [sh, -c, 'sleep 1000 & echo $! > .git/pid; wait']\n";
    std::fs::write(repo.path().join("countersign.yaml"), policy).unwrap();
    let _agents = Running::start(&repo, &["engineer"]);
    let task = r#"{"id": "fix-1", "type": "fix", "title": "Wait", "assigned_to": "engineer"}"#;
    std::fs::write(repo.path().join(".git/task.json"), task).unwrap();
    assert_eq!(countersign(repo.path(), &["task", "add", "--from", ".git/task.json"]).code, Some(0));
    let pid = || std::fs::read_to_string(repo.path().join(".git/pid")).unwrap_or_default();
    eventually("the command runs", || pid().ends_with('\n'));
    assert!(is_running(&pid()));
    assert_eq!(countersign(repo.path(), &["task", "cancel", "fix-1"]).code, Some(0));
    eventually("its child is gone", || !is_running(&pid()));
}

#[test]
fn a_command_may_talk_before_it_listens_and_sees_only_what_it_was_given() {
    let repo = clean_branch();
    let script = "head -c 300000 /dev/zero | tr '\\0' x; cat > .git/seen; env > .git/env";
    let policy =
        format!("agents:\n  - id: engineer\n    prompt: Be kind\n    command: [sh, -c, \"{script}\"]\n");
    std::fs::write(repo.path().join("countersign.yaml"), policy.replace("\\0", "\\\\0")).unwrap();
    let mut command = command(repo.path());
    command.env("MY_SECRET", "hunter2").args(["agent", "start", "engineer"]);
    let _agents = Running(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    let long = "d".repeat(250_000);
    let file = repo.path().join(".git/task.json");
    let task = format!(
        r#"{{"id": "fix-1", "type": "fix", "title": "T", "assigned_to": "engineer", "description": "{long}"}}"#
    );
    std::fs::write(&file, task).unwrap();
    let queue = repo.path().join(".agent-communication/queues/engineer");
    eventually("the queue is there", || queue.exists());
    std::fs::rename(&file, queue.join("task.json")).unwrap();
    let done = repo.path().join(".agent-communication/completed/engineer/fix-1.json");
    eventually("the task is done", || done.exists());
    assert!(std::fs::read_to_string(repo.path().join(".git/seen")).unwrap().contains(&long));
    let seen = std::fs::read_to_string(repo.path().join(".git/env")).unwrap();
    assert!(
        seen.contains("COUNTERSIGN_TASK_ID=fix-1") && seen.contains("COUNTERSIGN_PROMPT=Be kind"),
        "{seen}"
    );
    assert!(!seen.contains("hunter2"), "{seen}");
}
