use domain::epic::EpicFile;
use domain::epic::run::{EpicKey, Merging, StoredEpic, VERSION};
use domain::ports::{EpicHold, EpicStore as _};
use engine::epic::{Halt, NotRetried, resume, retry};
use git::Repository;
use jiff::Timestamp;

use super::answer::told;
use super::named::{named, not_found};
use super::work::{listen, work};
use crate::epics::{self, Place, look_at_people};
use crate::failure::Failure;
use crate::output::{Exit, Listing};
use crate::store::{KeptOpen, StoreArgs, actor};

/// Go on with an epic, after a crash, Ctrl-C, a budget that was used up, or a ticket that failed.
///
/// What is finished is not done again. The texts of epic and tickets are those the run began with, whatever was edited
/// since. Budgets and the epic's time are granted once more.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    countersign epic resume login                        by its id\n  \
    countersign epic resume epics/login/epic.yaml        or by its file\n  \
    countersign epic resume login --merge                merges what passed\n  \
    countersign epic resume login --retry auth-base      lets a failed ticket begin again")]
pub(crate) struct Resume {
    /// The epic's id or file [default: the only one that is not over]
    #[arg(value_name = "EPIC")]
    epic: Option<String>,

    /// Let a ticket that failed begin again, from the epic branch as it is now; may be repeated.
    #[arg(long, value_name = "TICKET")]
    retry: Vec<String>,

    /// Merge what passed into the epic branch, from now on.
    #[arg(long)]
    merge: bool,

    /// How the summary at the end is printed.
    #[arg(long, default_value = "pretty")]
    format: Listing,

    #[command(flatten)]
    store: StoreArgs,
}

impl Resume {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let repository = Repository::discover(&self.store.root())?;
        let kept = self.store.keep_open()?;
        let id = named(&repository, &kept, self.epic.as_deref())?;
        let (key, place) = (epics::key_of(&repository, &id), Place::of(&repository, &id));
        let lock = place.lock(&id)?;
        self.check(&repository, &kept, &key)?;
        let requests = listen()?;
        let taken =
            kept.wait(kept.store.take_epic(&key, &actor(Some(&repository)))).map_err(epics::refused)?;
        let Some((hold, mut stored)) = taken else { return Err(not_found(id.as_str())) };
        if stored.run.version != VERSION {
            return Err(Failure::new(
                format!("the run is of version {}, and this program knows {VERSION}", stored.run.version),
                "go on with the program that began it, or begin anew with `countersign epic run --restart`",
            ));
        }
        place.clear(&repository, stored.tickets.iter().map(|ticket| &ticket.id))?;
        self.prepare(&kept, &hold, &mut stored)?;
        work(repository, kept, hold, stored, lock, requests, self.format)
    }

    /// What cannot be read, and whoever is not there any more, is told of before anything is stored.
    fn check(&self, repository: &Repository, kept: &KeptOpen, key: &EpicKey) -> Result<(), Failure> {
        let Some(stored) = kept.wait(kept.store.epic(key)).map_err(epics::refused)? else { return Ok(()) };
        let order = &stored.run.order;
        let policy = epics::policy(repository, &order.base_commit)?;
        epics::ground(order.clone(), &policy)?;
        // Read once more for where things stand; it can be, or there would be no ground.
        let Ok(epic) = EpicFile::parse_begun(&order.path, &order.text) else { return Ok(()) };
        let problems = look_at_people(&epic, &order.builder, &order.reviewer, &policy.config)?;
        if problems.is_empty() {
            return Ok(());
        }
        told(&problems);
        Err(Failure::new(
            format!("epic {} cannot go on as it is", order.id),
            "correct what is listed above in the epic, and begin anew with `countersign epic run --restart`",
        ))
    }

    /// What a person wants is stored before anything happens.
    fn prepare(&self, kept: &KeptOpen, hold: &EpicHold, stored: &mut StoredEpic) -> Result<(), Failure> {
        let now = Timestamp::now();
        if self.merge {
            stored.run.order.merging = Merging::Automatic;
        }
        for id in &self.retry {
            let retried = retry(stored, id, now).map_err(halted)?.map_err(not_retried)?;
            kept.wait(kept.store.save_ticket(hold, &retried, "retry")).map_err(epics::refused)?;
        }
        let resumed = resume(stored, now);
        let resumed: Vec<_> = resumed.iter().map(|ticket| (ticket, "resumed")).collect();
        kept.wait(kept.store.save_tickets(hold, &resumed)).map_err(epics::refused)?;
        kept.wait(kept.store.save_epic(hold, &stored.run, "resumed")).map_err(epics::refused)
    }
}

fn halted(halt: Halt) -> Failure {
    match halt {
        Halt::Stopped => Failure::new("it was stopped", "try again"),
        Halt::Failed { what, hint } => Failure::new(what, hint),
    }
}

fn not_retried(why: NotRetried) -> Failure {
    Failure::new(why, "`countersign epic status` shows the tickets and where they stand")
}
