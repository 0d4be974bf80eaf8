//! What coders, reviewers and people do with assignments.
//!
//! A [`Desk`] is where they are handed out and in. It knows the store, the repository and the project's rules;
//! every method names its [`Caller`], and who may do what is decided by [`domain::assignments`].

mod hand_in;
mod judge;
mod look;
mod roster;

use std::sync::Arc;

use domain::assignments::{
    AfterAccept, Assignment, AssignmentDraft, AssignmentId, Caller, NewAssignment, Refusal, Step,
};
use domain::config::Config;
use domain::cycle::{AssignmentStatus, Limits};
use domain::ports::{ActivityLog, AssignmentError, AssignmentStore, Branches};

pub use judge::{Judged, Judgement};
pub use look::{Feedback, Mine};
pub use roster::Roster;

/// Where assignments are handed out and in. Cheap to clone where the store is.
#[derive(Clone)]
pub struct Desk<S> {
    pub store: S,
    pub branches: Arc<dyn Branches>,
    pub log: Arc<dyn ActivityLog>,
    pub rules: DeskRules,
}

/// What a project says about its assignments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeskRules {
    pub limits: Limits,
    /// Reviewers that are known from the configuration.
    pub reviewers: Vec<String>,
    pub roster: Roster,
}

impl DeskRules {
    pub fn of(config: &Config) -> DeskRules {
        DeskRules { limits: config.limits.clone(), reviewers: config.reviewers(), roster: Roster::of(config) }
    }
}

impl<S: AssignmentStore> Desk<S> {
    /// Agents delegate and people do: anybody may create one, for anybody.
    pub async fn create(&self, by: &Caller, draft: AssignmentDraft) -> Result<Assignment, AssignmentError> {
        let draft = self.rules.roster.fill_in(draft).map_err(Refusal::from)?;
        let new = NewAssignment::new(draft, &self.rules.limits).map_err(Refusal::from)?;
        self.store.create_assignment(&new, by).await
    }

    /// Takes a new assignment or takes up the rework. With [`AfterAccept::Begin`] it is `in_progress`
    /// afterwards, and the log shows that it was `accepted` before. To begin once more what is `in_progress` already
    /// changes nothing: the answer to the first call may have been lost.
    pub async fn accept(
        &self,
        by: &Caller,
        id: AssignmentId,
        then: AfterAccept,
    ) -> Result<Assignment, AssignmentError> {
        match self.store.take_step(id, &Step::Accept { then }, by).await {
            Err(AssignmentError::Refused(refusal @ Refusal::AlreadyAccepted { .. }))
                if then == AfterAccept::Begin =>
            {
                let found = self.existing(id).await?;
                match found.status() == AssignmentStatus::InProgress {
                    true => Ok(found),
                    false => Err(refusal.into()),
                }
            }
            taken => Ok(taken?.assignment),
        }
    }

    async fn known_reviewers(&self) -> Result<Vec<String>, AssignmentError> {
        let mut known = self.store.recent_reviewers().await?;
        known.extend(self.rules.reviewers.iter().cloned());
        known.sort();
        known.dedup();
        Ok(known)
    }

    async fn existing(&self, id: AssignmentId) -> Result<Assignment, AssignmentError> {
        Ok(self.store.assignment(id).await?.ok_or(Refusal::NotFound(id))?)
    }
}
