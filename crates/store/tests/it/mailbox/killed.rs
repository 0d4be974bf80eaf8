//! What processes leave behind that were killed, and what others make of it.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use domain::cycle::Limits;
use store::mailbox::{Kept, Mailbox, Name, Sharing};

use super::support::{LIMIT, Post, text};

fn names(names: &[Name]) -> Vec<&str> {
    names.iter().map(Name::as_str).collect()
}

#[tokio::test]
async fn no_two_processes_go_by_one_name() {
    let post = Post::open().await;
    let (_, other) = post.again().await;
    let first = post.mailbox.take_names("qa", 2, Sharing::Alone).unwrap();
    let second = other.take_names("qa", 2, Sharing::Alone).unwrap();
    assert_eq!((names(&first), names(&second)), (vec!["qa-1", "qa-2"], vec!["qa-3", "qa-4"]));
    drop(first);
    assert_eq!(names(&other.take_names("qa", 2, Sharing::Alone).unwrap()), ["qa-1", "qa-2"]);
}

#[tokio::test]
async fn an_agent_without_replicas_goes_by_its_own_name() {
    let post = Post::open().await;
    let (_, other) = post.again().await;
    let first = post.mailbox.take_names("qa", 1, Sharing::Alone).unwrap();
    let second = other.take_names("qa", 1, Sharing::Alone).unwrap();
    assert_eq!((names(&first), names(&second)), (vec!["qa"], vec!["qa-1"]));
}

#[tokio::test]
async fn a_name_whose_lock_was_deleted_is_guarded_again() {
    let post = Post::open().await;
    let (_, other) = post.again().await;
    let first = post.mailbox.take_names("qa", 1, Sharing::Alone).unwrap();
    fs::remove_dir_all(post.path("heartbeats")).unwrap();
    assert_eq!(post.mailbox.keep_name(&first[0]).unwrap(), Kept::Ours);
    let second = other.take_names("qa", 1, Sharing::Alone).unwrap();
    assert_eq!(names(&second), ["qa-1"]);
    fs::remove_dir_all(post.path("heartbeats")).unwrap();
    let third = other.take_names("qa", 1, Sharing::Alone).unwrap();
    assert_eq!(names(&third), ["qa"]);
    assert_eq!(post.mailbox.keep_name(&first[0]).unwrap(), Kept::Shared);
    drop(third);
    assert_eq!(post.mailbox.keep_name(&first[0]).unwrap(), Kept::Ours);
}

#[tokio::test]
async fn mailboxes_that_share_a_store_have_names_of_their_own() {
    let (post, other) = (Post::open().await, Post::open().await);
    let name =
        |post: &Post| post.mailbox.take_names("qa", 1, Sharing::WithOthers).unwrap()[0].as_str().to_owned();
    let (first, second) = (name(&post), name(&other));
    assert_eq!(first, name(&post), "it stays the same");
    assert!(domain::config::is_replica_of("qa", &first) && first.len() == "qa-1-3f2a".len(), "{first}");
    // One in 65,536 runs has the same name twice; the store has no trouble with it.
    assert!(domain::config::is_replica_of("qa", &second), "{second}");
}

#[tokio::test]
async fn half_written_files_of_the_dead_are_cleared_away() {
    let post = Post::open().await;
    let folders = ["queues/qa", "completed/qa", "locks", "heartbeats"];
    for folder in folders {
        let old = post.put(&format!("{folder}/.countersign-new-1-1-1"), "{");
        let hour_ago = SystemTime::now() - Duration::from_secs(3600);
        File::options().write(true).open(old).unwrap().set_modified(hour_ago).unwrap();
        post.put(&format!("{folder}/.countersign-new-1-1-2"), "{");
    }
    post.tend().await;
    for folder in folders {
        assert!(!post.has(&format!("{folder}/.countersign-new-1-1-1")), "{folder}");
        assert!(post.has(&format!("{folder}/.countersign-new-1-1-2")), "somebody writes in {folder}");
    }
}

#[tokio::test]
async fn a_lock_that_nobody_holds_is_removed() {
    let post = Post::open().await;
    post.put("queues/qa/t-1.json", text("t-1"));
    post.tend().await;
    let lock = r#"{"holder":"qa-1","token":1,"since":"2026-02-03T10:00:00Z","written_by":"countersign"}"#;
    post.put("locks/t-1.lock", lock);
    let (store, other) = post.again().await;
    other.tend(&store, LIMIT).await.unwrap();
    assert!(!post.has("locks/t-1.lock"));
}

#[tokio::test]
async fn a_file_is_held_to_the_limits_of_its_queue() {
    let post = Post::open().await;
    let limits = |max_retries| Limits { max_retries, ..Limits::default() };
    let mailbox =
        Mailbox::open(post.path("")).unwrap().with_limits([("qa".to_owned(), limits(9))], limits(7));
    for (queue, name, expected) in [("qa", "t-1", 9), ("engineer", "t-2", 7)] {
        post.put(&format!("queues/{queue}/{name}.json"), text(name));
        mailbox.tend(&post.store, LIMIT).await.unwrap();
        let stored = post.get(name).await.unwrap();
        assert_eq!(stored.cycle.limits().max_retries, expected, "{queue}");
    }
}
