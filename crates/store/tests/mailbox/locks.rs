use std::fs;
use std::time::Duration;

use domain::ports::TaskStore;
use store::mailbox::Mailbox;

use crate::support::{LEASE, LIMIT, Post, new, text};

#[tokio::test]
async fn a_task_that_another_program_has_locked_is_not_taken_in_until_it_is_free() {
    let post = Post::open().await;
    post.put("locks/a.lock", "pid 4711");
    post.put("queues/qa/a.json", text("a"));
    assert_eq!(post.tend().await.waiting, 1);
    assert_eq!(post.mailbox.foreign_locks().unwrap(), [new("a").task().id.clone()]);
    fs::remove_file(post.path("locks/a.lock")).unwrap();
    assert_eq!(post.tend().await.added.len(), 1);
}

#[tokio::test]
async fn a_lock_of_others_is_neither_replaced_nor_removed_by_our_own() {
    let post = Post::open().await;
    post.store.add(&[new("a")], LIMIT).await.unwrap();
    post.put("locks/a.lock", "pid 4711");
    let (_, lease) = post.store.claim(&["qa"], "qa-1", LEASE).await.unwrap().unwrap();
    post.tend().await;
    post.store.finish(&lease, &domain::tasks::Outcome::Completed.into()).await.unwrap();
    post.tend().await;
    assert_eq!(fs::read_to_string(post.path("locks/a.lock")).unwrap(), "pid 4711");
}

#[tokio::test]
async fn a_stale_lock_gives_way_and_is_kept() {
    let post = Post::open().await;
    let mailbox = Mailbox::open(post.path("")).unwrap().with_stale_after(Duration::from_millis(50));
    post.store.add(&[new("a")], LIMIT).await.unwrap();
    post.put("locks/a.lock", "pid 4711");
    tokio::time::sleep(Duration::from_millis(80)).await;
    assert!(mailbox.foreign_locks().unwrap().is_empty());
    post.store.claim(&["qa"], "qa-1", LEASE).await.unwrap().unwrap();
    mailbox.mirror(&post.store).await.unwrap();
    assert_eq!(post.json("locks/a.lock")["holder"], "qa-1");
    assert_eq!(fs::read_to_string(post.only_malformed().0).unwrap(), "pid 4711");
}

#[tokio::test]
async fn our_own_lock_is_no_foreign_one() {
    let post = Post::open().await;
    post.store.add(&[new("a")], LIMIT).await.unwrap();
    post.store.claim(&["qa"], "qa-1", LEASE).await.unwrap().unwrap();
    post.tend().await;
    assert!(post.has("locks/a.lock"));
    assert!(post.mailbox.foreign_locks().unwrap().is_empty());
}
