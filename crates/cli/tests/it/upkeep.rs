//! Agents whose directory others tamper with, and what they say of it.

use std::os::unix::fs::symlink;

use testkit::Repo;

use crate::agents::{Running, eventually, put};
use crate::program::{clean_branch, command, countersign, run};

fn log(repo: &Repo, name: &str) -> String {
    std::fs::read_to_string(repo.path().join("logs").join(name)).unwrap_or_default()
}

fn add(repo: &Repo, title: &str) -> String {
    let add = ["task", "add", "--agent", "engineer", "--type", "fix", "--title", title];
    countersign(repo.path(), &add).stdout.trim().to_owned()
}

/// Agents may be writing to it at that very moment.
fn delete(repo: &Repo, folder: &str) {
    let folder = repo.path().join(folder);
    eventually("it can be deleted", || std::fs::remove_dir_all(&folder).is_ok());
}

fn beats(repo: &Repo) -> Vec<serde_json::Value> {
    let folder = std::fs::read_dir(repo.path().join(".agent-communication/heartbeats"));
    let files = folder.into_iter().flatten().flatten().map(|entry| entry.path());
    let files = files.filter(|path| path.extension().is_some_and(|end| end == "json"));
    files.filter_map(|path| serde_json::from_slice(&std::fs::read(path).ok()?).ok()).collect()
}

#[test]
fn a_directory_deleted_under_running_agents_comes_back_with_all_tasks() {
    let repo = clean_branch();
    let id = add(&repo, "Kept");
    let agents = Running::start(&repo, &["qa"]);
    eventually("it lives", || !beats(&repo).is_empty());
    delete(&repo, ".agent-communication");
    eventually("it is said", || log(&repo, "watchdog.log").contains("It is back with everything"));
    let list = || countersign(repo.path(), &["task", "list"]).stdout;
    assert!(list().contains(&id), "{}", list());
    put(&repo, "docs");
    eventually("the agents work on", || list().contains("completed"));
    assert_eq!(agents.terminate(), Some(0));
}

#[test]
fn a_database_that_was_made_meanwhile_is_used_and_the_old_one_kept() {
    let repo = clean_branch();
    add(&repo, "Old");
    let agents = Running::start(&repo, &["qa"]);
    eventually("it lives", || !beats(&repo).is_empty());
    // Prepared elsewhere: the agents are quick to restore their own.
    let other = clean_branch();
    let id = add(&other, "New");
    let (ours, theirs) =
        (repo.path().join(".agent-communication"), other.path().join(".agent-communication"));
    eventually("it is exchanged", || {
        let _ = std::fs::remove_dir_all(&ours);
        std::fs::rename(&theirs, &ours).is_ok()
    });
    eventually("it is said", || log(&repo, "watchdog.log").contains("another was made in its place"));
    put(&repo, "docs");
    let list = || countersign(repo.path(), &["task", "list"]).stdout;
    eventually("the agents work with the new one", || list().contains("completed") && list().contains(&id));
    let saved = std::fs::read_dir(repo.path().join(".agent-communication")).unwrap();
    let names: Vec<_> = saved.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(names.iter().any(|name| name.starts_with("countersign.db.recovered-")), "{names:?}");
    assert_eq!(agents.terminate(), Some(0));
}

#[test]
fn trouble_with_the_mailbox_is_told_once_and_again_when_it_is_over() {
    let repo = clean_branch();
    let _agents = Running::start(&repo, &["qa"]);
    eventually("it lives", || !beats(&repo).is_empty());
    let malformed = repo.path().join(".agent-communication/malformed");
    eventually("a link stands in the way", || {
        let _ = std::fs::remove_dir_all(&malformed);
        symlink(repo.path(), &malformed).is_ok()
    });
    let told = || log(&repo, "mailbox.log").matches("could not be tended").count();
    eventually("it is told", || told() > 0);
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert_eq!(told(), 1, "{}", log(&repo, "mailbox.log"));
    std::fs::remove_file(&malformed).unwrap();
    eventually("it is over", || log(&repo, "mailbox.log").contains("INFO [mailbox] It is over"));
}

