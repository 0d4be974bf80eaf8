//! What is done about one ticket by itself, until it is somebody else's turn.

use std::sync::atomic::{AtomicBool, Ordering};

use domain::change::Oid;
use domain::cycle::{Event, State};
use domain::epic::run::TicketRun;
use domain::epic::{Stop, StopReason, TicketBounds};
use domain::work::WorkItem;

use super::Ground;
use super::budget::Purse;
use super::step::{apply, save, step, tell};
use super::world::{Based, Halt, World};

/// What all tickets of a run share.
pub(super) struct Shared<'a> {
    pub(super) ground: &'a Ground,
    pub(super) world: &'a dyn World,
    pub(super) purse: Purse<'a>,
    /// Set when the run cannot go on: whoever is at work finishes the step and no more.
    pub(super) halting: AtomicBool,
}

/// One ticket at work.
pub(super) struct Leg<'a> {
    pub(super) shared: &'a Shared<'a>,
    pub(super) item: &'a WorkItem,
    pub(super) bounds: &'a TicketBounds,
    /// Finished work of what it depends on.
    pub(super) dependencies: Vec<Oid>,
}

impl Leg<'_> {
    /// Goes on until the ticket is over, sent back, stopped, or has to wait.
    pub(super) fn run(&self, ticket: &mut TicketRun) -> Result<(), Halt> {
        let world = self.shared.world;
        if ticket.cycle.state() == &State::SentBack {
            step(ticket, Event::Start, world)?;
        }
        loop {
            if world.is_stopped() {
                return Err(Halt::Stopped);
            }
            let waits = ticket.not_before.is_some_and(|moment| moment > world.now());
            if waits || ticket.stopped.is_some() || self.shared.halting.load(Ordering::SeqCst) {
                return Ok(());
            }
            match ticket.cycle.state() {
                State::Queued => self.start(ticket)?,
                State::Working { work } => {
                    let work = *work;
                    match self.stop(ticket) {
                        Some(stop) => return self.stand_still(ticket, stop),
                        None => self.build(ticket, work)?,
                    }
                }
                State::Validating => self.validate(ticket)?,
                State::Reviewing => match self.stop(ticket) {
                    Some(stop) => return self.stand_still(ticket, stop),
                    None => self.review(ticket)?,
                },
                State::Pending
                | State::Accepted
                | State::SentBack
                | State::Done { .. }
                | State::Failed { .. }
                | State::Blocked { .. }
                | State::Escalated { .. }
                | State::Closed => return Ok(()),
            }
        }
    }

    /// Why nothing that costs something may be done about it.
    fn stop(&self, ticket: &TicketRun) -> Option<Stop> {
        let purse = &self.shared.purse;
        purse.epic_stop(self.shared.world.now()).or_else(|| purse.ticket_stop(ticket, self.bounds))
    }

    /// The next thing would cost something, and nothing is left for it. It goes on from here when it is resumed.
    fn stand_still(&self, ticket: &mut TicketRun, stop: Stop) -> Result<(), Halt> {
        tell(ticket, &format!("stops: {}", stop.detail), self.shared.world);
        let mut next = ticket.clone();
        next.stopped = Some(stop);
        save(ticket, next, "stopped", self.shared.world)
    }

    /// Its base is where the epic branch is now, and stays it through every revision.
    fn start(&self, ticket: &mut TicketRun) -> Result<(), Halt> {
        let world = self.shared.world;
        let mut next = ticket.clone();
        match world.base(ticket, &self.dependencies)? {
            Based::Conflict { what } => {
                let stop = Stop { reason: StopReason::Human, detail: what };
                return self.stand_still(ticket, stop);
            }
            Based::At(base) => {
                next.base_commit = Some(base);
                next.final_commit = None;
            }
        }
        next.started_at = next.started_at.or_else(|| Some(world.now()));
        apply(&mut next, Event::Start, world.now())?;
        save(ticket, next, "start", world)
    }
}
