//! What a human needs in order to decide about what was escalated, and what follows from the decision.
//!
//! Several kinds of things are escalated. A kind is a variant of [`EscalationKind`]: the compiler then asks how what is
//! open is listed and found, and how it is resolved. Whoever shows or decides escalations, on a terminal or over MCP,
//! does so through [`Escalations`].

mod error;
mod missions;
mod open;
mod resolve;
mod stories;
mod task;

use std::sync::Arc;

use crate::assignments::Desk;

pub use error::EscalationError;
pub use missions::Missions;
pub use open::{EscalationKind, EscalationRef, OpenEscalation};
pub use resolve::Resolved;
pub use stories::{Stories, StoryTrouble};
pub use task::{Dossier, resolve_task};

/// Everything that may hold something escalated.
#[derive(Clone, Copy)]
pub struct Escalations<'a, S> {
    /// Assignments, and in its store the tasks.
    pub desk: &'a Desk<S>,
    pub stories: &'a Arc<dyn Stories>,
    pub missions: &'a Arc<dyn Missions>,
}
