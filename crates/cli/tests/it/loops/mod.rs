//! The loop as its users meet it: real repositories, real processes, reviewers and fixers that are small scripts.

mod fixers;
mod ground;
mod humans;
mod killed;
mod offline;
mod real;
mod rounds;
pub(crate) mod stage;
mod stopping;
