//! The loop on this machine: where its state is kept, who holds it, and everything it needs from outside.

mod bench;
mod checks;
mod commands;
mod documents;
mod escalations;
mod fault;
mod fixer;
mod interrupt;
mod journal;
mod lock;
mod place;
mod reviewing;

pub(crate) use bench::{Bench, Speech};
pub(crate) use checks::{forbidden_suppression, last_number};
pub(crate) use commands::{Commands, Ran};
pub(crate) use documents::Documents;
pub(crate) use escalations::{StoriesAt, find, refusal, unfinished};
pub(crate) use fault::Fault;
pub(crate) use fixer::Fixer;
pub(crate) use interrupt::{Finished, Requests, supervised};
pub(crate) use journal::Journal;
pub(crate) use lock::Lock;
pub(crate) use place::{Place, digest};
pub(crate) use reviewing::policy;
