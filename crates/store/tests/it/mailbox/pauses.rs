use std::fs;
use std::time::{Duration, SystemTime};

use domain::ports::TaskStore;

use super::support::{LIMIT, Post};

async fn paused(post: &Post) -> Vec<String> {
    post.store.paused().await.unwrap()
}

/// Files are dated by a clock that ticks seldom.
fn put_a_while_ago(post: &Post, path: &str) {
    let file = fs::File::open(post.put(path, "")).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(1)).unwrap();
}

#[tokio::test]
async fn a_file_that_appears_pauses_and_one_that_goes_resumes() {
    let post = Post::open().await;
    post.put("pause/qa", "");
    post.tend().await;
    assert_eq!(paused(&post).await, ["qa"]);
    fs::remove_file(post.path("pause/qa")).unwrap();
    post.tend().await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    post.tend().await;
    assert!(paused(&post).await.is_empty());
}

#[tokio::test]
async fn a_command_creates_and_removes_the_file() {
    let post = Post::open().await;
    post.store.pause("qa", "tester").await.unwrap();
    post.tend().await;
    assert_eq!(post.mailbox.paused().unwrap(), ["qa"]);
    post.store.resume("qa", "tester").await.unwrap();
    post.tend().await;
    assert!(!post.has("pause/qa"));
    assert!(paused(&post).await.is_empty());
}

#[tokio::test]
async fn a_resumption_that_nobody_tended_is_not_undone_by_the_file_it_left() {
    let post = Post::open().await;
    put_a_while_ago(&post, "pause/qa");
    post.tend().await;
    post.store.resume("qa", "tester").await.unwrap();
    let (store, mailbox) = post.again().await;
    mailbox.tend(&store, LIMIT).await.unwrap();
    assert!(paused(&post).await.is_empty());
    assert!(!post.has("pause/qa"));
}

#[tokio::test]
async fn a_file_that_is_put_there_right_after_a_resumption_pauses_again() {
    for tended_in_between in [false, true] {
        let post = Post::open().await;
        put_a_while_ago(&post, "pause/qa");
        post.tend().await;
        post.store.resume("qa", "tester").await.unwrap();
        if tended_in_between {
            let (store, mailbox) = post.again().await;
            mailbox.tend(&store, LIMIT).await.unwrap();
        }
        post.put("new", "");
        fs::rename(post.path("new"), post.path("pause/qa")).unwrap();
        post.tend().await;
        assert_eq!(paused(&post).await, ["qa"], "tended in between: {tended_in_between}");
        assert!(post.has("pause/qa"));
    }
}

#[tokio::test]
async fn deleting_the_whole_directory_resumes_nobody() {
    let post = Post::open().await;
    post.put("pause/qa", "");
    post.tend().await;
    fs::remove_dir_all(post.path("")).unwrap();
    post.tend().await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    post.tend().await;
    assert_eq!(paused(&post).await, ["qa"]);
    assert!(post.has("pause/qa"));
}

#[tokio::test]
async fn what_cannot_be_a_pause_is_explained() {
    let post = Post::open().await;
    fs::create_dir(post.path("pause/qa")).unwrap();
    std::os::unix::fs::symlink("/", post.path("pause/engineer")).unwrap();
    post.put("pause/no agent", "");
    assert_eq!(post.tend().await.set_aside.len(), 3);
    assert!(paused(&post).await.is_empty());
}
