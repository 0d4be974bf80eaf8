//! Tasks, assignments and the runs of epics in SQLite or PostgreSQL.
//!
//! One [`Store`] speaks to both engines. A verb is a file, and its SQL is written once where the engines agree
//! (see `dialect`) and twice, side by side, where they do not. SQLite has one writer at a time and every
//! write begins with `BEGIN IMMEDIATE`; PostgreSQL locks rows and skips locked ones.
//!
//! Every statement runs inside an explicit transaction and, on PostgreSQL, unnamed unless the session was proved
//! to be our own (see `session`): that is what a pooler in transaction mode asks for.

mod add;
mod assignments;
mod audit;
mod claim;
mod counts;
mod database;
mod dependencies;
mod dialect;
mod effects;
mod epics;
mod expire;
mod finish;
mod heartbeat;
mod human;
mod list;
mod listen;
pub mod mailbox;
mod migrate;
mod next_due;
mod note;
mod open;
mod outbox;
mod pause;
mod readers;
mod record;
mod row;
mod session;
mod signal;
mod sqlite;
mod store;
mod writer;

pub use migrate::TOO_NEW;
pub use signal::Pickup;
pub use sqlite::Standing;
pub use store::Store;
