use std::sync::Arc;

use domain::assignments::{
    Assignment, AssignmentId, BaseChoice, BranchName, BranchTrouble, Caller, Refusal, Step, Submission,
    check_base, holds_to, may_work_on,
};
use domain::ports::{AssignmentError, AssignmentStore, Branches};
use domain::tasks::{AuditKind, Invalid};

use super::Desk;

impl<S: AssignmentStore> Desk<S> {
    /// Hands in a branch: it has to exist and to hold something that its base does not. What it holds now is
    /// pinned, so that the verdict is about that and nothing else. Without a name, it is the branch that the
    /// assignment was made with or handed in on before; another than that is refused, as another base is.
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
        holds_to(&assignment, named.as_ref(), base)?;
        let branch = named.or_else(|| assignment.branch.clone()).ok_or_else(no_branch)?;
        let base = self.base_for(&assignment, base).await?;
        let examined = examined(Arc::clone(&self.branches), branch, base).await;
        let submission = examined.map_err(|trouble| match trouble {
            BranchTrouble::Missing { branch, .. } if assignment.submissions > 0 => {
                BranchTrouble::Gone { branch }
            }
            trouble => trouble,
        });
        let submission = submission.map_err(Refusal::from)?;
        Ok(self.store.take_step(id, &Step::Submit(submission), by).await?.assignment)
    }

    /// A base that the assignment was made with is taken as it is. Any other was the coder's choice once, and what
    /// its name stands for may have moved since.
    async fn base_for(
        &self,
        assignment: &Assignment,
        named: Option<&str>,
    ) -> Result<BaseChoice, AssignmentError> {
        let Some(base) = assignment.base.clone().or_else(|| named.map(str::to_owned)) else {
            return Ok(BaseChoice::Usual);
        };
        let is_given = assignment.base.is_some()
            && (assignment.submissions == 0 || self.was_made_with(assignment, &base).await?);
        Ok(if is_given { BaseChoice::Given(base) } else { BaseChoice::Claimed(base) })
    }

    async fn was_made_with(&self, assignment: &Assignment, base: &str) -> Result<bool, AssignmentError> {
        let events = self.store.assignment_events(assignment.id).await?;
        let made = events.iter().find(|event| event.kind == AuditKind::AssignmentAdded);
        Ok(made.is_some_and(|event| event.detail.get("base").and_then(|it| it.as_str()) == Some(base)))
    }
}

fn no_branch() -> Refusal {
    Refusal::Invalid(Invalid::new("branch_name", "is missing; name the branch that holds the work"))
}

/// On a thread of its own: git takes its time, and others are waiting.
async fn examined(
    branches: Arc<dyn Branches>,
    branch: BranchName,
    base: BaseChoice,
) -> Result<Submission, BranchTrouble> {
    let found = tokio::task::spawn_blocking(move || {
        let examined = branches.examine(&branch, &base)?;
        Ok(Submission { branch, base: examined.base, base_commit: examined.base_commit, head: examined.head })
    });
    found.await.unwrap_or_else(|error| Err(BranchTrouble::Unreadable(error.to_string())))
}
