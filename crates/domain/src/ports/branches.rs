use crate::assignments::{BaseChoice, BranchName, BranchTrouble, Examined};
use crate::change::Oid;

/// Looks at the branches of the repository that assignments are about. Blocking; nothing is changed.
pub trait Branches: Send + Sync {
    /// What a branch holds that its base does not.
    fn examine(&self, branch: &BranchName, base: &BaseChoice) -> Result<Examined, BranchTrouble>;

    /// Where a branch ends now; nothing if it is gone.
    fn tip(&self, branch: &BranchName) -> Result<Option<Oid>, BranchTrouble>;
}
