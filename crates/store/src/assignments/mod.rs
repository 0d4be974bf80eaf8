//! Assignments. What may become of one, [`domain::assignments::decide`] says; here it is locked, stored and read.

mod create;
mod list;
mod metrics;
mod record;
mod step;
mod turn;

use domain::assignments::{
    Assignment, AssignmentCursor, AssignmentFilter, AssignmentId, AssignmentPage, Caller, Decision, Metrics,
    NewAssignment, Review, Step,
};
use domain::ports::{AssignmentError, AssignmentStore};
use domain::tasks::AuditEvent;

use crate::store::Store;

impl AssignmentStore for Store {
    async fn create_assignment(
        &self,
        new: &NewAssignment,
        by: &Caller,
    ) -> Result<Assignment, AssignmentError> {
        self.create(new, by).await
    }

    async fn assignment(&self, id: AssignmentId) -> Result<Option<Assignment>, AssignmentError> {
        self.read_assignment(id).await
    }

    async fn assignments(
        &self,
        filter: &AssignmentFilter,
        after: Option<AssignmentCursor>,
        size: u32,
    ) -> Result<AssignmentPage, AssignmentError> {
        self.page_of_assignments(filter, after, size).await
    }

    async fn take_step(
        &self,
        id: AssignmentId,
        step: &Step,
        by: &Caller,
    ) -> Result<Decision, AssignmentError> {
        self.decide_about(id, step, by).await
    }

    async fn active_assignment(&self, agent: &str) -> Result<Option<Assignment>, AssignmentError> {
        self.active_of(agent).await
    }

    async fn assignment_to_review(
        &self,
        by: &Caller,
        known_reviewers: &[String],
    ) -> Result<Option<Assignment>, AssignmentError> {
        self.longest_waiting_for(by, known_reviewers).await
    }

    async fn assignment_reviews(&self, id: AssignmentId) -> Result<Vec<Review>, AssignmentError> {
        self.reviews_of(id).await
    }

    async fn assignment_events(&self, id: AssignmentId) -> Result<Vec<AuditEvent>, AssignmentError> {
        self.events_of_assignment(id).await
    }

    async fn recent_reviewers(&self) -> Result<Vec<String>, AssignmentError> {
        self.reviewers_lately().await
    }

    async fn review_metrics(&self) -> Result<Metrics, AssignmentError> {
        self.count_reviews().await
    }
}
