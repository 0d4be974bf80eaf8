//! Epics on this machine: where their state is kept, who holds them, and everything a run needs from outside.

mod agreed;
mod begin;
mod branches;
mod builder;
mod journal;
mod merging;
mod place;
mod prompt;
mod protected;
mod reviewing;
mod site;
mod state_file;
mod strangers;
mod surroundings;
mod times;
mod validation;

pub(crate) use begin::{Asked, begin, ground, key_of, policy, repository_key};
pub(crate) use journal::{Journal, refused};
pub(crate) use place::Place;
pub(crate) use protected::REPORT_NAME;
pub(crate) use site::{Site, Speech};
pub(crate) use state_file::{Found, StateFile, own_name, state_path, whose};
pub(crate) use surroundings::{Purpose, look_around, look_at_people};
