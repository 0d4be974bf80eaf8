//! Runs of epics. Documents are kept whole: who holds a run, and which version of a ticket is the last, is all that the
//! store itself looks at.

mod begin;
mod read;
mod save;

use domain::epic::run::{EpicKey, EpicRun, FailedTicket, StoredEpic, TicketRun};
use domain::ports::{EpicError, EpicHold, EpicStore};
use domain::tasks::AuditEvent;

use crate::store::Store;

impl EpicStore for Store {
    async fn begin_epic(&self, key: &EpicKey, stored: &StoredEpic, by: &str) -> Result<EpicHold, EpicError> {
        self.begin_run(key, stored, by).await
    }

    async fn take_epic(&self, key: &EpicKey, by: &str) -> Result<Option<(EpicHold, StoredEpic)>, EpicError> {
        self.take_run(key, by).await
    }

    async fn epic(&self, key: &EpicKey) -> Result<Option<StoredEpic>, EpicError> {
        self.read_run(key).await
    }

    async fn epics(&self, repository: &str) -> Result<Vec<StoredEpic>, EpicError> {
        self.read_runs(repository).await
    }

    async fn save_tickets(&self, hold: &EpicHold, changed: &[(&TicketRun, &str)]) -> Result<(), EpicError> {
        self.save_tickets_of(hold, changed).await
    }

    async fn save_epic(&self, hold: &EpicHold, run: &EpicRun, event: &str) -> Result<(), EpicError> {
        self.save_run(hold, run, event).await
    }

    async fn failed_tickets(&self, most: u32) -> Result<Vec<FailedTicket>, EpicError> {
        self.read_failed(most).await
    }

    async fn epic_events(&self, key: &EpicKey) -> Result<Vec<AuditEvent>, EpicError> {
        self.events_of_epic(key).await
    }
}
