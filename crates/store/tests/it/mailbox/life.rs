use std::fs;
use std::time::{Duration, Instant};

use domain::ports::TaskStore;
use domain::tasks::{Finish, Outcome};
use serde_json::json;
use store::mailbox::{FullQueue, Mailbox};

use super::support::{HANGS, LEASE, LIMIT, Post, new, task, text};

const BY_HAND: &str = r#"{
  "id": "test-review-task",
  "type": "review",
  "status": "pending",
  "priority": 50,
  "created_by": "manual-test",
  "assigned_to": "qa",
  "created_at": "2026-02-03T10:00:00.000Z",
  "title": "Test Review",
  "description": "Test task for verification",
  "depends_on": [],
  "blocks": [],
  "context": {
    "jira_key": "TEST-123",
    "github_repo": "owner/repo",
    "pr_number": 999
  },
  "retry_count": 0
}
"#;

#[tokio::test]
async fn a_task_written_by_hand_is_taken_in_and_shows_its_whole_life() {
    let post = Post::open().await;
    fs::create_dir_all(post.path("queues/qa")).unwrap();
    post.tend().await;
    let mut changes = post.mailbox.watch();
    post.put("queues/qa/test-task.json", BY_HAND);
    post.tend_until_known(&mut changes, "test-review-task").await;
    assert!(!post.has("queues/qa/test-task.json"));
    assert_eq!(post.status("queues/qa/test-review-task.json"), "pending");
    assert_eq!(post.json("queues/qa/test-review-task.json")["context"]["pr_number"], 999);

    let (_, lease) = post.store.claim(&["qa"], "qa-1", LEASE).await.unwrap().unwrap();
    post.tend().await;
    assert_eq!(post.status("queues/qa/test-review-task.json"), "in_progress");
    let lock = post.json("locks/test-review-task.lock");
    assert_eq!((&lock["holder"], &lock["token"]), (&json!("qa-1"), &json!(lease.token())));

    post.store.finish(&lease, &approved()).await.unwrap();
    post.tend().await;
    assert_eq!(post.status("completed/qa/test-review-task.json"), "completed");
    assert!(!post.has("queues/qa/test-review-task.json"));
    assert!(!post.has("locks/test-review-task.lock"));
    assert!(post.malformed().is_empty());
}

fn approved() -> Finish {
    Finish::from(Outcome::Reviewed(domain::cycle::Outcome::Passed))
}

#[tokio::test]
async fn a_file_in_a_folder_that_is_new_is_noticed() {
    let post = Post::open().await;
    post.tend().await;
    let mut changes = post.mailbox.watch();
    post.put("queues/architect/a.json", text("a"));
    post.tend_until_known(&mut changes, "a").await;
}

#[tokio::test]
async fn a_quiet_mailbox_causes_no_changes_of_its_own() {
    let post = Post::open().await;
    post.put("queues/qa/a.json", text("a"));
    let mut changes = post.mailbox.watch();
    post.settle().await;
    let comes_to_rest = async {
        loop {
            post.tend().await;
            let begun = Instant::now();
            changes.next().await;
            if begun.elapsed() > Duration::from_millis(400) {
                return;
            }
        }
    };
    tokio::time::timeout(HANGS, comes_to_rest).await.unwrap();
}

#[tokio::test]
async fn failed_tasks_stay_in_their_queue_and_cancelled_ones_are_archived() {
    let post = Post::open().await;
    post.store.add(&[new("fails"), new("ends")], LIMIT).await.unwrap();
    post.store.cancel(&new("ends").task().id, "tester").await.unwrap();
    let failed = Outcome::Failed { reason: "broken".to_owned(), retry_after: Some(Duration::ZERO) };
    while let Some((_, lease)) = post.store.claim(&["qa"], "qa-1", LEASE).await.unwrap() {
        post.store.finish(&lease, &failed.clone().into()).await.unwrap();
    }
    post.tend().await;
    assert_eq!(post.status("queues/qa/fails.json"), "failed");
    assert_eq!(post.status("completed/qa/ends.json"), "cancelled");
    assert!(!post.has("queues/qa/ends.json"));
}