#[test]
fn what_is_set_aside_and_what_waits_for_room_is_in_the_log_of_the_mailbox() {
    let repo = clean_branch();
    repo.write("countersign.yaml", "safeguards: { max_queue_size: 1 }\n");
    assert_eq!(countersign(repo.path(), &["agent", "pause", "qa"]).code, Some(0));
    let _agents = Running::start(&repo, &["qa"]);
    put(&repo, "docs");
    let list = || countersign(repo.path(), &["task", "list"]).stdout;
    eventually("it is taken in", || list().starts_with("pending"));
    let queue = repo.path().join(".agent-communication/queues/qa");
    std::fs::write(queue.join("bad.json"), "[]").unwrap();
    let second = r#"{"id": "second", "type": "review", "title": "T"}"#;
    std::fs::write(queue.join("late.json"), second).unwrap();
    let log = || log(&repo, "mailbox.log");
    eventually("the bad one is explained", || log().contains("is not a JSON object"));
    assert!(log().contains(" WARNING [mailbox] ") && log().contains("bad.json was moved to malformed/"));
    eventually("the full queue is told of", || {
        log().contains("Queue qa is full (1 unfinished tasks): late.json")
    });
    let status = || countersign(repo.path(), &["agent", "status"]);
    assert!(status().stderr.contains("1 file waits in queues/qa"), "{}", status().stderr);
    let logs = countersign(repo.path(), &["agent", "logs", "mailbox", "--format", "json"]).stdout;
    assert!(logs.contains(r#""agent":"mailbox""#), "{logs}");
}

#[test]
fn a_heartbeat_names_the_task_that_is_worked_on() {
    let repo = clean_branch();
    repo.write("countersign.yaml", "agents:\n  - id: engineer\n    command: [sleep, '300']\n");
    let id = add(&repo, "Long");
    let _agents = Running::start(&repo, &[]);
    let doing = format!("working on {id}");
    eventually("it is named", || beats(&repo).iter().any(|beat| beat["doing"] == doing.as_str()));
}

#[test]
fn on_a_store_that_others_may_share_replicas_carry_the_name_of_their_mailbox() {
    let repo = clean_branch();
    let database = repo.outside("shared.db");
    let agents = Running::start(&repo, &["qa", "--store", database.to_str().unwrap()]);
    eventually("it lives", || !beats(&repo).is_empty());
    let name = beats(&repo)[0]["agent"].as_str().unwrap().to_owned();
    assert!(name.starts_with("qa-1-") && name.len() == "qa-1-3f2a".len(), "{name}");
    let on_it = |arguments: &[&str]| {
        let store = ["--store", database.to_str().unwrap()];
        countersign(repo.path(), &[arguments, &store[..]].concat())
    };
    // The name without the mailbox is enough.
    assert_eq!(on_it(&["agent", "pause", "qa-1"]).stderr, format!("{name} is paused.\n"));
    let status = || on_it(&["agent", "status"]).words();
    eventually("it shows as paused", || status().contains(&format!("{name} paused")));
    assert_eq!(agents.terminate(), Some(0));
}

#[test]
fn an_agent_that_could_only_fail_is_not_started_and_its_tasks_wait() {
    let repo = clean_branch();
    let id = add(&repo, "For later");
    let alone = countersign(repo.path(), &["agent", "start", "engineer"]);
    assert_eq!(alone.code, Some(2));
    assert!(alone.stderr.contains("give it a `command` or a `brain`"), "{}", alone.stderr);
    let agents = Running::start(&repo, &[]);
    put(&repo, "docs");
    let list = || countersign(repo.path(), &["task", "list"]).stdout;
    eventually("the reviewer works", || list().contains("completed"));
    assert!(log(&repo, "engineer.log").contains("WARNING [engineer] Agent engineer has nothing to do"));
    assert!(list().lines().any(|line| line.starts_with("pending") && line.contains(&id)), "{}", list());
    let status = countersign(repo.path(), &["agent", "status"]);
    assert!(status.stderr.contains("Agent engineer has nothing to do"), "{}", status.stderr);
    assert_eq!(agents.terminate(), Some(0));
}

#[test]
fn agents_that_are_all_disabled_are_not_started() {
    let repo = clean_branch();
    repo.write("countersign.yaml", "agents:\n  - { id: qa, enabled: false }\n");
    let outcome = countersign(repo.path(), &["agent", "start"]);
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr.contains("all agents are disabled"), "{}", outcome.stderr);
}

#[test]
fn looking_makes_no_store_and_a_folder_that_is_not_there_is_an_error() {
    let repo = clean_branch();
    let status = countersign(repo.path(), &["agent", "status"]);
    assert_eq!(status.code, Some(0), "{}", status.stderr);
    assert!(!repo.path().join(".agent-communication").exists());
    let nowhere = repo.path().join("nowhere");
    for arguments in [["task", "list"], ["agent", "status"], ["agent", "start"]] {
        let outcome = countersign(repo.path(), &[&arguments[..], &["--repo", "nowhere"]].concat());
        assert_eq!(outcome.code, Some(2));
        assert!(outcome.stderr.contains("nowhere does not exist"), "{}", outcome.stderr);
        assert!(!nowhere.exists());
    }
}

#[test]
fn an_empty_address_is_none_and_an_unknown_kind_of_store_is_refused() {
    let repo = clean_branch();
    let list = |address: &str| {
        let mut command = command(repo.path());
        command.args(["task", "list"]).env("COUNTERSIGN_STORE", address);
        run(command)
    };
    assert_eq!(list("").code, Some(0));
    let refused = list("mysql://user@host/tasks");
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("no store of the kind mysql://"), "{}", refused.stderr);
    assert!(!repo.path().join("mysql:").exists());
}
