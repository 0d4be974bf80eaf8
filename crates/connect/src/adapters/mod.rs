//! The ports, each behind whichever server the configuration names.

mod docs;
mod tracker;
mod vcs;

pub use docs::Docs;
pub use tracker::Tracker;
pub use vcs::Vcs;
