//! The directory can be deleted and is rebuilt, with a database in it and under running agents.

use std::fs;
use std::path::{Path, PathBuf};

use domain::ports::TaskStore;
use domain::tasks::TaskId;
use store::{Standing, Store};

use super::support::{LEASE, LIMIT, new};

fn folder() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().join("mail");
    fs::create_dir(&folder).unwrap();
    (directory, folder)
}

async fn open(folder: &Path) -> Store {
    Store::open_sqlite(&folder.join("countersign.db")).await.unwrap()
}

async fn knows(store: &Store, id: &str) -> bool {
    store.get(&TaskId::parse(id).unwrap()).await.unwrap().is_some()
}

#[tokio::test]
async fn a_database_that_was_deleted_is_put_back_with_everything_in_it() {
    let (_directory, folder) = folder();
    let store = open(&folder).await;
    store.add(&[new("a")], LIMIT).await.unwrap();
    let (_, lease) = store.claim(&["qa"], "qa-1", LEASE).await.unwrap().unwrap();
    assert_eq!(store.stand().await.unwrap(), Standing::Unchanged);
    fs::remove_dir_all(&folder).unwrap();
    store.add(&[new("late")], LIMIT).await.unwrap();
    assert_eq!(store.stand().await.unwrap(), Standing::Restored);
    assert_eq!(store.stand().await.unwrap(), Standing::Unchanged);
    store.heartbeat(&lease, LEASE).await.unwrap();
    store.add(&[new("after")], LIMIT).await.unwrap();
    let other = open(&folder).await;
    for id in ["a", "late", "after"] {
        assert!(knows(&other, id).await, "{id}");
    }
}

#[tokio::test]
async fn only_the_file_may_be_deleted_and_its_log_does_no_harm() {
    let (_directory, folder) = folder();
    let store = open(&folder).await;
    store.add(&[new("a")], LIMIT).await.unwrap();
    fs::remove_file(folder.join("countersign.db")).unwrap();
    assert_eq!(store.stand().await.unwrap(), Standing::Restored);
    store.add(&[new("b")], LIMIT).await.unwrap();
    let other = open(&folder).await;
    assert!(knows(&other, "a").await && knows(&other, "b").await);
}

#[tokio::test]
async fn a_database_that_somebody_else_made_is_used_and_the_old_one_saved_beside_it() {
    let (_directory, folder) = folder();
    let store = open(&folder).await;
    store.add(&[new("old")], LIMIT).await.unwrap();
    fs::remove_dir_all(&folder).unwrap();
    fs::create_dir(&folder).unwrap();
    let other = open(&folder).await;
    other.add(&[new("new")], LIMIT).await.unwrap();
    let Standing::Replaced { saved } = store.stand().await.unwrap() else { panic!("it was replaced") };
    assert_eq!((knows(&store, "old").await, knows(&store, "new").await), (false, true));
    let saved = Store::open_sqlite(&saved).await.unwrap();
    assert_eq!((knows(&saved, "old").await, knows(&saved, "new").await), (true, false));
}

#[tokio::test]
async fn of_two_processes_one_restores_the_file_and_the_other_follows() {
    let (_directory, folder) = folder();
    let (one, two) = (open(&folder).await, open(&folder).await);
    fs::remove_dir_all(&folder).unwrap();
    one.add(&[new("a")], LIMIT).await.unwrap();
    assert_eq!(one.stand().await.unwrap(), Standing::Restored);
    assert!(two.add(&[new("lost")], LIMIT).await.is_err(), "nobody would find it there");
    assert_eq!(two.stand().await.unwrap(), Standing::RestoredByOthers);
    two.add(&[new("b")], LIMIT).await.unwrap();
    assert!(knows(&one, "a").await && knows(&one, "b").await && knows(&two, "a").await);
    assert_eq!(fs::read_dir(&folder).unwrap().filter(is_saved).count(), 0);
}

fn is_saved(entry: &std::io::Result<fs::DirEntry>) -> bool {
    entry.as_ref().unwrap().file_name().to_string_lossy().contains("recovered")
}

#[tokio::test]
async fn something_that_is_no_database_in_its_place_changes_nothing() {
    let (_directory, folder) = folder();
    let store = open(&folder).await;
    fs::remove_dir_all(&folder).unwrap();
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("countersign.db"), "not a database, and long enough to be looked at").unwrap();
    assert!(store.stand().await.is_err());
    assert_eq!(fs::read_dir(&folder).unwrap().filter(is_saved).count(), 0);
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(store.stand().await.unwrap(), Standing::Restored);
}
