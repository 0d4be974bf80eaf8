use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use domain::change::Oid;
use domain::epic::EpicDocument;
use domain::epic::run::{BranchNotice, BranchWatch, EpicRun, StoredEpic, TicketRun, state_of};
use domain::ports::{EpicError, EpicHold, EpicStore as _};

use super::StateFile;
use crate::failure::Failure;
use crate::loops::Fault;
use crate::store::{self, KeptOpen};

/// Where a run is kept: in the store, which is the truth, and in the file beside the epic, which follows it.
#[derive(Debug)]
pub(crate) struct Journal {
    kept: KeptOpen,
    hold: EpicHold,
    document: EpicDocument,
    file: StateFile,
    /// As stored.
    stored: Mutex<StoredEpic>,
    /// Tickets that are to be stored, until somebody takes his turn.
    waiting: Mutex<Vec<Waiting>>,
    turn: Mutex<()>,
    fault: Fault,
}

#[derive(Debug)]
struct Waiting {
    ticket: TicketRun,
    event: String,
    /// Told by whoever stored it.
    result: Arc<OnceLock<Result<(), Failure>>>,
}

impl Journal {
    /// Of a run that is stored as `stored`. The file is brought up to date, whatever was in it.
    pub(crate) fn open(
        kept: KeptOpen,
        hold: EpicHold,
        document: EpicDocument,
        stored: StoredEpic,
    ) -> Result<Journal, Failure> {
        let file = StateFile::beside(stored.run.order.file.as_ref(), &stored.run.order.id);
        file.tidy();
        let (stored, fault) = (Mutex::new(stored), Fault::wanted());
        let (waiting, turn) = (Mutex::default(), Mutex::default());
        let journal = Journal { kept, hold, document, file, stored, waiting, turn, fault };
        journal.show()?;
        Ok(journal)
    }

    /// In the store first; who is told of it then finds it there. Of several tickets that change at once, one thread stores
    /// those of all: each transaction waits for the disk.
    pub(crate) fn save(&self, ticket: &TicketRun, event: &str) -> Result<(), Failure> {
        let save = self.fault.before();
        let result = Arc::new(OnceLock::new());
        let mine = Waiting { ticket: ticket.clone(), event: event.to_owned(), result: Arc::clone(&result) };
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push(mine);
        {
            let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
            if result.get().is_none() {
                self.store_all();
            }
        }
        match result.get() {
            Some(result) => result.clone()?,
            None => return Err(Failure::new("a ticket was not stored", "please report this as a bug")),
        }
        self.show()?;
        self.fault.after(save);
        Ok(())
    }

    /// Everything that waits, in one transaction. Where that is refused each is stored for itself, so that nobody is
    /// refused for another.
    fn store_all(&self) {
        let waiting = std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        let store = |some: &[Waiting]| {
            let changed: Vec<_> = some.iter().map(|one| (&one.ticket, one.event.as_str())).collect();
            let stored = self.kept.wait(self.kept.store.save_tickets(&self.hold, &changed)).map_err(refused);
            if stored.is_ok() {
                some.iter().for_each(|one| self.stored_is(&one.ticket));
            }
            stored
        };
        let together = store(&waiting);
        for one in &waiting {
            let result = match &together {
                Err(_) if waiting.len() > 1 => store(std::slice::from_ref(one)),
                Ok(()) | Err(_) => together.clone(),
            };
            // Nobody else has taken it.
            let _ = one.result.set(result);
        }
    }

    fn stored_is(&self, ticket: &TicketRun) {
        if let Some(place) = self.now().tickets.iter_mut().find(|known| known.id == ticket.id) {
            *place = ticket.clone();
        }
    }

    pub(crate) fn save_epic(&self, run: &EpicRun, event: &str) -> Result<(), Failure> {
        let save = self.fault.before();
        self.kept.wait(self.kept.store.save_epic(&self.hold, run, event)).map_err(refused)?;
        self.now().run = run.clone();
        self.show()?;
        self.fault.after(save);
        Ok(())
    }

    /// Where the epic branch was put last.
    pub(super) fn epic_commit(&self) -> Oid {
        self.now().run.epic_commit.clone()
    }

    /// We put the epic branch there.
    pub(super) fn epic_went_to(&self, commit: &Oid) -> Result<(), Failure> {
        let run = EpicRun { epic_commit: commit.clone(), ..self.now().run.clone() };
        self.save_epic(&run, "epic_branch_moved")
    }

    pub(super) fn watch(&self) -> BranchWatch {
        self.now().run.watch.clone()
    }

    /// People are told of the epic branch. Stored with whatever is stored next: who is killed before that tells them again.
    pub(super) fn notice(&self, notice: BranchNotice) {
        self.now().run.watch.notice = Some(notice);
    }

    /// It goes on from there, and people know.
    pub(super) fn accept(&self, tip: &Oid) -> Result<(), Failure> {
        let watch = BranchWatch { accepted: Some(tip.clone()), notice: None, ..self.watch() };
        let run = EpicRun { epic_commit: tip.clone(), watch, ..self.now().run.clone() };
        self.save_epic(&run, "epic_branch_accepted")
    }

    /// Whether it was us who put the epic branch there.
    pub(super) fn knows(&self, tip: &Oid) -> bool {
        self.now().knows_epic_commit(tip)
    }

    /// Where the report of the run belongs.
    pub(crate) fn report_path(&self) -> PathBuf {
        self.file.report(&self.document.id)
    }

    pub(crate) fn snapshot(&self) -> StoredEpic {
        self.now().clone()
    }

    fn show(&self) -> Result<(), Failure> {
        self.file.show(|| state_of(&self.now(), &self.document))
    }

    fn now(&self) -> MutexGuard<'_, StoredEpic> {
        self.stored.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) fn refused(error: EpicError) -> Failure {
    match error {
        EpicError::Superseded(_) => Failure::new(
            error,
            "nothing was lost: `countersign epic status` shows how far it is, and `epic resume` takes it back",
        ),
        EpicError::Outdated(_) => Failure::new(error, "go on with `countersign epic resume`"),
        EpicError::Store(error) => store::failure(error),
    }
}
