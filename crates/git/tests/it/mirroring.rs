//! A copy of a repository elsewhere.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use git::{Ask, Environment, GitError, Keep, Mirror, Remote, Tidied, Wanted, What, tidy_mirrors};
use testkit::Repo;

fn wanted(theirs: &str, ours: &str) -> Wanted {
    Wanted { theirs: theirs.into(), ours: ours.into() }
}

fn remote(url: &str) -> Remote<'_> {
    Remote { url, authorization: None }
}

fn forge() -> Repo {
    let repo = Repo::new();
    repo.write("a.txt", "one\n");
    repo.commit("Start");
    repo.git(&["checkout", "--quiet", "-b", "topic"]);
    repo.write("a.txt", "two\n");
    repo.commit("Change");
    repo.git(&["update-ref", "refs/pull/7/head", "topic"]);
    repo
}

#[test]
fn what_was_fetched_can_be_reviewed_and_follows_what_is_pushed() {
    let (forge, place) = (forge(), tempfile::tempdir().unwrap());
    let mirror = Mirror::open(place.path(), &Environment::of_this_process()).unwrap();
    let url = forge.path().to_str().unwrap().to_owned();
    let refs = [
        wanted("refs/heads/main", "refs/countersign/base"),
        wanted("refs/pull/7/head", "refs/countersign/head"),
    ];
    mirror.fetch(remote(&url), &refs).unwrap();
    let repository = mirror.repository().unwrap();
    let ask = Ask {
        what: What::Commits,
        base: Some("refs/countersign/base".into()),
        head: Some("refs/countersign/head".into()),
    };
    let change = repository.change(&repository.resolve(&ask).unwrap()).unwrap();
    assert_eq!(change.files.len(), 1);

    forge.git(&["commit", "--quiet", "--amend", "--allow-empty", "-m", "Again"]);
    forge.git(&["update-ref", "refs/pull/7/head", "topic"]);
    mirror.fetch(remote(&url), &refs).unwrap();
    let tip = mirror.tip("refs/countersign/head").unwrap().unwrap();
    assert_eq!(tip.as_str(), forge.git(&["rev-parse", "topic"]).trim());
}

#[test]
fn what_is_not_there_and_what_is_no_address_are_told_apart() {
    let (forge, place) = (forge(), tempfile::tempdir().unwrap());
    let mirror = Mirror::open(place.path(), &Environment::of_this_process()).unwrap();
    let url = forge.path().to_str().unwrap().to_owned();
    let missing = mirror.fetch(remote(&url), &[wanted("refs/pull/8/head", "refs/countersign/head")]);
    assert!(matches!(missing, Err(GitError::NotThere { .. })), "{missing:?}");
    for hostile in
        ["ext::sh -c touch% x", "--upload-pack=touch x", "ssh://host/x", "relative/path", "https://a b"]
    {
        let refused = mirror.fetch(remote(hostile), &[wanted("refs/heads/main", "refs/countersign/head")]);
        assert!(matches!(refused, Err(GitError::BadRemote(_))), "{hostile}: {refused:?}");
    }
    for name in ["--all", "refs/heads/a..b", "main", "refs/heads/x:refs/heads/y"] {
        let refused = mirror.fetch(remote(&url), &[wanted(name, "refs/countersign/head")]);
        assert!(matches!(refused, Err(GitError::BadRevision { .. })), "{name}: {refused:?}");
    }
}

#[test]
fn nothing_that_is_listening_there_leaves_a_token_in_an_error() {
    let place = tempfile::tempdir().unwrap();
    let mirror = Mirror::open(place.path(), &Environment::of_this_process()).unwrap();
    let remote = Remote { url: "http://127.0.0.1:1/x.git", authorization: Some("Basic c2VjcmV0LXRva2Vu") };
    let error = mirror.fetch(remote, &[wanted("refs/heads/main", "refs/countersign/head")]).unwrap_err();
    assert!(matches!(error, GitError::Unreachable { .. }), "{error:?}");
    assert!(!format!("{error:?}{error}{remote:?}").contains("c2VjcmV0"), "{error:?}");
    let config = std::fs::read_to_string(place.path().join("config")).unwrap();
    assert!(!config.contains("c2VjcmV0"));
}

/// Always due.
const DUE: Keep = Keep { between: Duration::ZERO, unused: Duration::from_secs(60) };

fn open(place: &Path) -> Mirror {
    Mirror::open(place, &Environment::of_this_process()).unwrap()
}

/// A mirror of both branches, and the commit of the request.
fn mirrored(forge: &Repo, place: &Path) -> (Mirror, domain::change::Oid) {
    let mirror = open(place);
    let refs = [wanted("refs/heads/main", "refs/heads/main"), wanted("refs/pull/7/head", "refs/requests/7")];
    mirror.fetch(remote(forge.path().to_str().unwrap()), &refs).unwrap();
    let head = mirror.tip("refs/requests/7").unwrap().unwrap();
    (mirror, head)
}

