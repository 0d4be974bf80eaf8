//! The mailbox over a real SQLite store, in a real directory.

mod hostile;
mod life;
mod locks;
mod many;
mod pauses;
mod support;
