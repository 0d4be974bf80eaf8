use std::future::Future;

use crate::epic::TicketId;
use crate::epic::run::{EpicKey, EpicRun, FailedTicket, StoredEpic, TicketRun};
use crate::ports::StoreError;
use crate::tasks::AuditEvent;

/// Where the runs of epics live. What [`TaskStore`](super::TaskStore) promises holds here, too: what was answered is
/// stored, what was cut off is stored as a whole or not at all, and a change and its event are stored together.
pub trait EpicStore: Send + Sync {
    /// Stores a run that is about to begin, in place of an earlier one of that key, and takes it.
    fn begin_epic(
        &self,
        key: &EpicKey,
        stored: &StoredEpic,
        by: &str,
    ) -> impl Future<Output = Result<EpicHold, EpicError>> + Send;

    /// Takes a run: whoever held it before can change nothing from now on. `None` if there is none.
    fn take_epic(
        &self,
        key: &EpicKey,
        by: &str,
    ) -> impl Future<Output = Result<Option<(EpicHold, StoredEpic)>, EpicError>> + Send;

    /// A run as it is, without taking it.
    fn epic(&self, key: &EpicKey) -> impl Future<Output = Result<Option<StoredEpic>, EpicError>> + Send;

    /// All runs of a repository, the one that changed last first.
    fn epics(&self, repository: &str) -> impl Future<Output = Result<Vec<StoredEpic>, EpicError>> + Send;

    /// Stores tickets over the version before each, all of them or none. The word behind each says what happened to it.
    fn save_tickets(
        &self,
        hold: &EpicHold,
        changed: &[(&TicketRun, &str)],
    ) -> impl Future<Output = Result<(), EpicError>> + Send;

    /// Stores one.
    fn save_ticket(
        &self,
        hold: &EpicHold,
        ticket: &TicketRun,
        event: &str,
    ) -> impl Future<Output = Result<(), EpicError>> + Send {
        async move { self.save_tickets(hold, &[(ticket, event)]).await }
    }

    /// Stores what is not about one ticket.
    fn save_epic(
        &self,
        hold: &EpicHold,
        run: &EpicRun,
        event: &str,
    ) -> impl Future<Output = Result<(), EpicError>> + Send;

    /// Tickets that failed, of every repository, the one that failed last first; at most `most`.
    fn failed_tickets(&self, most: u32) -> impl Future<Output = Result<Vec<FailedTicket>, EpicError>> + Send;

    /// What happened to an epic and its tickets, the oldest first.
    fn epic_events(&self, key: &EpicKey) -> impl Future<Output = Result<Vec<AuditEvent>, EpicError>> + Send;
}

/// The right to change a run, until somebody else takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EpicHold {
    pub key: EpicKey,
    /// Only grows.
    pub token: i64,
    pub by: String,
}

#[derive(Debug, thiserror::Error)]
pub enum EpicError {
    /// Somebody else has taken the run since. Nothing was changed.
    #[error("another process has taken over epic {}", .0.id)]
    Superseded(EpicKey),
    /// Somebody changed the ticket in between. Nothing was changed.
    #[error("ticket {0} was changed by somebody else meanwhile")]
    Outdated(TicketId),
    #[error(transparent)]
    Store(#[from] StoreError),
}
