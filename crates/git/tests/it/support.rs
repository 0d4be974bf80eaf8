use std::ffi::OsString;
use std::fmt::Write;
use std::path::Path;

use domain::change::{Change, FileChange, LineKind, RepoPath, Scope, Status};
use git::{Ask, Environment, GitError, Repository, What};
use testkit::Repo;

pub(crate) fn environment(repo: &Repo) -> Environment {
    Environment::from_vars(repo.vars(), &repo.outside("home"))
}

pub(crate) fn open(repo: &Repo) -> Repository {
    open_at(repo, repo.path()).unwrap()
}

pub(crate) fn open_at(repo: &Repo, path: &Path) -> Result<Repository, GitError> {
    Repository::discover_in(path, &environment(repo))
}

pub(crate) fn commits() -> Ask {
    Ask { what: What::Commits, base: None, head: None }
}

pub(crate) fn staged() -> Ask {
    Ask { what: What::Staged, ..commits() }
}

pub(crate) fn worktree() -> Ask {
    Ask { what: What::Worktree, ..commits() }
}

pub(crate) fn between(base: &str, head: &str) -> Ask {
    Ask { what: What::Commits, base: Some(base.into()), head: Some(head.into()) }
}

pub(crate) fn scope(repo: &Repo, ask: &Ask) -> Result<Scope, GitError> {
    let mut scope = open(repo).resolve(ask)?;
    // An old git adds a note of its own to every scope.
    scope.notes.retain(|note| !note.starts_with("this git is older"));
    Ok(scope)
}

pub(crate) fn change(repo: &Repo, ask: &Ask) -> Change {
    open(repo).change(&scope(repo, ask).unwrap()).unwrap()
}

pub(crate) fn file<'a>(change: &'a Change, path: &str) -> &'a FileChange {
    change.files.iter().find(|f| *f.path() == RepoPath::from(path)).unwrap_or_else(|| {
        panic!("no {path} among {:?}", summary(change));
    })
}

/// `M path` for each file, in order.
pub(crate) fn summary(change: &Change) -> Vec<String> {
    let letter = |status| match status {
        Status::Added => "A".to_owned(),
        Status::Deleted => "D".to_owned(),
        Status::Modified => "M".to_owned(),
        Status::Renamed(n) => format!("R{n}"),
        Status::Copied(n) => format!("C{n}"),
        Status::TypeChanged => "T".to_owned(),
        Status::Unmerged => "U".to_owned(),
    };
    change.files.iter().map(|f| format!("{} {}", letter(f.status), f.path())).collect()
}

/// The hunks of a file in git's own form.
pub(crate) fn rendered(file: &FileChange) -> String {
    let mut text = String::new();
    for hunk in file.hunks() {
        let span = |s: domain::change::Span| match s.len {
            1 => s.start.to_string(),
            len => format!("{},{len}", s.start),
        };
        let heading = if hunk.heading.is_empty() { String::new() } else { format!(" {}", hunk.heading) };
        writeln!(text, "@@ -{} +{} @@{heading}", span(hunk.old), span(hunk.new)).unwrap();
        for line in hunk.lines() {
            let mark = match line.kind {
                LineKind::Context => ' ',
                LineKind::Added => '+',
                LineKind::Removed => '-',
            };
            writeln!(text, "{mark}{}", String::from_utf8_lossy(line.text)).unwrap();
            if !line.newline {
                text.push_str("\\ No newline at end of file\n");
            }
        }
    }
    text
}

pub(crate) fn has_note(scope: &Scope, words: &str) -> bool {
    scope.notes.iter().any(|note| note.contains(words))
}

/// A folder with a `git` that runs `before` and then becomes the real one; first in the PATH it returns.
pub(crate) fn git_wrapper(repo: &Repo, before: &str) -> Vec<(OsString, OsString)> {
    use std::os::unix::fs::PermissionsExt;
    let folder = repo.outside("bin");
    std::fs::create_dir_all(&folder).unwrap();
    let path = std::env::var_os("PATH").unwrap();
    let real = std::env::split_paths(&path).map(|d| d.join("git")).find(|p| p.is_file()).unwrap();
    let script = format!("#!/bin/sh\n{before}\nexec {} \"$@\"\n", real.display());
    std::fs::write(folder.join("git"), script).unwrap();
    std::fs::set_permissions(folder.join("git"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut search = folder.into_os_string();
    search.push(":");
    search.push(&path);
    let mut vars = repo.vars();
    vars.retain(|(key, _)| key != "PATH");
    vars.push(("PATH".into(), search));
    vars
}
