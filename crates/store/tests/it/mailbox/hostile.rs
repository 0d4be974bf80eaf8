use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::json;
use store::mailbox::{Mailbox, MailboxError};

use super::support::{Post, task, text};

#[tokio::test]
async fn what_is_not_json_is_set_aside_whole_with_the_reason() {
    let post = Post::open().await;
    post.put("queues/qa/bad.json", "{ not json");
    assert_eq!(post.settle().await.set_aside.len(), 1);
    let (path, reason) = post.only_malformed();
    assert_eq!(fs::read_to_string(path).unwrap(), "{ not json");
    assert!(reason.contains("not JSON") && reason.contains("What to do:"), "{reason}");
    assert!(!post.has("queues/qa/bad.json"));
}

#[tokio::test]
async fn a_symbolic_link_is_moved_and_never_followed() {
    let post = Post::open().await;
    let outside = post.directory.path().join("outside.json");
    fs::write(&outside, text("stolen")).unwrap();
    fs::create_dir_all(post.path("queues/qa")).unwrap();
    symlink(&outside, post.path("queues/qa/link.json")).unwrap();
    post.settle().await;
    let (path, reason) = post.only_malformed();
    assert!(path.symlink_metadata().unwrap().is_symlink() && reason.contains("link"));
    assert_eq!(fs::read_to_string(outside).unwrap(), text("stolen"));
    assert_eq!(post.tasks().await, 0);
}

#[tokio::test]
async fn a_queue_that_is_a_link_is_moved_and_nothing_behind_it_is_touched() {
    let post = Post::open().await;
    let outside = post.directory.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("a.json"), text("a")).unwrap();
    symlink(&outside, post.path("queues/qa")).unwrap();
    post.put("queues/engineer/b.json", text("b"));
    post.settle().await;
    assert!(post.only_malformed().1.contains("link"));
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    assert_eq!(post.tasks().await, 1);
}

#[tokio::test]
async fn a_mailbox_with_a_link_for_a_folder_is_refused() {
    let post = Post::open().await;
    fs::remove_dir(post.path("malformed")).unwrap();
    symlink(post.directory.path(), post.path("malformed")).unwrap();
    assert!(matches!(Mailbox::open(post.path("")), Err(MailboxError::NotAFolder(_))));
    symlink(post.path("queues"), post.directory.path().join("link")).unwrap();
    let link = post.directory.path().join("link");
    assert!(matches!(Mailbox::open(link), Err(MailboxError::NotAFolder(_))));
}

#[tokio::test]
async fn a_folder_is_moved_with_all_it_holds() {
    let post = Post::open().await;
    post.put("queues/qa/deep.json/inner.json", text("inner"));
    post.settle().await;
    let (path, _) = post.only_malformed();
    assert_eq!(fs::read_to_string(path.join("inner.json")).unwrap(), text("inner"));
}

#[tokio::test]
async fn a_huge_file_is_moved_without_being_read() {
    let post = Post::open().await;
    fs::create_dir_all(post.path("queues/qa")).unwrap();
    let file = fs::File::create(post.path("queues/qa/huge.json")).unwrap();
    file.set_len(100 * 1024 * 1024).unwrap();
    post.settle().await;
    let (path, reason) = post.only_malformed();
    assert_eq!(path.metadata().unwrap().len(), 100 * 1024 * 1024);
    assert!(reason.contains("larger than"));
}

#[tokio::test]
async fn an_id_that_leads_out_of_the_mailbox_is_refused_by_name() {
    let post = Post::open().await;
    post.put("queues/qa/a.json", text("../../../escape"));
    post.settle().await;
    assert!(post.only_malformed().1.contains("id:"));
    assert!(!post.directory.path().join("escape.json").exists());
}

#[tokio::test]
async fn of_two_files_with_one_id_one_is_taken_in_and_one_explained() {
    let post = Post::open().await;
    let mut other = task("same");
    other["title"] = json!("Another");
    post.put("queues/qa/one.json", text("same"));
    post.put("queues/qa/two.json", other.to_string());
    post.settle().await;
    assert_eq!(post.tasks().await, 1);
    assert!(post.only_malformed().1.contains("already a task same"));
    assert!(post.has("queues/qa/same.json"));
}

#[tokio::test]
async fn a_pipe_does_not_hold_anybody_up() {
    let post = Post::open().await;
    fs::create_dir_all(post.path("queues/qa")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(post.path("queues/qa/pipe.json")).status();
    assert!(made.unwrap().success());
    post.put("queues/qa/a.json", text("a"));
    assert_eq!(post.settle().await.added.len(), 1);
    assert!(post.only_malformed().1.contains("pipe"));
}

#[tokio::test]
async fn a_file_that_may_not_be_read_is_explained_or_taken_in_by_those_who_may() {
    let post = Post::open().await;
    let path = post.put("queues/qa/a.json", text("a"));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    let may = fs::read(&path).is_ok();
    post.settle().await;
    assert_eq!((post.tasks().await, post.malformed().len()), if may { (1, 0) } else { (0, 1) });
}

#[tokio::test]
async fn odd_names_are_no_trouble() {
    let post = Post::open().await;
    fs::create_dir_all(post.path("queues/qa")).unwrap();
    let odd = OsStr::from_bytes(b"-rf \n\xff;\x1b[2J.json");
    fs::write(post.path("queues/qa").join(odd), text("fine")).unwrap();
    fs::write(post.path("queues/qa").join("\u{202e}nosj.json"), "nonsense").unwrap();
    fs::write(post.path("queues/qa").join(format!("{}.json", "\u{4e00}".repeat(80))), "long").unwrap();
    post.settle().await;
    assert!(post.get("fine").await.is_some());
    let names = post.malformed();
    assert_eq!(names.len(), 2);
    assert!(names.iter().all(|name| name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))));
}

#[tokio::test]
async fn a_file_that_is_for_no_agent_is_explained() {
    let post = Post::open().await;
    post.put("queues/lost.json", text("lost"));
    post.put("queues/bad name/lost.json", text("lost-too"));
    post.settle().await;
    assert_eq!((post.malformed().len(), post.tasks().await), (2, 0));
}

#[tokio::test]
async fn temporary_files_of_others_are_left_alone() {
    let post = Post::open().await;
    for name in [".a.json.swp", "a.json.tmp", "a.json~", ".hidden.json"] {
        post.put(&format!("queues/qa/{name}"), text("a"));
    }
    post.settle().await;
    assert_eq!((post.malformed().len(), post.tasks().await), (0, 0));
    assert!(post.has("queues/qa/a.json.tmp"));
}

#[tokio::test]
async fn deep_nesting_and_wrong_types_are_malformed_and_no_more() {
    let post = Post::open().await;
    post.put("queues/qa/deep.json", "[".repeat(500_000));
    post.put("queues/qa/number.json", "12");
    post.put("queues/qa/list.json", r#"{"id": ["a"]}"#);
    post.put(
        "queues/qa/done.json",
        json!({ "id": "x", "type": "a", "title": "t", "status": "completed" }).to_string(),
    );
    post.settle().await;
    assert_eq!((post.malformed().len(), post.tasks().await), (4, 0));
}
