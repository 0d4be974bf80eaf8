//! The mailbox over a real SQLite store, in a real directory.

mod deleted;
mod hostile;
mod killed;
mod life;
mod locks;
mod many;
mod pauses;
mod readers;
mod support;
