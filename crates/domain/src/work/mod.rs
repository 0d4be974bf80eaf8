//! What a change was supposed to do: the ticket or story it belongs to and the epic around it.

mod epic;
mod item;

pub use epic::{Epic, FunctionProfile};
pub use item::{AcceptanceCriterion, WorkItem};

/// The documents a review is given besides the change itself. All optional.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkOrder {
    pub ticket: Option<WorkItem>,
    pub story: Option<WorkItem>,
    pub epic: Option<Epic>,
}

impl WorkOrder {
    /// The ticket, or the story where there is no ticket.
    pub fn item(&self) -> Option<&WorkItem> {
        self.ticket.as_ref().or(self.story.as_ref())
    }
}
