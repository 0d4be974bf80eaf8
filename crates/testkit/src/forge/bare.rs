use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::diff::{self, FileDiff};

/// One change to a file, for commits made on the server's side.
#[derive(Debug, Clone, Copy)]
pub enum Edit<'a> {
    Write(&'a str, &'a [u8]),
    Delete(&'a str),
    Rename(&'a str, &'a str),
}

/// A bare repository on disk, reached with the git program.
#[derive(Debug, Clone)]
pub(super) struct Bare {
    path: PathBuf,
}

#[derive(Debug, Clone)]
pub(super) struct Commit {
    pub(super) sha: String,
    pub(super) tree: String,
    pub(super) parents: Vec<String>,
    pub(super) author: String,
    pub(super) email: String,
    pub(super) at: u64,
    pub(super) message: String,
}

impl Bare {
    pub(super) fn create(path: PathBuf) -> Bare {
        fs::create_dir_all(&path).expect("a folder for the repository");
        let bare = Bare { path };
        bare.git(&["init", "--quiet", "--bare", "--initial-branch=main"]);
        bare.git(&["config", "http.receivepack", "true"]);
        bare.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
        for hidden in ["refs/pull", "refs/merge-requests"] {
            // Nobody pushes these: the forge keeps them.
            bare.git(&["config", "--add", "receive.hideRefs", hidden]);
        }
        bare
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn command(&self) -> Command {
        let mut command = Command::new("git");
        command.current_dir(&self.path).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", &self.path).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("LC_ALL", "C").args(["-c", "core.quotePath=false", "-c", "gc.auto=0"]);
        command
    }

    fn try_git(&self, args: &[&str]) -> Output {
        self.command().args(args).output().expect("git is installed")
    }

    pub(super) fn git(&self, args: &[&str]) -> Vec<u8> {
        let output = self.try_git(args);
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    fn line(&self, args: &[&str]) -> Option<String> {
        let output = self.try_git(args);
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
    }

    pub(super) fn branch(&self, name: &str) -> Option<String> {
        self.reference(&format!("refs/heads/{name}"))
    }

    pub(super) fn reference(&self, name: &str) -> Option<String> {
        self.line(&["rev-parse", "--verify", "--quiet", "--end-of-options", name])
    }

    /// The commit a branch, tag or (whole) id stands for.
    pub(super) fn commit_id(&self, name: &str) -> Option<String> {
        let tries = [format!("refs/heads/{name}"), format!("refs/tags/{name}"), name.to_owned()];
        tries.iter().find_map(|name| self.reference(&format!("{name}^{{commit}}")))
    }

    pub(super) fn references(&self) -> Vec<(String, String)> {
        let listed = self.git(&["for-each-ref", "--format=%(objectname) %(refname)"]);
        let text = String::from_utf8_lossy(&listed).into_owned();
        text.lines()
            .filter_map(|line| line.split_once(' '))
            .map(|(sha, name)| (name.to_owned(), sha.to_owned()))
            .collect()
    }

    pub(super) fn merge_base(&self, one: &str, other: &str) -> Option<String> {
        self.line(&["merge-base", one, other])
    }

    pub(super) fn is_ancestor(&self, commit: &str, of: &str) -> bool {
        self.try_git(&["merge-base", "--is-ancestor", commit, of]).status.success()
    }

    /// The commits of a change, the oldest first.
    pub(super) fn commits(&self, base: &str, head: &str) -> Vec<Commit> {
        let range = format!("{base}..{head}");
        let Some(list) = self.line(&["rev-list", "--reverse", &range]) else { return Vec::new() };
        list.lines().filter_map(|sha| self.commit(sha)).collect()
    }

    pub(super) fn commit(&self, sha: &str) -> Option<Commit> {
        let text = self.line(&["show", "--no-patch", "--format=%H%n%T%n%P%n%an%n%ae%n%ct%n%B", sha])?;
        let mut parts = text.splitn(7, '\n');
        let mut next = || parts.next().unwrap_or_default().to_owned();
        Some(Commit {
            sha: next(),
            tree: next(),
            parents: next().split_whitespace().map(str::to_owned).collect(),
            author: next(),
            email: next(),
            at: next().parse().unwrap_or_default(),
            message: next().trim_end().to_owned(),
        })
    }

    pub(super) fn blob(&self, commit: &str, path: &str) -> Option<Vec<u8>> {
        let output = self.try_git(&["cat-file", "blob", &format!("{commit}:{path}")]);
        output.status.success().then_some(output.stdout)
    }

    /// Names and kinds in a folder.
    pub(super) fn tree(&self, commit: &str, path: &str) -> Option<Vec<(String, String, String)>> {
        let spec = if path.is_empty() { format!("{commit}^{{tree}}") } else { format!("{commit}:{path}") };
        let output = self.try_git(&["ls-tree", "-z", &spec]);
        if !output.status.success() {
            return None;
        }
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let entry = |entry: &str| {
            let (meta, name) = entry.split_once('\t')?;
            let mut meta = meta.split(' ').skip(1);
            Some((name.to_owned(), meta.next()?.to_owned(), meta.next()?.to_owned()))
        };
        Some(text.split('\0').filter_map(entry).collect())
    }

    pub(super) fn diff(&self, base: &str, head: &str) -> Vec<FileDiff> {
        let raw = self.git(&["diff", "--raw", "-z", "-M", "--no-abbrev", base, head]);
        let patch = self.patch(base, head);
        diff::parse(&raw, &String::from_utf8_lossy(&patch))
    }

    /// The whole diff as text, with git's usual three lines of context.
    pub(super) fn patch(&self, base: &str, head: &str) -> Vec<u8> {
        let fixed = [
            "diff",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "-M",
            "--src-prefix=a/",
            "--dst-prefix=b/",
        ];
        self.git(&[&fixed[..], &[base, head]].concat())
    }

    /// Where a line is after further commits, or None if they changed it.
    pub(super) fn follow(&self, from: &str, to: &str, path: &str, line: u32) -> Option<u32> {
        self.blob(to, path)?;
        let output = self.try_git(&["diff", "--no-color", "--no-ext-diff", "-U0", from, to, "--", path]);
        diff::follow(&String::from_utf8_lossy(&output.stdout), line)
    }

    /// Takes a commit over from another repository and points references at it.
    pub(super) fn take(&self, source: &Bare, commit: &str, references: &[String]) {
        if source.path != self.path {
            let from = source.path.to_str().expect("a path in UTF-8");
            self.git(&["fetch", "--quiet", "--no-tags", from, commit]);
        }
        for reference in references {
            self.git(&["update-ref", reference, commit]);
        }
    }

    /// Merges a commit into a branch, unless they conflict.
    pub(super) fn merge(&self, branch: &str, commit: &str, at: u64) -> Option<String> {
        let into = self.branch(branch)?;
        let tree = self.line(&["merge-tree", "--write-tree", &into, commit])?;
        let (who, date) = (["Test Author", "author@example.com"], format!("{at} +0000"));
        let mut command = self.command();
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), who[0]).env(format!("GIT_{role}_EMAIL"), who[1]);
            command.env(format!("GIT_{role}_DATE"), &date);
        }
        let output =
            command.args(["commit-tree", &tree, "-p", &into, "-p", commit, "-m", "Merge"]).output().ok()?;
        let merged = String::from_utf8_lossy(&output.stdout).trim_end().to_owned();
        self.git(&["update-ref", &format!("refs/heads/{branch}"), &merged]);
        Some(merged)
    }

    pub(super) fn delete_reference(&self, reference: &str) {
        self.git(&["update-ref", "-d", reference]);
    }

    /// Commits on a branch, which is made from `from` if it is not there.
    pub(super) fn commit_edits(
        &self,
        branch: &str,
        from: &str,
        at: u64,
        message: &str,
        edits: &[Edit<'_>],
    ) -> String {
        let mut script = format!(
            "commit refs/heads/{branch}\ncommitter Test Author <author@example.com> {at} +0000\ndata {}\n{message}\n",
            message.len()
        )
        .into_bytes();
        if let Some(parent) = self.branch(branch).or_else(|| self.branch(from)) {
            script.extend(format!("from {parent}\n").into_bytes());
        }
        for edit in edits {
            script.extend(edit_script(*edit));
        }
        self.import(&script);
        self.branch(branch).expect("the branch just committed to")
    }

    fn import(&self, script: &[u8]) {
        let mut command = self.command();
        command.args(["fast-import", "--quiet", "--force"]);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("git is installed");
        child.stdin.take().expect("a pipe").write_all(script).expect("git reads");
        let output = child.wait_with_output().expect("git ends");
        assert!(output.status.success(), "git fast-import: {}", String::from_utf8_lossy(&output.stderr));
    }
}

fn edit_script(edit: Edit<'_>) -> Vec<u8> {
    match edit {
        Edit::Write(path, content) => {
            let head = format!("M 100644 inline {}\ndata {}\n", quoted(path), content.len());
            [head.as_bytes(), content, b"\n"].concat()
        }
        Edit::Delete(path) => format!("D {}\n", quoted(path)).into_bytes(),
        Edit::Rename(from, to) => format!("R {} {}\n", quoted(from), quoted(to)).into_bytes(),
    }
}

fn quoted(path: &str) -> String {
    format!("\"{}\"", path.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
