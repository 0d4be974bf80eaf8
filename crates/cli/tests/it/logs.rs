//! What agents did, as `agent logs` tells it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};

use testkit::Repo;

use crate::agents::eventually;
use crate::program::{clean_branch, command, countersign};

fn with_logs() -> Repo {
    let repo = clean_branch();
    std::fs::create_dir(repo.path().join("logs")).unwrap();
    log(
        &repo,
        "qa",
        "00:00:01 INFO [qa] Polling queue: qa\n00:00:03 INFO [qa] [P-1] Starting review of PR #4\n",
    );
    log(&repo, "engineer", "00:00:02 WARNING [engineer] a\u{1b}[2Jb\n00:00:04 ERROR [engineer] it broke\n");
    repo
}

fn log(repo: &Repo, agent: &str, text: &str) {
    let path = repo.path().join(format!("logs/{agent}.log"));
    let mut file = std::fs::File::options().create(true).append(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

fn follow(repo: &Repo) -> Child {
    let mut command = command(repo.path());
    command.args(["agent", "logs", "qa", "--follow", "-n", "1"]).stdout(Stdio::piped()).stderr(Stdio::null());
    command.spawn().unwrap()
}

#[test]
fn the_newest_lines_of_all_agents_are_merged_by_time() {
    let repo = with_logs();
    let shown = countersign(repo.path(), &["agent", "logs", "-n", "3"]);
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    assert_eq!(
        shown.stdout,
        "00:00:02 WARNING [engineer] a<U+001B>[2Jb\n00:00:03 INFO [qa] [P-1] Starting review of PR #4\n\
         00:00:04 ERROR [engineer] it broke\n"
    );
    assert_eq!(countersign(repo.path(), &["agent", "logs", "qa"]).stdout.lines().count(), 2);
}

#[test]
fn as_json_each_line_is_an_object() {
    let repo = with_logs();
    let shown = countersign(repo.path(), &["agent", "logs", "qa", "-n", "1", "--format", "json"]);
    assert_eq!(
        shown.stdout,
        "{\"time\":\"00:00:03\",\"level\":\"INFO\",\"agent\":\"qa\",\"key\":\"P-1\",\
         \"text\":\"Starting review of PR #4\"}\n"
    );
}

#[test]
fn the_lines_of_one_task_are_found_by_its_id_and_its_key() {
    let repo = with_logs();
    let add = ["task", "add", "--agent", "qa", "--title", "T", "--context", "jira_key=P-1"];
    let id = countersign(repo.path(), &add).stdout.trim().to_owned();
    log(&repo, "qa", &format!("00:00:05 INFO [qa] Found task: {id}\n00:00:06 INFO [qa] Found task: {id}0\n"));
    let shown = countersign(repo.path(), &["agent", "logs", "--task", &id]);
    assert_eq!(shown.stdout.lines().count(), 2, "{}{}", shown.stdout, shown.stderr);
    log(&repo, "qa", "00:00:07Z INFO [qa] [P-1] Starting fix [fix-1]\n");
    let many: String = (0..60).map(|_| format!("00:00:08Z INFO [qa] Reading [{id}]\n")).collect();
    log(&repo, "engineer", &many);
    let shown = countersign(repo.path(), &["agent", "logs", "--task", &id]);
    assert_eq!(shown.stdout.lines().count(), 62, "{}", shown.stdout);
    assert!(!shown.stdout.contains("fix-1"), "{}", shown.stdout);
    assert_eq!(countersign(repo.path(), &["agent", "logs", "--task", "nobody"]).code, Some(2));
}

#[test]
fn a_log_that_is_not_there_yet_is_no_error_and_an_unknown_agent_is() {
    let repo = clean_branch();
    let none = countersign(repo.path(), &["agent", "logs", "qa"]);
    assert_eq!((none.code, none.stdout.as_str()), (Some(0), ""));
    assert_eq!(none.stderr, "qa has no log yet; `countersign agent start qa` begins one.\n");
    let unknown = countersign(repo.path(), &["agent", "logs", "enginer"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("did you mean `engineer`?"), "{}", unknown.stderr);
}

#[test]
fn following_goes_on_through_rotation_until_it_is_interrupted() {
    let repo = with_logs();
    let mut following = follow(&repo);
    let mut lines = BufReader::new(following.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().ends_with("PR #4"));
    log(&repo, "qa", "00:00:05 INFO [qa] one\n");
    assert!(lines.next().unwrap().unwrap().ends_with("one"));
    std::fs::rename(repo.path().join("logs/qa.log"), repo.path().join("logs/qa.log.1")).unwrap();
    log(&repo, "qa", "00:00:06 INFO [qa] two\n");
    assert!(lines.next().unwrap().unwrap().ends_with("two"));
    let interrupt = ["-INT", &following.id().to_string()];
    assert!(std::process::Command::new("kill").args(interrupt).status().unwrap().success());
    assert_eq!(following.wait().unwrap().code(), Some(0));
}

#[test]
fn following_ends_when_nobody_reads_any_more() {
    let repo = with_logs();
    let mut following = follow(&repo);
    drop(following.stdout.take());
    let ended = std::cell::RefCell::new(following);
    eventually("it ends", || ended.borrow_mut().try_wait().unwrap().is_some());
    assert_eq!(ended.borrow_mut().wait().unwrap().code(), Some(0));
}

#[test]
fn a_jira_key_stands_for_what_is_said_under_it() {
    let repo = with_logs();
    let shown = countersign(repo.path(), &["agent", "logs", "--task", "P-1"]);
    assert_eq!(shown.stdout, "00:00:03 INFO [qa] [P-1] Starting review of PR #4\n", "{}", shown.stderr);
    let typo = countersign(repo.path(), &["agent", "logs", "--task", "review-qa-1"]);
    assert_eq!(typo.code, Some(2), "{}", typo.stdout);
}
