use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use domain::cycle::{Cause, ReviewMode, State};
use domain::epic::run::{Merging, StoredEpic, TicketRun};
use domain::epic::{Stop, StopReason, TicketIndex};

use super::Ground;
use super::budget::Purse;
use super::leg::{Leg, Shared};
use super::merge::merge;
use super::settle::settle;
use super::world::{Halt, TicketMoment, World};

/// How long nothing is looked at, at most, while others work.
const GLANCE: Duration = Duration::from_millis(200);

/// Where an epic came to rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Every ticket is completed and, where that was asked for, merged.
    Completed,
    /// The gate, or validation before it, kept a ticket from completing.
    Failed,
    /// Reviews of a ticket kept proving nothing.
    Inconclusive,
    /// It stands still: a budget or the time is used up, or somebody has to do something.
    Stopped,
}

/// Goes on with an epic until nothing can be done about any of its tickets. Each change is saved; what is handed in has to
/// have been saved before.
pub fn run(stored: &mut StoredEpic, ground: &Ground, world: &dyn World) -> Result<Ended, Halt> {
    let purse = Purse::of(ground, &stored.tickets, stored.run.resumed_at);
    let moved = world.branch_stop()?;
    if world.is_stopped() {
        return Err(Halt::Stopped);
    }
    if let Some(detail) = moved {
        world.tell(&TicketMoment { ticket: None, text: &format!("stops: {detail}") });
        return rests(stored, Some(Stop { reason: StopReason::Human, detail }), world);
    }
    let shared = Shared { ground, world, purse, halting: AtomicBool::new(false) };
    let stop = thread::scope(|scope| {
        Scheduler { scope, shared: &shared, stored, busy: BTreeSet::new(), merging: None }.run()
    })?;
    // A ticket may have been the first to notice.
    let mut stops = stored.tickets.iter().filter_map(|ticket| ticket.stopped.as_ref());
    let noticed = stops.any(|stop| matches!(stop.reason, StopReason::Budget | StopReason::Time));
    let stop = stop.or_else(|| shared.purse.epic_stop(world.now()).filter(|_| noticed));
    // Nothing is left to pay for where every ticket is through.
    let stop = if stored.is_complete() { undefined(stored, ground, world)? } else { stop };
    rests(stored, stop, world)
}

/// Writes down where it came to rest.
fn rests(stored: &mut StoredEpic, stop: Option<Stop>, world: &dyn World) -> Result<Ended, Halt> {
    let mut next = stored.run.clone();
    let ended = ended(stored, stop.as_ref());
    next.stopped = stop;
    next.finished_at =
        (ended == Ended::Completed).then(|| stored.run.finished_at.unwrap_or_else(|| world.now()));
    world.save_epic(&next, if ended == Ended::Completed { "completed" } else { "rests" })?;
    stored.run = next;
    Ok(ended)
}

/// A function that the tickets agreed on and none of them defines keeps an epic from being completed, as one with other
/// arguments keeps a ticket. Where nothing is reviewed it is only told.
fn undefined(stored: &mut StoredEpic, ground: &Ground, world: &dyn World) -> Result<Option<Stop>, Halt> {
    const TOLD: &str = "no ticket defines ";
    let missing = world.undefined(&stored.tickets)?;
    let run = &mut stored.run;
    run.remarks.retain(|remark| !remark.starts_with(TOLD));
    if missing.is_empty() {
        return Ok(None);
    }
    let detail = format!("{TOLD}{}, which the coordination requirements name", missing.join(", "));
    if ground.document.review == ReviewMode::Off {
        run.remark(detail);
        return Ok(None);
    }
    let detail = format!("{detail}; define it on {}, then resume", run.order.branch);
    world.tell(&TicketMoment { ticket: None, text: &format!("stops: {detail}") });
    Ok(Some(Stop { reason: StopReason::Human, detail }))
}

fn ended(stored: &StoredEpic, stop: Option<&Stop>) -> Ended {
    if stored.is_complete() && stop.is_none() {
        return Ended::Completed;
    }
    if stop.is_some() || stored.tickets.iter().any(|ticket| ticket.stopped.is_some()) {
        return Ended::Stopped;
    }
    let mut causes = stored.tickets.iter().filter_map(|ticket| match ticket.cycle.state() {
        State::Failed { cause } => Some(cause),
        State::Pending
        | State::Queued
        | State::Accepted
        | State::Working { .. }
        | State::Validating
        | State::Reviewing
        | State::SentBack
        | State::Done { .. }
        | State::Blocked { .. }
        | State::Escalated { .. }
        | State::Closed => None,
    });
    let unproved = causes.all(|cause| matches!(cause, Cause::Inconclusive { .. }));
    if unproved { Ended::Inconclusive } else { Ended::Failed }
}

/// One who says what happens next. Threads report to it and change nothing but their own ticket.
struct Scheduler<'scope, 'env, 'run> {
    scope: &'scope thread::Scope<'scope, 'env>,
    shared: &'env Shared<'env>,
    stored: &'run mut StoredEpic,
    /// Tickets that a thread has.
    busy: BTreeSet<usize>,
    /// The one of them that is being merged.
    merging: Option<usize>,
}

struct Back {
    index: usize,
    ticket: TicketRun,
    result: Result<(), Halt>,
}

