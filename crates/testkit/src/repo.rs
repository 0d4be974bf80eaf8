use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

use tempfile::TempDir;

use crate::Snapshot;

/// A real repository in a temporary folder, out of reach of the developer's own configuration. Names and
/// dates are fixed, so that the same steps give the same commit ids everywhere.
#[derive(Debug)]
pub struct Repo {
    folder: TempDir,
    root: PathBuf,
    commits: AtomicU32,
}

impl Repo {
    /// Empty, on branch `main`.
    pub fn new() -> Repo {
        Repo::with_init(&[])
    }

    /// `git init` with further options, such as `--bare` or `--object-format=sha256`.
    pub fn with_init(options: &[&str]) -> Repo {
        let repo = Repo::unborn();
        fs::create_dir(&repo.root).unwrap();
        repo.git(&[&["init", "--quiet"], options].concat());
        repo
    }

    /// `git clone` of this one with further options. File URLs make it go through the real protocol.
    pub fn cloned(&self, options: &[&str]) -> Repo {
        let repo = Repo::unborn();
        let url = format!("file://{}", self.root.display());
        let target = repo.root.to_str().unwrap();
        repo.git_in(repo.folder.path(), &[&["clone", "--quiet"], options, &[&url, target]].concat());
        repo
    }

    fn unborn() -> Repo {
        let folder = tempfile::Builder::new().prefix("testkit-").tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("repo");
        fs::create_dir(folder.path().join("home")).unwrap();
        Repo { folder, root, commits: AtomicU32::new(0) }
    }

    pub fn path(&self) -> &Path {
        &self.root
    }

    /// Beside the repository, for what must not lie inside it. Gone with it.
    pub fn outside(&self, name: &str) -> PathBuf {
        self.root.parent().unwrap().join(name)
    }

    /// What a git process needs, and nothing of the developer's.
    pub fn vars(&self) -> Vec<(OsString, OsString)> {
        let path = std::env::var_os("PATH").unwrap();
        let fixed = [("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")];
        let mut vars: Vec<(OsString, OsString)> = fixed.map(|(k, v)| (k.into(), v.into())).to_vec();
        vars.push(("PATH".into(), path));
        vars.push(("HOME".into(), self.outside("home").into()));
        vars
    }

    /// Runs git in the repository and gives what it printed, without the last line feed.
    pub fn git<A: AsRef<OsStr>>(&self, args: &[A]) -> String {
        self.git_in(&self.root, args)
    }

    pub fn git_in<A: AsRef<OsStr>>(&self, dir: &Path, args: &[A]) -> String {
        let printed = self.git_bytes(dir, args);
        String::from_utf8_lossy(&printed).trim_end_matches('\n').to_owned()
    }

    /// Exactly what git printed.
    pub fn git_bytes<A: AsRef<OsStr>>(&self, dir: &Path, args: &[A]) -> Vec<u8> {
        let output = self.try_git(dir, args);
        assert!(
            output.status.success(),
            "git {:?} failed: {}",
            args.iter().map(AsRef::as_ref).collect::<Vec<_>>(),
            String::from_utf8_lossy(&output.stderr)
        );
        output.stdout
    }

    /// Runs git, success or not.
    pub fn try_git<A: AsRef<OsStr>>(&self, dir: &Path, args: &[A]) -> Output {
        let date = format!("{} +0000", 1_700_000_000 + 60 * self.commits.load(Ordering::Relaxed));
        let mut command = Command::new("git");
        command.current_dir(dir).env_clear().envs(self.vars());
        command.env("LC_ALL", "C").env("GIT_ALLOW_PROTOCOL", "file").env("GIT_TERMINAL_PROMPT", "0");
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_NAME"), "Test Author");
            command.env(format!("GIT_{who}_EMAIL"), "author@example.com");
            command.env(format!("GIT_{who}_DATE"), &date);
        }
        command.args(["-c", "init.defaultBranch=main", "-c", "core.hooksPath=/dev/null"]);
        command.args(["-c", "core.autocrlf=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false"]);
        command.args(args).output().expect("git is installed")
    }

    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) -> &Repo {
        self.put(&self.root.join(path), content.as_ref())
    }

    /// For names that are not UTF-8.
    #[cfg(unix)]
    pub fn write_bytes_path(&self, path: &[u8], content: impl AsRef<[u8]>) -> &Repo {
        use std::os::unix::ffi::OsStrExt;
        self.put(&self.root.join(OsStr::from_bytes(path)), content.as_ref())
    }

    fn put(&self, full: &Path, content: &[u8]) -> &Repo {
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        fs::write(full, content).unwrap();
        self
    }

    #[cfg(unix)]
    pub fn symlink(&self, path: &str, target: &str) -> &Repo {
        std::os::unix::fs::symlink(target, self.root.join(path)).unwrap();
        self
    }

    #[cfg(unix)]
    pub fn chmod(&self, path: &str, mode: u32) -> &Repo {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(self.root.join(path), fs::Permissions::from_mode(mode)).unwrap();
        self
    }

    pub fn remove(&self, path: &str) -> &Repo {
        let full = self.root.join(path);
        if full.is_dir() && !full.is_symlink() { fs::remove_dir_all(full) } else { fs::remove_file(full) }
            .unwrap();
        self
    }

    pub fn rename(&self, from: &str, to: &str) -> &Repo {
        let target = self.root.join(to);
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::rename(self.root.join(from), target).unwrap();
        self
    }

    /// Stages everything.
    pub fn stage(&self) -> &Repo {
        self.git(&["add", "--all"]);
        self
    }

    /// Commits everything there is, even if nothing changed, a minute after the commit before.
    pub fn commit(&self, message: &str) -> String {
        self.stage();
        self.commit_staged(message)
    }

    pub fn commit_staged(&self, message: &str) -> String {
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.git(&["commit", "--quiet", "--allow-empty", "--no-gpg-sign", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// A new branch here, checked out.
    pub fn branch(&self, name: &str) -> &Repo {
        self.git(&["checkout", "--quiet", "-b", name]);
        self
    }

    pub fn checkout(&self, name: &str) -> &Repo {
        self.git(&["checkout", "--quiet", name]);
        self
    }

    pub fn config(&self, key: &str, value: &str) -> &Repo {
        self.git(&["config", "--add", key, value]);
        self
    }

    /// Everything in the repository's folder as it is now, `.git` included.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::of(&self.root)
    }
}

impl Default for Repo {
    fn default() -> Repo {
        Repo::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_steps_give_the_same_commit() {
        let commit = || Repo::new().write("a", "1").commit("one");
        assert_eq!(commit(), commit());
    }

    #[test]
    fn a_snapshot_notices_a_touched_file() {
        let repo = Repo::new();
        repo.write("a", "1").commit("one");
        let before = repo.snapshot();
        assert_eq!(before, repo.snapshot());
        let file = fs::File::options().append(true).open(repo.path().join("a")).unwrap();
        file.set_modified(std::time::UNIX_EPOCH).unwrap();
        assert_ne!(before, repo.snapshot());
        assert_eq!(before.differences(&repo.snapshot()).len(), 1);
    }

    #[test]
    fn a_snapshot_notices_a_lock_that_came_and_went() {
        let repo = Repo::new();
        let before = repo.snapshot();
        repo.write(".git/index.lock", "").remove(".git/index.lock");
        assert_ne!(before, repo.snapshot());
    }
}
