//! What a change was supposed to do: the ticket or story it belongs to and the epic around it.

mod epic;
mod forms;
pub(crate) mod item;
mod paths;
mod sections;

pub use epic::{Coordination, Directory, Epic, FunctionProfile, ProhibitedChange, SharedInterface};
pub use item::{AcceptanceCriterion, TitleOrigin, WorkItem, heading};

/// The documents a review is given besides the change itself. All optional.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkOrder {
    pub ticket: Option<WorkItem>,
    pub story: Option<WorkItem>,
    pub epic: Option<Epic>,
    /// What is known of the work that was handed in: for tickets of an epic, their `TicketReviewContext`.
    pub submission: Option<ContextDocument>,
    /// Architecture and standards the change is held to, from wherever they are kept.
    pub context: Vec<ContextDocument>,
}

/// A document that explains what the code around the change has to be like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextDocument {
    pub title: String,
    pub text: String,
}

impl WorkOrder {
    /// The ticket, or the story where there is no ticket.
    pub fn item(&self) -> Option<&WorkItem> {
        self.ticket.as_ref().or(self.story.as_ref())
    }
}
