//! What Countersign talks about and how it decides.
//!
//! Everything here is a value or a pure function: no I/O, no clock, no environment. Adapters bring the
//! outside in through the traits in [`ports`].

pub mod assignments;
pub mod change;
pub mod config;
pub mod cycle;
pub mod epic;
pub mod forge;
pub mod formats;
pub mod gate;
pub mod mission;
pub mod ports;
pub mod publish;
pub mod review;
pub mod tasks;
pub mod text;
pub mod tools;
pub mod words;
pub mod work;
