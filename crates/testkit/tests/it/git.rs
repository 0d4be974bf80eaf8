//! The repositories behind the forge, with the real git program.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use testkit::forge::{Forge, PullSeed, Rights};

use crate::github_pulls::shop;

struct Somebody {
    folder: tempfile::TempDir,
    token: Option<String>,
}

impl Somebody {
    fn new(token: Option<&str>) -> Somebody {
        Somebody { folder: tempfile::tempdir().unwrap(), token: token.map(str::to_owned) }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn try_git(&self, dir: &Path, args: &[&str]) -> Output {
        let mut command = Command::new("git");
        command.current_dir(dir).env_clear().env("PATH", std::env::var_os("PATH").unwrap());
        command.env("HOME", self.folder.path()).env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C");
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        command.args(["-c", "user.name=Somebody", "-c", "user.email=somebody@example.com"]);
        if let Some(token) = &self.token {
            command.arg("-c").arg(format!("http.extraHeader=Authorization: Bearer {token}"));
        }
        command.args(args).output().unwrap()
    }

    fn git(&self, dir: &Path, args: &[&str]) -> String {
        let output = self.try_git(dir, args);
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    fn clones(&self, forge: &Forge, repository: &str) -> PathBuf {
        self.git(self.folder.path(), &["clone", "--quiet", &forge.clone_url(repository), "work"]);
        self.path("work")
    }
}

fn clone_fails(somebody: &Somebody, forge: &Forge) -> String {
    let output = somebody
        .try_git(somebody.folder.path(), &["clone", "--quiet", &forge.clone_url("acme/shop"), "work"]);
    assert!(!output.status.success());
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_private_repository_is_cloned_with_a_token_only() {
    let forge = shop();
    let reader = Somebody::new(Some(&forge.token("reader", Rights::Read)));
    let work = reader.clones(&forge, "acme/shop");
    assert!(std::fs::read_to_string(work.join("list.txt")).unwrap().starts_with("line 1\n"));
    assert!(clone_fails(&Somebody::new(Some(&forge.token("x", Rights::None))), &forge).contains("not found"));
    clone_fails(&Somebody::new(None), &forge);
    forge.make_public("acme/shop");
    Somebody::new(None).clones(&forge, "acme/shop");
}

#[test]
fn a_token_may_also_stand_before_the_host() {
    let forge = shop();
    let token = forge.token("reader", Rights::Read);
    let url = forge.clone_url("acme/shop").replace("http://", &format!("http://x-access-token:{token}@"));
    let nobody = Somebody::new(None);
    nobody.git(nobody.folder.path(), &["clone", "--quiet", &url, "work"]);
}

#[test]
fn a_push_moves_the_pull_request_and_its_head_references() {
    let forge = shop();
    let writer = Somebody::new(Some(&forge.token("alice", Rights::Write)));
    let work = writer.clones(&forge, "acme/shop");
    writer.git(&work, &["checkout", "--quiet", "feature"]);
    std::fs::write(work.join("new.txt"), "new\n").unwrap();
    writer.git(&work, &["add", "."]);
    writer.git(&work, &["commit", "--quiet", "-m", "more"]);
    writer.git(&work, &["push", "--quiet", "origin", "feature"]);
    let head = writer.git(&work, &["rev-parse", "HEAD"]);
    let pull = forge.pull("acme/shop", 1);
    assert_eq!((pull.head_sha.as_str(), pull.versions.len()), (head.as_str(), 2));
    for reference in ["refs/pull/1/head", "refs/merge-requests/1/head"] {
        writer.git(&work, &["fetch", "--quiet", "origin", reference]);
        assert_eq!(writer.git(&work, &["rev-parse", "FETCH_HEAD"]), head);
    }
}

#[test]
fn who_may_only_read_cannot_push_and_nobody_pushes_head_references() {
    let forge = shop();
    let reader = Somebody::new(Some(&forge.token("reader", Rights::Read)));
    let work = reader.clones(&forge, "acme/shop");
    assert!(!reader.try_git(&work, &["push", "origin", "HEAD:refs/heads/mine"]).status.success());
    let writer = Somebody::new(Some(&forge.token("writer", Rights::Write)));
    let work = writer.clones(&forge, "acme/shop");
    writer.git(&work, &["push", "--quiet", "origin", "HEAD:refs/heads/mine"]);
    assert!(!writer.try_git(&work, &["push", "origin", "HEAD:refs/pull/1/head"]).status.success());
}

#[test]
fn a_pull_request_from_a_fork_is_fetched_from_the_parent() {
    let forge = shop();
    forge.fork("acme/shop", "mallory/shop");
    let mallory = Somebody::new(Some(&forge.token("mallory", Rights::Write)));
    let work = mallory.clones(&forge, "mallory/shop");
    mallory.git(&work, &["checkout", "--quiet", "-b", "evil"]);
    mallory.git(&work, &["commit", "--quiet", "--allow-empty", "-m", "evil"]);
    mallory.git(&work, &["push", "--quiet", "origin", "evil"]);
    let number = forge.open_pull("acme/shop", PullSeed::from("evil").fork("mallory/shop").by("mallory"));
    assert!(forge.pull("acme/shop", number).is_from_fork("acme/shop"));
    mallory.git(&work, &["commit", "--quiet", "--allow-empty", "-m", "more evil"]);
    mallory.git(&work, &["push", "--quiet", "origin", "evil"]);
    let reader = Somebody::new(Some(&forge.token("reader", Rights::Read)));
    let clone = reader.clones(&forge, "acme/shop");
    reader.git(&clone, &["fetch", "--quiet", "origin", &format!("refs/pull/{number}/head")]);
    assert_eq!(reader.git(&clone, &["rev-parse", "FETCH_HEAD"]), mallory.git(&work, &["rev-parse", "HEAD"]));
}

#[test]
fn a_push_straight_to_the_folder_is_noticed_too() {
    let forge = shop();
    let somebody = Somebody::new(None);
    let path = forge.git_path("acme/shop");
    somebody.git(somebody.folder.path(), &["clone", "--quiet", path.to_str().unwrap(), "work"]);
    let work = somebody.path("work");
    somebody.git(&work, &["checkout", "--quiet", "feature"]);
    somebody.git(&work, &["commit", "--quiet", "--allow-empty", "-m", "more"]);
    somebody.git(&work, &["push", "--quiet", "origin", "feature"]);
    assert_eq!(forge.pull("acme/shop", 1).head_sha, somebody.git(&work, &["rev-parse", "HEAD"]));
}

#[test]
fn a_repository_can_be_filled_from_a_real_one() {
    let origin = testkit::Repo::new();
    let commit = origin.write("a.txt", "a\n").commit("one");
    let forge = Forge::start();
    forge.repository_from("group/sub/project", &origin);
    assert_eq!(forge.branch("group/sub/project", "main"), Some(commit));
}
