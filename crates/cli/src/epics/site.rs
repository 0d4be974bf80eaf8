use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use domain::change::Oid;
use domain::config::{AgentConfig, Config};
use domain::epic::ResolvedCommands;
use domain::epic::run::{EpicRun, Merging, TicketRun};
use engine::epic::{
    Based, BuildJob, Built, Ground, Halt, MergeMade, MergePublished, Placed, Reviewed, TicketMoment,
    Validated, World,
};
use git::Repository;
use jiff::Timestamp;

use super::protected::Protected;
use super::times::Times;
use super::{Journal, Place};
use crate::failure::Failure;
use crate::reviewers::{Choice, Heard};

/// Everything a run needs, from real repositories, processes and files.
pub(crate) struct Site {
    pub(crate) repository: Arc<Repository>,
    pub(crate) place: Place,
    pub(crate) journal: Journal,
    pub(crate) ground: Ground,
    /// The policy at the commit the epic begins at: no ticket loosens its own gate, nor that of another.
    pub(crate) config: Config,
    pub(super) policy: String,
    pub(crate) commands: ResolvedCommands,
    pub(super) builder: AgentConfig,
    pub(super) reviewer: Choice,
    pub(super) protected: Protected,
    pub(super) trees: Mutex<()>,
    pub(crate) stop: Arc<AtomicBool>,
    pub(super) speech: Speech,
    pub(super) times: Times,
}

/// How people are told.
#[derive(Clone)]
pub(crate) struct Speech {
    /// Something happened to a ticket or the epic.
    pub(crate) moment: Arc<dyn Fn(&TicketMoment<'_>) + Send + Sync>,
    /// What somebody is doing meanwhile.
    pub(crate) heard: Heard,
}

fn halt(failure: Failure) -> Halt {
    Halt::Failed { what: failure.what().to_owned(), hint: failure.hint().to_owned() }
}

impl World for Site {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    fn tell(&self, moment: &TicketMoment<'_>) {
        (self.speech.moment)(moment);
    }

    fn save(&self, ticket: &TicketRun, event: &str) -> Result<(), Halt> {
        self.times.taken("save", || self.journal.save(ticket, event)).map_err(halt)
    }

    fn save_epic(&self, run: &EpicRun, event: &str) -> Result<(), Halt> {
        let tip = match run.order.merging {
            Merging::ByHand => {
                let tip =
                    self.repository.find_branch(&run.order.branch).map_err(|error| halt(error.into()))?;
                tip.unwrap_or_else(|| run.epic_commit.clone())
            }
            Merging::Automatic => self.journal.epic_commit(),
        };
        let run = EpicRun { epic_commit: tip, watch: self.journal.watch(), ..run.clone() };
        self.journal.save_epic(&run, event).map_err(halt)
    }

    fn branch_stop(&self) -> Result<Option<String>, Halt> {
        self.times.taken("branch_stop", || self.why_look_at_the_branch()).map_err(halt)
    }

    fn base(&self, ticket: &TicketRun, dependencies: &[Oid]) -> Result<Based, Halt> {
        self.times.taken("base", || self.based(ticket, dependencies)).map_err(halt)
    }

    fn build(&self, job: &BuildJob<'_>) -> Result<Built, Halt> {
        self.times.taken("build", || self.built(job)).map_err(halt)
    }

    fn place_branch(&self, ticket: &TicketRun) -> Result<Placed, Halt> {
        self.times.taken("place_branch", || self.placed(ticket)).map_err(halt)
    }

    fn validate(&self, ticket: &TicketRun) -> Result<Validated, Halt> {
        self.times.taken("validate", || self.validated(ticket)).map_err(halt)
    }

    fn review(&self, ticket: &TicketRun) -> Result<Reviewed, Halt> {
        self.times.taken("review", || self.reviewed(ticket)).map_err(halt)
    }

    fn undefined(&self, tickets: &[TicketRun]) -> Result<Vec<String>, Halt> {
        self.times.taken("undefined", || self.undefined_functions(tickets)).map_err(halt)
    }

    fn make_merge(&self, ticket: &TicketRun, work: &Oid) -> Result<MergeMade, Halt> {
        self.times.taken("make_merge", || self.merge_made(ticket, work)).map_err(halt)
    }

    fn publish_merge(&self, from: &Oid, to: &Oid) -> Result<MergePublished, Halt> {
        self.times.taken("publish_merge", || self.merge_published(from, to)).map_err(halt)
    }
}