/// Nobody has asked for the request since long ago.
fn forget(place: &Path) {
    let file = place.join("countersign.seen");
    let seen = fs::read_to_string(&file).unwrap();
    let aged = |line: &str| match line.ends_with("refs/requests/7") {
        true => "1 refs/requests/7\n".to_owned(),
        false => format!("{line}\n"),
    };
    fs::write(&file, seen.lines().map(aged).collect::<String>()).unwrap();
}

#[test]
fn what_nobody_asked_for_in_a_while_is_tidied_away_and_the_rest_stays() {
    let (forge, place) = (forge(), tempfile::tempdir().unwrap());
    let (mirror, head) = mirrored(&forge, place.path());
    assert_eq!(mirror.tidy(DUE).unwrap(), Tidied::Done { refs: 0 });
    assert!(mirror.has(&head).unwrap());
    forget(place.path());
    assert_eq!(mirror.tidy(Keep::default()).unwrap(), Tidied::NotDue);
    assert_eq!(mirror.tidy(DUE).unwrap(), Tidied::Done { refs: 1 });
    assert!(!mirror.has(&head).unwrap());
    let main = mirror.tip("refs/heads/main").unwrap().unwrap();
    assert!(mirror.has(&main).unwrap());
    drop(mirror);
    let (mirror, again) = mirrored(&forge, place.path());
    assert!(again == head && mirror.has(&head).unwrap(), "it can be fetched again");
}

#[test]
fn what_somebody_reads_is_not_tidied_away() {
    let (forge, place) = (forge(), tempfile::tempdir().unwrap());
    let (mirror, head) = mirrored(&forge, place.path());
    forget(place.path());
    let reading = [mirror.in_use().unwrap(), mirror.in_use().unwrap()];
    assert_eq!(mirror.tidy(DUE).unwrap(), Tidied::InUse);
    assert!(mirror.has(&head).unwrap());
    drop(reading);
    assert_eq!(mirror.tidy(DUE).unwrap(), Tidied::Done { refs: 1 });
}

#[test]
fn what_was_force_pushed_away_does_not_gather_for_ever() {
    let (forge, place) = (forge(), tempfile::tempdir().unwrap());
    let (_, first) = mirrored(&forge, place.path());
    for round in 0..25 {
        forge.git(&["commit", "--quiet", "--amend", "--allow-empty", "-m", &format!("Round {round}")]);
        forge.git(&["update-ref", "refs/pull/7/head", "topic"]);
        mirrored(&forge, place.path());
    }
    let mirror = open(place.path());
    assert!(mirror.has(&first).unwrap());
    assert_eq!(mirror.tidy(DUE).unwrap(), Tidied::Done { refs: 0 });
    assert!(!mirror.has(&first).unwrap());
    let packs = fs::read_dir(place.path().join("objects/pack")).unwrap().flatten();
    assert_eq!(packs.filter(|entry| entry.path().extension().is_some_and(|end| end == "pack")).count(), 1);
}

fn make_old(mirror: &Path) {
    let lock = File::options().write(true).open(mirror.join("countersign.lock")).unwrap();
    lock.set_modified(SystemTime::UNIX_EPOCH).unwrap();
}

#[test]
fn a_mirror_that_nobody_uses_is_removed_and_one_that_somebody_has_is_not() {
    let (forge, place) = (forge(), tempfile::tempdir().unwrap());
    let at = |name: &str| place.path().join(name);
    for name in ["old.git", "held.git", "read.git", "new.git"] {
        mirrored(&forge, &at(name));
    }
    let held = open(&at("held.git"));
    let read = open(&at("read.git")).in_use().unwrap();
    ["old.git", "held.git", "read.git"].iter().for_each(|name| make_old(&at(name)));
    fs::create_dir(at(".gone-half.git-1")).unwrap();
    fs::write(at("notes.txt"), "not a mirror").unwrap();
    assert_eq!(tidy_mirrors(place.path(), DUE), 2);
    drop((held, read));
    let mut left: Vec<_> =
        fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["held.git", "new.git", "notes.txt", "read.git"]);
}

#[test]
fn whoever_fetches_while_mirrors_are_removed_gets_what_it_wants() {
    let (forge, place) = (forge(), tempfile::tempdir().unwrap());
    let mirror = place.path().join("shop.git");
    let at_once = Keep { between: Duration::ZERO, unused: Duration::ZERO };
    std::thread::scope(|scope| {
        let fetchers: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    for _ in 0..10 {
                        let (held, head) = mirrored(&forge, &mirror);
                        let read = held.in_use().unwrap();
                        drop(held);
                        let repository = git::Repository::discover(&mirror).unwrap();
                        assert_eq!(
                            repository.git_dir().canonicalize().unwrap(),
                            mirror.canonicalize().unwrap()
                        );
                        let shown = forge.git(&[
                            "--git-dir",
                            mirror.to_str().unwrap(),
                            "cat-file",
                            "-t",
                            head.as_str(),
                        ]);
                        assert_eq!(shown.trim(), "commit");
                        drop(read);
                    }
                })
            })
            .collect();
        while !fetchers.iter().all(std::thread::ScopedJoinHandle::is_finished) {
            tidy_mirrors(place.path(), at_once);
            std::thread::yield_now();
        }
    });
}
