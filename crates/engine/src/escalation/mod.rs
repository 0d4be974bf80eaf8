//! What a human needs in order to decide about what was escalated, and what follows from the decision.
//!
//! Several kinds of things are escalated. A kind is a variant of [`EscalationKind`], a way to list what is open
//! (see [`open()`]) and a way to resolve it.

mod open;
mod task;

pub use open::{EscalationKind, EscalationRef, OpenEscalation, find, open};
pub use task::{Dossier, resolve};
