use domain::ports::TaskStore;
use domain::tasks::{QueueLimit, TaskFilter};

use serde_json::json;

use super::support::{LEASE, Post, task, text};

#[tokio::test(flavor = "multi_thread")]
async fn two_who_take_in_at_once_add_everything_once() {
    let post = Post::open().await;
    for n in 0..150 {
        post.put(&format!("queues/qa/file-{n}.json"), text(&format!("task-{n}")));
    }
    let (store, mailbox) = post.again().await;
    let other = tokio::spawn(async move { mailbox.tend(&store, QueueLimit::Unlimited).await.unwrap() });
    let taken = post.mailbox.take_in(&post.store, QueueLimit::Unlimited).await.unwrap();
    assert_eq!(taken.added.len() + other.await.unwrap().added.len(), 150);
    assert_eq!(post.tasks().await, 150);
    post.mailbox.take_in(&post.store, QueueLimit::Unlimited).await.unwrap();
    let files = std::fs::read_dir(post.path("queues/qa")).unwrap().count();
    assert_eq!((files, post.malformed()), (150, Vec::new()));
}

#[tokio::test]
async fn a_full_queue_leaves_the_rest_where_it_is_until_there_is_room() {
    let post = Post::open().await;
    for n in 0..5 {
        post.put(&format!("queues/qa/file-{n}.json"), text(&format!("task-{n}")));
    }
    let limit = QueueLimit::AtMost(3);
    let taken = post.mailbox.take_in(&post.store, limit).await.unwrap();
    assert_eq!((taken.added.len(), taken.waiting, taken.set_aside.len()), (3, 2, 0));
    post.store.cancel(&taken.added[0], "tester").await.unwrap();
    let taken = post.mailbox.take_in(&post.store, limit).await.unwrap();
    assert_eq!((taken.added.len(), taken.waiting), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn two_who_mirror_at_once_end_with_the_truth() {
    let post = Post::open().await;
    for n in 0..20 {
        post.put(&format!("queues/qa/file-{n}.json"), text(&format!("task-{n}")));
    }
    post.settle().await;
    let (store, mailbox) = post.again().await;
    let work = async {
        while let Some((stored, _)) = post.store.claim(&["qa"], "qa-1", LEASE).await.unwrap() {
            post.mailbox.mirror(&post.store).await.unwrap();
            post.store.cancel(&stored.task.id, "tester").await.unwrap();
        }
    };
    let other = async {
        for _ in 0..40 {
            mailbox.tend(&store, QueueLimit::Unlimited).await.unwrap();
        }
    };
    tokio::join!(work, other);
    post.settle().await;
    for stored in post.store.list(&TaskFilter::default(), None, 100).await.unwrap().tasks {
        assert_eq!(post.status(&format!("completed/qa/{}.json", stored.task.id)), "cancelled");
        assert!(!post.has(&format!("queues/qa/{}.json", stored.task.id)));
        assert!(!post.has(&format!("locks/{}.lock", stored.task.id)));
    }
    assert_eq!(post.malformed(), Vec::<String>::new());
}

#[tokio::test]
async fn what_is_refused_keeps_nothing_else_of_its_batch_out() {
    let post = Post::open().await;
    for n in 0..100 {
        post.put(&format!("queues/qa/file-{n}.json"), text(&format!("task-{n}")));
    }
    for id in ["circle", "ring"] {
        let mut circle = task(id);
        circle["depends_on"] = json!([id]);
        post.put(&format!("queues/qa/{id}.json"), circle.to_string());
    }
    let taken = post.mailbox.tend(&post.store, QueueLimit::Unlimited).await.unwrap();
    assert_eq!((taken.added.len(), taken.set_aside.len(), taken.waiting), (100, 2, 0));
    assert_eq!((post.tasks().await, post.malformed().len()), (100, 2));
}

#[tokio::test]
async fn known_and_new_files_are_told_apart_after_a_restart() {
    let post = Post::open().await;
    for n in 0..30 {
        post.put(&format!("queues/qa/file-{n}.json"), text(&format!("task-{n}")));
    }
    post.settle().await;
    post.store.claim(&["qa"], "qa-1", LEASE).await.unwrap().unwrap();
    for n in 20..50 {
        post.put(&format!("queues/qa/file-{n}.json"), text(&format!("task-{n}")));
    }
    let (store, mailbox) = post.again().await;
    let taken = mailbox.tend(&store, QueueLimit::Unlimited).await.unwrap();
    assert_eq!((taken.added.len(), taken.set_aside, taken.waiting), (20, Vec::new(), 0));
    assert_eq!(std::fs::read_dir(post.path("queues/qa")).unwrap().count(), 50);
}

#[tokio::test]
async fn many_files_at_once_are_all_taken_in() {
    let post = Post::open().await;
    for n in 0..500 {
        post.put(&format!("queues/qa/file-{n}.json"), text(&format!("task-{n}")));
    }
    let taken = post.mailbox.tend(&post.store, QueueLimit::Unlimited).await.unwrap();
    assert_eq!(taken.added.len(), 500);
    assert_eq!(std::fs::read_dir(post.path("queues/qa")).unwrap().count(), 500);
}
