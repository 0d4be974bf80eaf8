use domain::assignments::{
    Assignment, AssignmentCursor, AssignmentFilter, AssignmentId, AssignmentPage, Caller, Metrics, Review,
    Role,
};
use domain::ports::{AssignmentError, AssignmentStore};
use domain::tasks::AuditEvent;

use super::Desk;

/// What is up to whoever asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mine {
    /// To be worked on.
    Work(Assignment),
    /// To be reviewed.
    Review(Assignment),
    Nothing,
}

/// What reviewers said about an assignment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feedback {
    pub assignment: Assignment,
    /// All verdicts, the oldest first.
    pub reviews: Vec<Review>,
}

impl Mine {
    pub fn assignment(&self) -> Option<&Assignment> {
        match self {
            Mine::Work(assignment) | Mine::Review(assignment) => Some(assignment),
            Mine::Nothing => None,
        }
    }
}

impl<S: AssignmentStore> Desk<S> {
    /// A coder's active assignment; for a reviewer the one that has waited longest and that it may review.
    /// People are told of their own work first and of reviews next.
    pub async fn mine(&self, by: &Caller) -> Result<Mine, AssignmentError> {
        match by.role() {
            Role::Coder => self.work_of(by).await,
            Role::Reviewer => self.review_for(by).await,
            Role::Person => match self.work_of(by).await? {
                Mine::Nothing => self.review_for(by).await,
                mine => Ok(mine),
            },
        }
    }

    pub async fn get(&self, id: AssignmentId) -> Result<Assignment, AssignmentError> {
        self.existing(id).await
    }

    pub async fn list(
        &self,
        filter: &AssignmentFilter,
        after: Option<AssignmentCursor>,
        size: u32,
    ) -> Result<AssignmentPage, AssignmentError> {
        self.store.assignments(filter, after, size).await
    }

    /// A reviewer is shown what it said itself: it looks at the work with fresh eyes.
    pub async fn feedback(&self, by: &Caller, id: AssignmentId) -> Result<Feedback, AssignmentError> {
        let assignment = self.existing(id).await?;
        let reviews = self.store.assignment_reviews(id).await?;
        Ok(match by.role() {
            Role::Coder | Role::Person => Feedback { assignment, reviews },
            Role::Reviewer => Feedback {
                assignment: unseen(assignment),
                reviews: reviews.into_iter().filter(|review| by.is_also(&review.reviewer)).collect(),
            },
        })
    }

    pub async fn events(&self, id: AssignmentId) -> Result<Vec<AuditEvent>, AssignmentError> {
        self.store.assignment_events(id).await
    }

    pub async fn metrics(&self) -> Result<Metrics, AssignmentError> {
        self.store.review_metrics().await
    }

    async fn work_of(&self, by: &Caller) -> Result<Mine, AssignmentError> {
        Ok(self.store.active_assignment(by.name()).await?.map_or(Mine::Nothing, Mine::Work))
    }

    async fn review_for(&self, by: &Caller) -> Result<Mine, AssignmentError> {
        let known = self.known_reviewers().await?;
        let waiting = self.store.assignment_to_review(by, &known).await?;
        Ok(waiting.map_or(Mine::Nothing, |assignment| Mine::Review(unseen(assignment))))
    }
}

/// Without what reviewers said of earlier attempts.
fn unseen(assignment: Assignment) -> Assignment {
    Assignment { review_feedback: None, ..assignment }
}
