use std::future::Future;

use crate::assignments::{
    Assignment, AssignmentCursor, AssignmentFilter, AssignmentId, AssignmentPage, Caller, Decision, Metrics,
    NewAssignment, Refusal, Review, Step,
};
use crate::ports::StoreError;
use crate::tasks::AuditEvent;

/// Where assignments live. What [`TaskStore`](super::TaskStore) promises holds here, too: what was answered is
/// stored, what was cut off is stored as a whole or not at all, and state, verdict, audit event and outbox entry
/// are stored together.
pub trait AssignmentStore: Send + Sync {
    fn create_assignment(
        &self,
        new: &NewAssignment,
        by: &Caller,
    ) -> impl Future<Output = Result<Assignment, AssignmentError>> + Send;

    fn assignment(
        &self,
        id: AssignmentId,
    ) -> impl Future<Output = Result<Option<Assignment>, AssignmentError>> + Send;

    /// The newest first, at most `size` of them, beginning after `after`.
    fn assignments(
        &self,
        filter: &AssignmentFilter,
        after: Option<AssignmentCursor>,
        size: u32,
    ) -> impl Future<Output = Result<AssignmentPage, AssignmentError>> + Send;

    /// Stores what [`decide`](crate::assignments::decide) makes of the step. Of two that race, the second is
    /// decided about as the first has left it.
    fn take_step(
        &self,
        id: AssignmentId,
        step: &Step,
        by: &Caller,
    ) -> impl Future<Output = Result<Decision, AssignmentError>> + Send;

    /// What a coder should work on: rework first, then what it has begun, then what it has accepted, then what
    /// waits for it; of several the oldest.
    fn active_assignment(
        &self,
        agent: &str,
    ) -> impl Future<Output = Result<Option<Assignment>, AssignmentError>> + Send;

    /// What has waited for a review for the longest time and may be reviewed by this caller.
    fn assignment_to_review(
        &self,
        by: &Caller,
        known_reviewers: &[String],
    ) -> impl Future<Output = Result<Option<Assignment>, AssignmentError>> + Send;

    /// All verdicts on an assignment, the oldest first.
    fn assignment_reviews(
        &self,
        id: AssignmentId,
    ) -> impl Future<Output = Result<Vec<Review>, AssignmentError>> + Send;

    /// The activity log of an assignment, the oldest first.
    fn assignment_events(
        &self,
        id: AssignmentId,
    ) -> impl Future<Output = Result<Vec<AuditEvent>, AssignmentError>> + Send;

    /// Agents that have reviewed something in the last week.
    fn recent_reviewers(&self) -> impl Future<Output = Result<Vec<String>, AssignmentError>> + Send;

    fn review_metrics(&self) -> impl Future<Output = Result<Metrics, AssignmentError>> + Send;
}

#[derive(Debug, thiserror::Error)]
pub enum AssignmentError {
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error(transparent)]
    Store(#[from] StoreError),
}
