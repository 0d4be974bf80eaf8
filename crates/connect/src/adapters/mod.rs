//! The ports, each behind whichever server the configuration names.

mod docs;
mod open;
mod tracker;
mod vcs;

pub use docs::Docs;
pub use open::Connections;
pub use tracker::Tracker;
pub use vcs::Vcs;