#[tokio::test]
async fn a_file_that_is_half_written_is_taken_in_when_it_is_whole() {
    let post = Post::open().await;
    let whole = text("slow");
    let (first, rest) = whole.split_at(20);
    post.put("queues/qa/slow.json", first);
    assert_eq!(post.tend().await.waiting, 1);
    post.put("queues/qa/slow.json", format!("{first}{}", &rest[..10]));
    assert_eq!(post.tend().await.waiting, 1);
    // Longer than other files have to settle, and far from the ten seconds that this one has.
    tokio::time::sleep(Duration::from_millis(700)).await;
    assert_eq!(post.tend().await.waiting, 1);
    post.put("queues/qa/slow.json", &whole);
    assert_eq!(post.tend().await.added.len(), 1);
    assert!(post.malformed().is_empty());
}

#[tokio::test]
async fn a_file_that_never_becomes_whole_is_set_aside_in_the_end() {
    let post = Post::open().await;
    post.put("queues/qa/torn.json", &text("torn")[..20]);
    assert_eq!(post.settle().await.set_aside.len(), 1);
    assert!(post.only_malformed().1.contains("EOF while parsing"));
}

#[tokio::test]
async fn files_for_a_full_queue_wait_and_are_told_of() {
    let post = Post::open().await;
    post.store.add(&[new("first")], LIMIT).await.unwrap();
    post.put("queues/qa/b.json", text("b"));
    let one = domain::tasks::QueueLimit::AtMost(1);
    let taken = post.mailbox.tend(&post.store, one).await.unwrap();
    let full = FullQueue { queue: "qa".to_owned(), file: "b.json".to_owned() };
    assert_eq!((taken.full, taken.waiting), (vec![full], 1));
    let names = store::mailbox::queued_files(post.mailbox.root(), "qa");
    assert_eq!(names.iter().filter(|id| id.as_str() == "b").count(), 1);
    post.store.cancel(&new("first").task().id, "tester").await.unwrap();
    let taken = post.mailbox.tend(&post.store, one).await.unwrap();
    assert_eq!((taken.full, taken.added.len()), (vec![], 1));
}

#[tokio::test]
async fn a_directory_that_was_deleted_is_written_again() {
    let post = Post::open().await;
    post.store.add(&[new("held"), new("waits"), new("ends")], LIMIT).await.unwrap();
    post.store.cancel(&new("ends").task().id, "tester").await.unwrap();
    post.store.claim(&["qa"], "qa-1", LEASE).await.unwrap().unwrap();
    post.store.pause("engineer", "tester").await.unwrap();
    post.tend().await;
    fs::remove_dir_all(post.path("")).unwrap();
    post.tend().await;
    assert_eq!(post.status("queues/qa/held.json"), "in_progress");
    assert_eq!(post.status("queues/qa/waits.json"), "pending");
    assert_eq!(post.status("completed/qa/ends.json"), "cancelled");
    assert!(post.has("locks/held.lock") && post.has("pause/engineer"));
    assert_eq!(fs::read_to_string(post.path(".gitignore")).unwrap(), "*\n");
}

#[tokio::test]
async fn a_crash_before_the_file_was_removed_adds_nothing_twice() {
    let post = Post::open().await;
    post.put("queues/qa/mine.json", text("a"));
    post.mailbox.take_in(&post.store, LIMIT).await.unwrap();
    post.put("queues/qa/mine.json", text("a"));
    let taken = post.mailbox.take_in(&post.store, LIMIT).await.unwrap();
    assert!(taken.added.is_empty());
    assert_eq!(post.tasks().await, 1);
    assert!(!post.has("queues/qa/mine.json") && post.has("queues/qa/a.json"));
    assert!(post.malformed().is_empty());
}

