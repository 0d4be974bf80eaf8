use std::fs;

use domain::ports::TaskStore;
use domain::tasks::Outcome;
use sqlx::{Connection, SqliteConnection};
use store::mailbox::Mailbox;

use super::support::{LEASE, LIMIT, Post, new, text};

/// A mailbox of another machine on the same store.
struct Elsewhere<'a> {
    post: &'a Post,
    mailbox: Mailbox,
}

impl<'a> Elsewhere<'a> {
    fn open(post: &'a Post) -> Elsewhere<'a> {
        Elsewhere { post, mailbox: Mailbox::open(post.directory.path().join("elsewhere")).unwrap() }
    }

    async fn tend(&self) {
        self.mailbox.tend(&self.post.store, LIMIT).await.unwrap();
    }

    fn has(&self, path: &str) -> bool {
        self.mailbox.root().join(path).exists()
    }
}

async fn forget_all_readers(post: &Post) {
    let url = format!("sqlite:{}", post.directory.path().join("tasks.db").display());
    let mut connection = SqliteConnection::connect(&url).await.unwrap();
    for sql in ["DELETE FROM outbox_readers", "DELETE FROM outbox"] {
        sqlx::query(sql).execute(&mut connection).await.unwrap();
    }
}

#[tokio::test]
async fn two_mailboxes_on_one_store_both_show_everything() {
    let post = Post::open().await;
    let other = Elsewhere::open(&post);
    post.put("queues/qa/mine.json", text("a"));
    post.tend().await;
    other.tend().await;
    assert!(post.has("queues/qa/a.json") && other.has("queues/qa/a.json"));

    let (_, lease) = post.store.claim(&["qa"], "qa-1", LEASE).await.unwrap().unwrap();
    other.tend().await;
    post.tend().await;
    assert!(post.has("locks/a.lock") && other.has("locks/a.lock"));

    post.store.finish(&lease, &Outcome::Released.into()).await.unwrap();
    post.store.cancel(&new("a").task().id, "tester").await.unwrap();
    post.tend().await;
    other.tend().await;
    for (there, gone) in [("completed/qa/a.json", "queues/qa/a.json"), (".reader", "locks/a.lock")] {
        assert!(post.has(there) && other.has(there), "{there}");
        assert!(!post.has(gone) && !other.has(gone), "{gone}");
    }
    assert!(post.malformed().is_empty());
}

#[tokio::test]
async fn what_is_put_into_one_mailbox_shows_in_the_other_that_was_away() {
    let post = Post::open().await;
    Elsewhere::open(&post).tend().await;
    for n in 0..300 {
        post.put(&format!("queues/qa/file-{n}.json"), text(&format!("task-{n}")));
    }
    post.mailbox.tend(&post.store, domain::tasks::QueueLimit::Unlimited).await.unwrap();
    let other = Elsewhere::open(&post);
    other.tend().await;
    let shown = fs::read_dir(other.mailbox.root().join("queues/qa")).unwrap().count();
    assert_eq!(shown, 300);
}

#[tokio::test]
async fn a_mailbox_that_the_store_has_dropped_catches_up() {
    let post = Post::open().await;
    post.store.add(&[new("a")], LIMIT).await.unwrap();
    post.tend().await;
    forget_all_readers(&post).await;
    post.store.cancel(&new("a").task().id, "tester").await.unwrap();
    post.store.add(&[new("b")], LIMIT).await.unwrap();
    post.tend().await;
    assert!(post.has("completed/qa/a.json") && post.has("queues/qa/b.json"));
    assert!(!post.has("queues/qa/a.json") && !post.has(".rebuild"));
    post.store.cancel(&new("b").task().id, "tester").await.unwrap();
    post.tend().await;
    assert!(post.has("completed/qa/b.json"));
}

#[tokio::test]
async fn what_was_deleted_is_written_again_by_whoever_tends_next() {
    let post = Post::open().await;
    post.store.add(&[new("a")], LIMIT).await.unwrap();
    post.tend().await;
    fs::remove_dir_all(post.path("queues")).unwrap();
    // It makes the folders, and is gone before it shows anything.
    Mailbox::open(post.path("")).unwrap();
    let (store, mailbox) = post.again().await;
    mailbox.tend(&store, LIMIT).await.unwrap();
    assert!(post.has("queues/qa/a.json"));
}

#[tokio::test]
async fn a_mailbox_that_is_opened_again_keeps_its_name() {
    let post = Post::open().await;
    post.tend().await;
    let name = fs::read_to_string(post.path(".reader")).unwrap();
    let (store, mailbox) = post.again().await;
    mailbox.tend(&store, LIMIT).await.unwrap();
    assert_eq!(fs::read_to_string(post.path(".reader")).unwrap(), name);
}

#[tokio::test]
async fn a_name_that_is_none_is_explained_and_replaced() {
    let post = Post::open().await;
    post.tend().await;
    post.put(".reader", "../../etc\0");
    post.store.add(&[new("a")], LIMIT).await.unwrap();
    post.tend().await;
    assert!(post.has("queues/qa/a.json"));
    assert!(post.only_malformed().1.contains("keeps its name"));
}

/// So that one who was held up while writing leaves nothing that looks like somebody's later edit.
#[tokio::test]
async fn a_file_is_dated_as_what_it_says() {
    let post = Post::open().await;
    post.put("queues/qa/mine.json", text("a"));
    post.tend().await;
    let stored = post.store.get(&new("a").task().id).await.unwrap().unwrap();
    let dated = fs::metadata(post.mailbox.root().join("queues/qa/a.json")).unwrap().modified().unwrap();
    assert_eq!(dated, stored.updated_at.into());
}
