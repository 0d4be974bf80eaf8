use std::path::Path;

use domain::ports::{Author, AuthorError, AuthorJob, AuthorReport};
use domain::text::{clean_block, short_line};

use super::{AgentTrouble, Finished, Launch, Role, Waiting};

/// A coding agent that writes code. It may change its worktree and nothing else; it cannot commit, since the
/// repository is out of its reach, and the engine does that for it.
#[derive(Debug, Clone)]
pub struct AgentAuthor {
    pub name: String,
    /// Its timeout is replaced by that of each job.
    pub launch: Launch,
}

impl Author for AgentAuthor {
    fn name(&self) -> &str {
        &self.name
    }

    fn work(&self, job: &AuthorJob<'_>) -> Result<AuthorReport, AuthorError> {
        let launch = Launch { timeout: job.timeout, ..self.launch.clone() };
        let waiting = Waiting { progress: job.progress, given_up: job.given_up };
        supervise(&self.name, job, || launch.run(Role::Author, job.prompt, None, job.worktree, waiting))
    }
}

/// Has an agent write code, and looks after the worktree's link to its repository meanwhile.
pub(super) fn supervise(
    author: &str,
    job: &AuthorJob<'_>,
    write: impl FnOnce() -> Result<Finished, AgentTrouble>,
) -> Result<AuthorReport, AuthorError> {
    let error = |kind: &str, reason: String| AuthorError {
        author: author.to_owned(),
        kind: kind.to_owned(),
        reason: short_line(&reason),
    };
    let link = GitLink::of(job.worktree).map_err(|reason| error("not_a_worktree", reason))?;
    let finished = write();
    link.check(job.worktree).map_err(|reason| error("tampered", reason))?;
    let finished = finished.map_err(|trouble| error(trouble.kind(), trouble.to_string()))?;
    Ok(AuthorReport {
        summary: clean_block(&finished.answer.text),
        usage: finished.answer.usage,
        denied_tools: finished.answer.denied_tools.iter().map(|tool| short_line(tool)).collect(),
        remarks: finished.remarks,
    })
}

/// The `.git` of a linked worktree: a file that says where the repository is.
///
/// An author can write it, as it can write all files there. One that points elsewhere would have our next git command
/// run hooks and settings of the author's making, outside of any confinement. So it is compared afterwards, and
/// put back.
struct GitLink {
    /// Absent where the worktree has none.
    content: Option<Vec<u8>>,
}

impl GitLink {
    fn of(worktree: &Path) -> Result<GitLink, String> {
        let file = worktree.join(".git");
        match std::fs::symlink_metadata(&file) {
            Ok(data) if data.is_file() => {
                let content = std::fs::read(&file).map_err(|error| error.to_string())?;
                Ok(GitLink { content: Some(content) })
            }
            Ok(_) => Err("the worktree holds a whole repository, which its author could write; \
                          a linked worktree is needed"
                .into()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(GitLink { content: None }),
            Err(error) => Err(error.to_string()),
        }
    }

    fn check(&self, worktree: &Path) -> Result<(), String> {
        let file = worktree.join(".git");
        let data = std::fs::symlink_metadata(&file);
        let same = match (&self.content, &data) {
            (Some(content), Ok(data)) => {
                data.is_file() && std::fs::read(&file).is_ok_and(|now| now == *content)
            }
            (None, Err(error)) => error.kind() == std::io::ErrorKind::NotFound,
            (Some(_), Err(_)) | (None, Ok(_)) => false,
        };
        if same {
            return Ok(());
        }
        let removed = match data {
            Ok(data) if data.is_dir() => std::fs::remove_dir_all(&file),
            Ok(_) => std::fs::remove_file(&file),
            Err(_) => Ok(()),
        };
        let restored = removed.and_then(|()| match &self.content {
            Some(content) => std::fs::write(&file, content),
            None => Ok(()),
        });
        Err(match restored {
            Ok(()) => "it changed the worktree's link to its repository, which was put back".into(),
            Err(error) => format!("it changed the worktree's link to its repository: {error}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_that_was_bent_is_put_back() {
        let tree = tempfile::tempdir().unwrap();
        let git = tree.path().join(".git");
        std::fs::write(&git, "gitdir: /repo/.git/worktrees/a\n").unwrap();
        let link = GitLink::of(tree.path()).unwrap();
        assert_eq!(link.check(tree.path()), Ok(()));
        std::fs::remove_file(&git).unwrap();
        std::fs::create_dir(&git).unwrap();
        assert!(link.check(tree.path()).is_err());
        assert_eq!(std::fs::read_to_string(&git).unwrap(), "gitdir: /repo/.git/worktrees/a\n");
        assert_eq!(link.check(tree.path()), Ok(()));
    }

    #[test]
    fn a_repository_is_not_handed_to_an_author() {
        let tree = tempfile::tempdir().unwrap();
        std::fs::create_dir(tree.path().join(".git")).unwrap();
        assert!(GitLink::of(tree.path()).is_err());
    }

    #[test]
    fn a_repository_that_an_author_made_is_removed() {
        let tree = tempfile::tempdir().unwrap();
        let link = GitLink::of(tree.path()).unwrap();
        std::fs::create_dir(tree.path().join(".git")).unwrap();
        assert!(link.check(tree.path()).is_err());
        assert!(!tree.path().join(".git").exists());
    }
}
