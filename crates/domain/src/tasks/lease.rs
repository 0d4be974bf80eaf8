use jiff::Timestamp;

use super::TaskId;

/// Proof that the store gave a task to a holder. It has no public fields and cannot be read from anywhere:
/// whoever has one got it from a claim.
///
/// The token decides, not the clock: until the watchdog frees the task, a holder whose time ran out may still
/// finish what it has done. Once it was freed, every write under this lease is refused.
#[derive(Debug, PartialEq, Eq)]
pub struct Lease {
    task: TaskId,
    token: i64,
    holder: String,
    expires_at: Timestamp,
}

impl Lease {
    /// For implementations of [`TaskStore`](crate::ports::TaskStore) alone, on a claim that was stored.
    #[doc(hidden)]
    pub fn granted_by_the_store(task: TaskId, token: i64, holder: String, expires_at: Timestamp) -> Lease {
        Lease { task, token, holder, expires_at }
    }

    pub fn task(&self) -> &TaskId {
        &self.task
    }

    /// Grows with every claim of the task.
    pub fn token(&self) -> i64 {
        self.token
    }

    pub fn holder(&self) -> &str {
        &self.holder
    }

    /// As granted; heartbeats move it on in the store.
    pub fn expires_at(&self) -> Timestamp {
        self.expires_at
    }
}
