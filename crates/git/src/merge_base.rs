use domain::change::Oid;

use crate::error::GitError;
use crate::program::Call;
use crate::repository::Repository;

/// As many commits as can be read in the time it takes to start a process.
const STEPS: usize = 32;

impl Repository {
    /// Where two commits parted; the first such place if there are several, as `git diff a...b` does.
    /// `None` if their histories never met.
    pub(crate) fn merge_base(&self, one: &Oid, other: &Oid) -> Result<Option<Oid>, GitError> {
        if self.is_recent_ancestor(one, other)? {
            return Ok(Some(one.clone()));
        }
        let ran = self.program.run(&Call::new(["merge-base", one.as_str(), other.as_str()]))?;
        match ran.code {
            Some(0) => {
                let printed = String::from_utf8_lossy(&ran.stdout).into_owned();
                let first = printed.lines().next().unwrap_or_default();
                Oid::parse(first).map(Some).ok_or_else(|| GitError::Unexpected {
                    command: "merge-base".into(),
                    detail: crate::text::shortened(&printed, 100),
                })
            }
            Some(1) => Ok(None),
            _ => Err(ran.into_error(&self.program.dir)),
        }
    }

    /// Whether `one` is `other` or a few steps before it: the usual case, found without another process.
    fn is_recent_ancestor(&self, one: &Oid, other: &Oid) -> Result<bool, GitError> {
        let mut at = other.clone();
        for _ in 0..STEPS {
            if at == *one {
                return Ok(true);
            }
            match self.commit(at.as_str())?.and_then(|commit| commit.first_parent) {
                Some(parent) => at = parent,
                None => return Ok(false),
            }
        }
        Ok(false)
    }

    /// [`Repository::merge_base`], where having none is an error that names both sides.
    pub(crate) fn common_ancestor(&self, base: (&Oid, &str), head: (&Oid, &str)) -> Result<Oid, GitError> {
        match self.merge_base(base.0, head.0)? {
            Some(found) => Ok(found),
            None if self.is_shallow() => Err(GitError::Shallow {
                missing: format!("the common ancestor of {} and {}", base.1, head.1),
            }),
            None => Err(GitError::NoMergeBase { base: base.1.to_owned(), head: head.1.to_owned() }),
        }
    }
}
