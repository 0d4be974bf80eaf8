//! What the forge knows: people and their tokens, repositories with their pull requests, tickets and pages.
//! Every API is only a view of this.

pub(super) mod account;
pub(super) mod anchor;
pub(super) mod checks;
pub(super) mod page;
pub(super) mod pull;
pub(super) mod repository;
pub(super) mod state;
pub(super) mod sync;
pub(super) mod ticket;
pub(super) mod time;
