//! Pull and merge requests on this machine: found on their forge, fetched into a mirror, reviewed there, and told.
//!
//! What is asked of the forge goes through its port. Commits come by git, from the configured forge and from nowhere
//! else.

mod created;
mod fetch;
mod forge;
mod hand_in;
mod named;
mod posted;
mod review;
mod served;
mod ticket;

pub(crate) use created::hand_in_what_is_created;
pub(crate) use fetch::{Fetched, aside};
pub(crate) use forge::{Forge, Found};
pub(crate) use hand_in::{HandIn, HandedIn, Ticket, Which};
pub(crate) use named::{About, Address, Named, names_commits};
pub(crate) use posted::told;
pub(crate) use review::{Outcome, Who, Wish};
pub(crate) use served::HandInsAt;
pub(crate) use ticket::Concerned;
