use std::sync::Arc;

use domain::assignments::{
    Assignment, AssignmentId, BranchName, BranchTrouble, Caller, Refusal, Step, Submission, check_base,
    may_work_on,
};
use domain::ports::{AssignmentError, AssignmentStore, Branches};
use domain::tasks::Invalid;

use super::Desk;

impl<S: AssignmentStore> Desk<S> {
    /// Hands in a branch: it has to exist and to hold something that its base does not. What it holds now is
    /// pinned, so that the verdict is about that and nothing else. Without a name, it is the branch that the
    /// assignment was made with or handed in on before.
    pub async fn submit_for_review(
        &self,
        by: &Caller,
        id: AssignmentId,
        branch: Option<&str>,
        base: Option<&str>,
    ) -> Result<Assignment, AssignmentError> {
        let named = branch.map(BranchName::parse).transpose().map_err(Refusal::from)?;
        base.map(check_base).transpose().map_err(Refusal::from)?;
        let assignment = self.existing(id).await?;
        // Others are not told what branches there are.
        may_work_on(&assignment, by)?;
        let branch = named.or_else(|| assignment.branch.clone()).ok_or_else(no_branch)?;
        let base = base.map(str::to_owned).or_else(|| assignment.base.clone());
        let submission = examined(Arc::clone(&self.branches), branch, base).await?;
        Ok(self.store.take_step(id, &Step::Submit(submission), by).await?.assignment)
    }
}

fn no_branch() -> Refusal {
    Refusal::Invalid(Invalid::new("branch_name", "is missing; name the branch that holds the work"))
}

/// On a thread of its own: git takes its time, and others are waiting.
async fn examined(
    branches: Arc<dyn Branches>,
    branch: BranchName,
    base: Option<String>,
) -> Result<Submission, Refusal> {
    let found = tokio::task::spawn_blocking(move || {
        let examined = branches.examine(&branch, base.as_deref())?;
        Ok(Submission { branch, base: examined.base, base_commit: examined.base_commit, head: examined.head })
    });
    found
        .await
        .unwrap_or_else(|error| Err(BranchTrouble::Unreadable(error.to_string())))
        .map_err(Refusal::from)
}
