//! A copy of a repository elsewhere.

use git::{Ask, Environment, GitError, Mirror, Remote, Wanted, What};
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
