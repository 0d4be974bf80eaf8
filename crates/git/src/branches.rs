use domain::assignments::{BranchName, BranchTrouble, Examined};
use domain::change::Oid;
use domain::ports::Branches;

use crate::error::GitError;
use crate::guess::guess;
use crate::program::Call;
use crate::repository::Repository;
use crate::text;

/// What a branch is compared with.
struct Base {
    oid: Oid,
    name: String,
}

impl Branches for Repository {
    fn examine(&self, branch: &BranchName, base: Option<&str>) -> Result<Examined, BranchTrouble> {
        let Some((full, head)) = self.branch(branch).map_err(trouble)? else {
            let near = self.names_near(branch.as_str()).map_err(trouble)?;
            return Err(BranchTrouble::Missing { branch: branch.clone(), near });
        };
        let base = match base {
            Some(name) => self.named_base(name)?,
            None => self.guessed_base(branch, &full)?,
        };
        let ancestor = self.common_ancestor((&base.oid, &base.name), (&head, branch.as_str()));
        let base_commit = ancestor.map_err(trouble)?;
        let commits = self.count_between(&base_commit, &head).map_err(trouble)?;
        if commits == 0 {
            return Err(BranchTrouble::NoWork { branch: branch.clone(), base: base.name });
        }
        if self.tree_of(&base_commit).map_err(trouble)? == self.tree_of(&head).map_err(trouble)? {
            return Err(BranchTrouble::NoDifference { branch: branch.clone(), base: base.name });
        }
        Ok(Examined { head, base: base.name, base_commit, commits })
    }

    fn tip(&self, branch: &BranchName) -> Result<Option<Oid>, BranchTrouble> {
        Ok(self.branch(branch).map_err(trouble)?.map(|(_, tip)| tip))
    }
}

impl Repository {
    /// The branch of that name, in full, and where it ends. What was fetched counts where it was never checked
    /// out: coder and reviewer need not share a clone.
    fn branch(&self, branch: &BranchName) -> Result<Option<(String, Oid)>, GitError> {
        for folder in ["refs/heads/", "refs/remotes/origin/"] {
            let full = format!("{folder}{branch}");
            if let Some(tip) = self.fresh(&format!("{full}^{{commit}}"))? {
                return Ok(Some((full, tip)));
            }
        }
        Ok(None)
    }

    fn named_base(&self, name: &str) -> Result<Base, BranchTrouble> {
        match self.named_commit(name) {
            Ok(commit) => Ok(Base { oid: commit.oid, name: text::clean_line(name) }),
            Err(GitError::UnknownRevision { .. } | GitError::BadRevision { .. }) => {
                Err(BranchTrouble::NoBase { base: text::clean_line(name) })
            }
            Err(error) => Err(trouble(error)),
        }
    }

    fn guessed_base(&self, branch: &BranchName, full: &str) -> Result<Base, BranchTrouble> {
        let refs = self.refs().map_err(trouble)?;
        match guess(&refs, Some(full)) {
            Some(guess) => Ok(Base { oid: guess.base.oid.clone(), name: guess.name.to_owned() }),
            None => Err(BranchTrouble::BaseUnknown { branch: branch.clone() }),
        }
    }

    fn count_between(&self, base: &Oid, head: &Oid) -> Result<u32, GitError> {
        let call = Call::new(["rev-list", "--count", head.as_str(), "--not", base.as_str()]);
        let printed = String::from_utf8_lossy(&self.program.output(&call)?).trim().to_owned();
        printed.parse().map_err(|_| GitError::Unexpected {
            command: "rev-list".into(),
            detail: text::shortened(&printed, 100),
        })
    }

    fn tree_of(&self, commit: &Oid) -> Result<Option<Oid>, GitError> {
        self.fresh(&format!("{commit}^{{tree}}"))
    }

    /// Asked of a process that has just begun: branches move while others run.
    fn fresh(&self, revision: &str) -> Result<Option<Oid>, GitError> {
        let ran = self.program.run(&Call::new(["rev-parse", "--verify", "--quiet", revision]))?;
        match ran.code {
            Some(0) => Ok(Oid::parse(String::from_utf8_lossy(&ran.stdout).trim())),
            Some(1) => Ok(None),
            _ => Err(ran.into_error(&self.program.dir)),
        }
    }
}

fn trouble(error: GitError) -> BranchTrouble {
    BranchTrouble::Unreadable(error.to_string())
}