impl<'scope, 'env> Scheduler<'scope, 'env, '_> {
    /// Until nothing is left to do; says why, if that is before the end.
    fn run(mut self) -> Result<Option<Stop>, Halt> {
        let world = self.shared.world;
        let (tell, told) = channel::<Back>();
        let mut trouble = None;
        let mut stop = None;
        loop {
            if trouble.is_none() {
                let settled = settle(&mut self.stored.tickets, self.shared.ground, &self.busy, world);
                trouble = settled.err();
            }
            if trouble.is_none() && world.is_stopped() {
                trouble = Some(Halt::Stopped);
            }
            if trouble.is_some() {
                self.shared.halting.store(true, Ordering::SeqCst);
            }
            if stop.is_none() && self.something_to_pay() {
                stop = self.shared.purse.epic_stop(world.now());
                if let Some(stop) = &stop {
                    world.tell(&TicketMoment { ticket: None, text: &format!("stops: {}", stop.detail) });
                }
            }
            if trouble.is_none() && stop.is_none() {
                while let Some(index) = self.next() {
                    self.send(index, &tell);
                }
            }
            if trouble.is_none()
                && let Some(index) = self.next_to_merge()
            {
                self.send_to_merge(index, &tell);
            }
            let waits = trouble.is_none() && stop.is_none() && self.waits();
            if self.busy.is_empty() && !waits {
                return match trouble {
                    Some(trouble) => Err(trouble),
                    None => Ok(stop),
                };
            }
            match told.recv_timeout(GLANCE) {
                Ok(back) => {
                    if let Err(halt) = self.take_back(back) {
                        trouble.get_or_insert(halt);
                    }
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
        }
    }

    fn take_back(&mut self, back: Back) -> Result<(), Halt> {
        let Back { index, ticket, result } = back;
        self.busy.remove(&index);
        if self.merging == Some(index) {
            self.merging = None;
        }
        if let Some(place) = self.stored.tickets.get_mut(index) {
            *place = ticket;
        }
        result
    }

    /// What has been begun comes before what has not: others may wait for it.
    fn next(&self) -> Option<usize> {
        let at_work = self.busy.len() - usize::from(self.merging.is_some());
        if at_work >= usize::try_from(self.shared.ground.order.parallel.max(1)).unwrap_or(usize::MAX) {
            return None;
        }
        let now = self.shared.world.now();
        let able = |index: usize| {
            let ticket = self.stored.tickets.get(index).filter(|_| !self.busy.contains(&index))?;
            let due = ticket.not_before.is_none_or(|moment| moment <= now);
            (ticket.stopped.is_none() && due).then_some(ticket.cycle.state())
        };
        let order = || self.shared.ground.plan.order.iter().map(|TicketIndex(index)| *index);
        let begun = order().find(|index| able(*index).is_some_and(is_begun));
        begun.or_else(|| order().find(|index| able(*index) == Some(&State::Queued)))
    }

    /// One at a time, in the order of the plan.
    fn next_to_merge(&self) -> Option<usize> {
        if self.merging.is_some() || self.shared.ground.order.merging == Merging::ByHand {
            return None;
        }
        let mut order = self.shared.ground.plan.order.iter().map(|TicketIndex(index)| *index);
        order.find(|index| {
            let ticket = self.stored.tickets.get(*index).filter(|_| !self.busy.contains(index));
            ticket.is_some_and(|ticket| ticket.is_done() && !ticket.is_merged() && ticket.stopped.is_none())
        })
    }

    /// Something is to be done later, and nobody is at it.
    fn waits(&self) -> bool {
        self.stored.tickets.iter().any(|ticket| {
            let state = ticket.cycle.state();
            ticket.stopped.is_none() && (is_begun(state) || state == &State::Queued)
        })
    }

    fn something_to_pay(&self) -> bool {
        !self.busy.is_empty() || self.waits()
    }

    fn send(&mut self, index: usize, tell: &std::sync::mpsc::Sender<Back>) {
        let ground = self.shared.ground;
        let place = TicketIndex(index);
        let parts = (self.stored.tickets.get(index), ground.item(place), ground.bounds(place));
        let (Some(ticket), Some(item), Some(bounds)) = parts else { return };
        let finished = ground.plan.dependencies_of(place).iter();
        let finished = finished.filter_map(|TicketIndex(before)| self.stored.tickets.get(*before));
        let dependencies = finished.filter_map(|before| before.final_commit.clone()).collect();
        let leg = Leg { shared: self.shared, item, bounds, dependencies };
        let (mut ticket, tell) = (ticket.clone(), tell.clone());
        self.busy.insert(index);
        self.scope.spawn(move || {
            let result = leg.run(&mut ticket);
            // Whoever listens outlives all who tell.
            let _ = tell.send(Back { index, ticket, result });
        });
    }

    fn send_to_merge(&mut self, index: usize, tell: &std::sync::mpsc::Sender<Back>) {
        let Some(ticket) = self.stored.tickets.get(index) else { return };
        let (mut ticket, tell, shared) = (ticket.clone(), tell.clone(), self.shared);
        self.busy.insert(index);
        self.merging = Some(index);
        self.scope.spawn(move || {
            let result = merge(&mut ticket, shared);
            let _ = tell.send(Back { index, ticket, result });
        });
    }
}

/// Somebody has worked on it, and it is not over.
fn is_begun(state: &State) -> bool {
    match state {
        State::Working { .. } | State::Validating | State::Reviewing | State::SentBack => true,
        State::Pending
        | State::Queued
        | State::Accepted
        | State::Done { .. }
        | State::Failed { .. }
        | State::Blocked { .. }
        | State::Escalated { .. }
        | State::Closed => false,
    }
}
