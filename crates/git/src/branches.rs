use domain::assignments::{BaseChoice, BranchName, BranchTrouble, Examined};
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
    fn examine(&self, branch: &BranchName, base: &BaseChoice) -> Result<Examined, BranchTrouble> {
        let Some((full, head)) = self.branch(branch).map_err(trouble)? else {
            return Err(self.missing(branch)?);
        };
        let base = match base {
            BaseChoice::Given(name) => self.named_base(name)?,
            BaseChoice::Claimed(name) => {
                let base = self.named_base(name)?;
                self.check_shows_all(branch, &full, &head, &base)?;
                base
            }
            BaseChoice::Usual => self.guessed_base(branch, &full)?,
        };
        let base_commit = self.parting(branch, &head, &base)?;
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

    fn missing(&self, branch: &BranchName) -> Result<BranchTrouble, BranchTrouble> {
        if self.fresh(&format!("refs/tags/{branch}")).map_err(trouble)?.is_some() {
            return Ok(BranchTrouble::IsTag { branch: branch.clone() });
        }
        let near = self.names_near(branch.as_str()).map_err(trouble)?;
        Ok(BranchTrouble::Missing { branch: branch.clone(), near })
    }

    /// Where a branch left its base.
    fn parting(&self, branch: &BranchName, head: &Oid, base: &Base) -> Result<Oid, BranchTrouble> {
        self.common_ancestor((&base.oid, &base.name), (head, branch.as_str())).map_err(|error| match error {
            GitError::NoMergeBase { .. } => {
                BranchTrouble::Unrelated { branch: branch.clone(), base: base.name.clone() }
            }
            error => trouble(error),
        })
    }

    /// Whether everything that the usual base would show of a branch is shown with this one, too. A repository
    /// that has no usual base cannot tell.
    fn check_shows_all(
        &self,
        branch: &BranchName,
        full: &str,
        head: &Oid,
        base: &Base,
    ) -> Result<(), BranchTrouble> {
        let usual = match self.guessed_base(branch, full) {
            Ok(usual) => usual,
            Err(BranchTrouble::BaseUnknown { .. }) => return Ok(()),
            Err(error) => return Err(error),
        };
        let (begins, usually) = (self.parting(branch, head, base)?, self.parting(branch, head, &usual)?);
        if self.is_ancestor(&begins, &usually).map_err(trouble)? {
            return Ok(());
        }
        let (base, usual) = (base.name.clone(), usual.name);
        Err(BranchTrouble::HidesCommits { branch: branch.clone(), base, usual })
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
