use std::fs;
use std::time::{Duration, SystemTime};

use domain::ports::{Locked, TaskLocks, TaskStore};
use domain::tasks::{Held, Lease, Outcome, TaskId};
use store::mailbox::Mailbox;

use super::support::{LEASE, LIMIT, Post, new, text};

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
    post.store.finish(&lease, &Outcome::Completed.into()).await.unwrap();
    post.tend().await;
    assert_eq!(fs::read_to_string(post.path("locks/a.lock")).unwrap(), "pid 4711");
}

#[tokio::test]
async fn a_stale_lock_gives_way_and_is_kept() {
    let post = Post::open().await;
    let mailbox = Mailbox::open(post.path("")).unwrap().with_stale_after(Duration::from_secs(60));
    post.store.add(&[new("a")], LIMIT).await.unwrap();
    let lock = post.put("locks/a.lock", "pid 4711");
    let hour_ago = SystemTime::now() - Duration::from_secs(3600);
    fs::File::options().append(true).open(lock).unwrap().set_modified(hour_ago).unwrap();
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

/// Claims the task, and says what a worker then needs to take its lock.
async fn claim(post: &Post) -> (Lease, TaskId, Held) {
    let (stored, lease) = post.store.claim(&["qa"], "qa-1", LEASE).await.unwrap().unwrap();
    (lease, stored.task.id, stored.held.unwrap())
}

#[tokio::test]
async fn a_worker_takes_the_lock_before_anybody_tends_the_mailbox() {
    let post = Post::open().await;
    post.store.add(&[new("a")], LIMIT).await.unwrap();
    let (lease, id, held) = claim(&post).await;
    assert_eq!(post.mailbox.acquire(&id, &held), Locked::Ours);
    let taken = fs::read_to_string(post.path("locks/a.lock")).unwrap();
    assert_eq!(post.json("locks/a.lock")["holder"], "qa-1");
    assert_eq!(post.mailbox.acquire(&id, &held), Locked::Ours);
    post.tend().await;
    assert_eq!(fs::read_to_string(post.path("locks/a.lock")).unwrap(), taken);
    post.store.finish(&lease, &Outcome::Completed.into()).await.unwrap();
    post.tend().await;
    assert!(!post.has("locks/a.lock"));
}

#[tokio::test]
async fn a_worker_does_not_get_the_lock_that_another_program_has() {
    let post = Post::open().await;
    post.store.add(&[new("a")], LIMIT).await.unwrap();
    post.put("locks/a.lock", "pid 4711");
    let (lease, id, held) = claim(&post).await;
    assert_eq!(post.mailbox.acquire(&id, &held), Locked::Foreign);
    let postponed = Outcome::Postponed { reason: "locked".into(), wait: Duration::ZERO };
    post.store.finish(&lease, &postponed.into()).await.unwrap();
    post.tend().await;
    assert_eq!(fs::read_to_string(post.path("locks/a.lock")).unwrap(), "pid 4711");
    fs::remove_file(post.path("locks/a.lock")).unwrap();
    let (_, id, held) = claim(&post).await;
    assert_eq!(post.mailbox.acquire(&id, &held), Locked::Ours);
}

#[tokio::test]
async fn whatever_stands_in_the_place_of_a_lock_is_one() {
    let post = Post::open().await;
    post.store.add(&[new("a")], LIMIT).await.unwrap();
    let (_, id, held) = claim(&post).await;
    std::os::unix::fs::symlink("/nowhere", post.path("locks/a.lock")).unwrap();
    assert_eq!(post.mailbox.acquire(&id, &held), Locked::Foreign);
    fs::remove_file(post.path("locks/a.lock")).unwrap();
    fs::create_dir(post.path("locks/a.lock")).unwrap();
    assert_eq!(post.mailbox.acquire(&id, &held), Locked::Foreign);
}

#[tokio::test]
async fn a_worker_takes_over_a_stale_lock_and_the_lock_of_a_holder_before_it() {
    let post = Post::open().await;
    let mailbox = Mailbox::open(post.path("")).unwrap().with_stale_after(Duration::from_secs(60));
    post.store.add(&[new("a")], LIMIT).await.unwrap();
    let lock = post.put("locks/a.lock", "pid 4711");
    let hour_ago = SystemTime::now() - Duration::from_secs(3600);
    fs::File::options().append(true).open(lock).unwrap().set_modified(hour_ago).unwrap();
    let (lease, id, first) = claim(&post).await;
    assert_eq!(mailbox.acquire(&id, &first), Locked::Ours);
    assert_eq!(fs::read_to_string(post.only_malformed().0).unwrap(), "pid 4711");
    post.store.finish(&lease, &Outcome::Released.into()).await.unwrap();
    let (_, id, second) = claim(&post).await;
    assert_eq!(mailbox.acquire(&id, &second), Locked::Ours);
    assert_eq!(post.json("locks/a.lock")["token"], second.token);
    // One who comes back from the dead changes nothing.
    assert_eq!(mailbox.acquire(&id, &first), Locked::Ours);
    assert_eq!(post.json("locks/a.lock")["token"], second.token);
}

#[tokio::test]
async fn taking_a_lock_in_a_deleted_mailbox_leaves_its_rebuilding_to_who_tends_it() {
    let post = Post::open().await;
    post.store.add(&[new("a"), new("b")], LIMIT).await.unwrap();
    post.tend().await;
    let (_, id, held) = claim(&post).await;
    fs::remove_dir_all(post.path("")).unwrap();
    assert_eq!(post.mailbox.acquire(&id, &held), Locked::Ours);
    assert!(!post.has(""));
    post.tend().await;
    assert_eq!(post.json("locks/a.lock")["token"], held.token);
    assert!(post.has("queues/qa/b.json"));
}

#[tokio::test]
async fn of_many_programs_that_want_a_lock_one_gets_it() {
    let post = Post::open().await;
    post.store.add(&[new("a")], LIMIT).await.unwrap();
    let (_, id, held) = claim(&post).await;
    for _ in 0..50 {
        let path = post.path("locks/a.lock");
        let stranger = std::thread::spawn({
            let path = path.clone();
            move || fs::OpenOptions::new().write(true).create_new(true).open(path).is_ok()
        });
        let ours = post.mailbox.acquire(&id, &held) == Locked::Ours;
        let theirs = stranger.join().unwrap();
        assert!(ours != theirs, "ours {ours}, theirs {theirs}");
        fs::remove_file(path).unwrap();
    }
}

#[tokio::test]
async fn who_shows_a_lock_and_who_takes_it_do_not_get_in_each_others_way() {
    let post = Post::open().await;
    post.store.add(&[new("a")], LIMIT).await.unwrap();
    for _ in 0..30 {
        let (lease, id, held) = claim(&post).await;
        let mailbox = Mailbox::open(post.path("")).unwrap();
        let worker = std::thread::spawn(move || mailbox.acquire(&id, &held));
        post.tend().await;
        assert_eq!(worker.join().unwrap(), Locked::Ours);
        assert_eq!(post.json("locks/a.lock")["token"], lease.token());
        post.store.finish(&lease, &Outcome::Released.into()).await.unwrap();
    }
}