#[tokio::test]
async fn a_crash_while_a_file_is_removed_does_not_lose_what_came_instead() {
    let post = Post::open().await;
    post.put("queues/qa/.countersign-old-1-2-3", text("newer"));
    assert_eq!(post.settle().await.added.len(), 1);
    assert!(post.has("queues/qa/newer.json") && !post.has("queues/qa/.countersign-old-1-2-3"));
}

#[tokio::test]
async fn the_folder_decides_whose_task_it_is_and_the_task_says_so() {
    let post = Post::open().await;
    post.put("queues/engineer/a.json", text("a"));
    post.tend().await;
    let stored = post.get("a").await.unwrap();
    assert_eq!(stored.task.assigned_to, "engineer");
    assert_eq!(stored.task.notes, ["assigned_to said qa; it was put into the queue of engineer"]);
    assert_eq!(post.tend().await.set_aside, []);
}

#[tokio::test]
async fn a_file_changed_by_hand_is_set_aside_and_the_store_wins() {
    let post = Post::open().await;
    post.put("queues/qa/a.json", text("a"));
    post.tend().await;
    let mut edited = post.json("queues/qa/a.json");
    edited["title"] = json!("Something else");
    post.put("queues/qa/a.json", edited.to_string());
    assert_eq!(post.tend().await.set_aside.len(), 1);
    assert!(post.only_malformed().1.contains("changed by hand"));
    assert_eq!(post.json("queues/qa/a.json")["title"], "Review a");
}

#[tokio::test]
async fn a_file_that_was_only_formatted_is_no_edit() {
    let post = Post::open().await;
    post.put("queues/qa/a.json", text("a"));
    post.tend().await;
    post.put("queues/qa/a.json", post.json("queues/qa/a.json").to_string());
    post.tend().await;
    assert!(post.malformed().is_empty());
    assert!(fs::read_to_string(post.path("queues/qa/a.json")).unwrap().contains("\n  \"title\""));
}

#[tokio::test]
async fn a_file_in_the_place_of_another_task_is_taken_in_all_the_same() {
    let post = Post::open().await;
    post.put("queues/qa/shown.json", text("hidden"));
    post.store.add(&[new("shown")], LIMIT).await.unwrap();
    post.settle().await;
    assert_eq!(post.json("queues/qa/shown.json")["id"], "shown");
    assert_eq!(post.json("queues/qa/hidden.json")["id"], "hidden");
    assert_eq!(post.tasks().await, 2);
}

#[tokio::test]
async fn files_that_depend_on_each_other_come_in_in_any_order() {
    let post = Post::open().await;
    for (id, on) in [("a", "b"), ("b", "c"), ("c", "d")] {
        let mut task = task(id);
        task["depends_on"] = json!([on]);
        post.put(&format!("queues/qa/{id}.json"), task.to_string());
    }
    assert_eq!(post.tend().await.added.len(), 3);
    post.put("queues/engineer/d.json", text("d"));
    assert_eq!(post.settle().await.added.len(), 1);
    for id in ["d", "c", "b", "a"] {
        let (stored, lease) =
            post.store.claim(&["qa", "engineer"], "qa-1", LEASE).await.unwrap().expect("one is free");
        assert_eq!(stored.task.id.as_str(), id);
        post.store.finish(&lease, &approved()).await.unwrap();
    }
}

#[tokio::test]
async fn a_file_with_an_unknown_dependency_is_listed_as_waiting_for_it() {
    let post = Post::open().await;
    let mut task = task("a");
    task["depends_on"] = json!(["ghost"]);
    post.put("queues/qa/a.json", task.to_string());
    post.settle().await;
    assert!(post.store.claim(&["qa"], "qa-1", LEASE).await.unwrap().is_none());
    let waits_for = post.get("a").await.unwrap().waits_for;
    assert_eq!(
        waits_for.iter().map(|one| (one.id.as_str(), one.status)).collect::<Vec<_>>(),
        [("ghost", None)]
    );
    assert_eq!(post.status("queues/qa/a.json"), "pending");
    assert_eq!(post.malformed(), Vec::<String>::new());
}

#[tokio::test]
async fn an_agent_shows_that_it_lives_and_that_it_stopped() {
    let post = Post::open().await;
    let root = post.mailbox.root().to_owned();
    let now = post.store.now().await.unwrap();
    post.mailbox.heartbeat("qa-1", now, "waiting").unwrap();
    assert_eq!(post.json("heartbeats/qa-1.json")["doing"], "waiting");
    assert!(post.mailbox.heartbeat("../qa", now, "waiting").is_err());
    let beats = store::mailbox::heartbeats(&root).unwrap();
    let pid = Some(std::process::id());
    let host = Some(store::mailbox::host_name());
    assert_eq!((beats.len(), beats[0].at, beats[0].pid, &beats[0].host), (1, now, pid, &host));
    post.mailbox.last_heartbeat("qa-1", now).unwrap();
    assert!(store::mailbox::heartbeats(&root).unwrap()[0].has_stopped());
}

#[tokio::test]
async fn stopping_says_nothing_for_another_process_of_that_name() {
    let post = Post::open().await;
    let now = post.store.now().await.unwrap();
    let other = json!({"agent": "qa-1", "at": now, "doing": "waiting", "pid": 1, "host": "elsewhere"});
    post.put("heartbeats/qa-1.json", other.to_string());
    post.mailbox.last_heartbeat("qa-1", now).unwrap();
    assert_eq!(post.json("heartbeats/qa-1.json")["doing"], "waiting");
}

#[tokio::test]
async fn heartbeats_of_others_are_read_as_far_as_they_go() {
    let post = Post::open().await;
    post.put("heartbeats/qa-1.json", "not JSON");
    post.put("heartbeats/qa-2.json", " ".repeat(100_000));
    post.put("heartbeats/..json", "{}");
    let beats = store::mailbox::heartbeats(post.mailbox.root()).unwrap();
    assert_eq!(beats.iter().map(|beat| beat.agent.as_str()).collect::<Vec<_>>(), ["qa-1"]);
    assert!(beats[0].pid.is_none() && beats[0].at.as_second() > 1_700_000_000, "{beats:?}");
    let nowhere = store::mailbox::heartbeats(&post.mailbox.root().join("nowhere")).unwrap();
    assert!(nowhere.is_empty());
}

#[tokio::test]
async fn a_note_that_came_while_nobody_looked_is_no_edit_of_the_file() {
    let post = Post::open().await;
    post.put("queues/qa/a.json", text("a"));
    post.settle().await;
    let note = domain::tasks::Note::guidance("mia", "use the index").unwrap();
    post.store.add_note(&domain::tasks::TaskId::parse("a").unwrap(), &note, "mia").await.unwrap();
    let later = store::mailbox::Mailbox::open(post.mailbox.root().to_owned()).unwrap();
    let taken = later.tend(&post.store, domain::tasks::QueueLimit::Unlimited).await.unwrap();
    assert!(taken.set_aside.is_empty(), "{taken:?}");
    assert_eq!(post.json("queues/qa/a.json")["notes"], json!(["Guidance from mia: use the index"]));
}

#[tokio::test]
async fn the_queues_of_configured_agents_are_there_before_anything_is_in_them() {
    let post = Post::open().await;
    let mailbox = Mailbox::open(post.path("")).unwrap().with_queues(["qa".to_owned()]);
    mailbox.tend(&post.store, LIMIT).await.unwrap();
    assert!(post.path("queues/qa").is_dir() && post.path("completed/qa").is_dir());
    fs::remove_dir_all(post.path("")).unwrap();
    mailbox.tend(&post.store, LIMIT).await.unwrap();
    post.put("queues/qa/a.json", text("a"));
    assert_eq!(mailbox.tend(&post.store, LIMIT).await.unwrap().added.len(), 1);
}
