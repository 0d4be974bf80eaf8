//! How a run begins, and what people may do about one that rests.

use domain::change::Oid;
use domain::cycle::{BadLimits, Cycle, Event, State};
use domain::epic::run::{BranchWatch, EpicRun, MergeStep, StoredEpic, TicketRun, VERSION};
use domain::epic::{Stop, StopReason};
use jiff::Timestamp;

use super::Ground;
use super::step::apply;
use super::world::Halt;

/// Why a ticket is not retried.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotRetried {
    #[error("there is no ticket `{0}` in this epic")]
    Unknown(String),
    #[error("ticket {id} is {status}: only a ticket that failed is retried")]
    NotFailed { id: String, status: &'static str },
}

/// A run nobody has worked on yet.
pub fn begin(ground: &Ground, tip: Oid, now: Timestamp) -> Result<StoredEpic, BadLimits> {
    let entries = ground.document.tickets.iter().zip(&ground.bounds);
    let tickets = entries.map(|(entry, bounds)| {
        let cycle = Cycle::ticket(ground.document.review, bounds.cycle.clone())?;
        Ok(TicketRun::new(entry.id.clone(), cycle))
    });
    let run = EpicRun {
        version: VERSION,
        order: ground.order.clone(),
        started_at: now,
        resumed_at: now,
        finished_at: None,
        stopped: None,
        watch: BranchWatch { began_at: Some(tip.clone()), ..BranchWatch::default() },
        epic_commit: tip,
        remarks: Vec::new(),
    };
    Ok(StoredEpic { run, tickets: tickets.collect::<Result<_, _>>()? })
}

/// A run that somebody ended from outside, with Ctrl-C, SIGTERM or by closing its terminal. Whoever is killed outright can write nothing down.
pub fn interrupted(run: &EpicRun) -> EpicRun {
    let stop = Stop { reason: StopReason::Human, detail: "Ctrl-C, SIGTERM or a closed terminal".to_owned() };
    EpicRun { stopped: Some(stop), ..run.clone() }
}

/// Lets a run go on: whatever it stood still for counts from now. Changed tickets come with the next version, and the
/// caller saves them.
pub fn resume(stored: &mut StoredEpic, now: Timestamp) -> Vec<TicketRun> {
    stored.run.resumed_at = now;
    stored.run.stopped = None;
    // Nothing is left to be done where everything was: it ended when it ended.
    stored.run.finished_at = stored.run.finished_at.filter(|_| stored.is_complete());
    let mut changed = Vec::new();
    for ticket in &mut stored.tickets {
        let spent = ticket.usage();
        // Waiting longer than a person did is pointless.
        let waits = ticket.not_before.is_some();
        if ticket.stopped.is_none() && ticket.spent_before == spent && !waits {
            continue;
        }
        ticket.stopped = None;
        ticket.not_before = None;
        ticket.spent_before = spent;
        ticket.version += 1;
        changed.push(ticket.clone());
    }
    changed
}

/// Lets a failed ticket begin anew, from the epic branch as it is then. What was built stays in its attempts, and what
/// reviews said of it is asked of nobody any more. Where reviews only proved nothing, the work is as good as it was: it is
/// reviewed again.
pub fn retry(
    stored: &mut StoredEpic,
    id: &str,
    now: Timestamp,
) -> Result<Result<TicketRun, NotRetried>, Halt> {
    let Some(ticket) = stored.tickets.iter_mut().find(|ticket| ticket.id.as_str() == id) else {
        return Ok(Err(NotRetried::Unknown(id.to_owned())));
    };
    if !matches!(ticket.cycle.state(), State::Failed { .. }) {
        let status = ticket.status().as_str();
        return Ok(Err(NotRetried::NotFailed { id: id.to_owned(), status }));
    }
    apply(ticket, Event::Retry, now)?;
    ticket.stopped = None;
    ticket.spent_before = ticket.usage();
    ticket.version += 1;
    if ticket.cycle.state() == &State::Reviewing {
        return Ok(Ok(ticket.clone()));
    }
    ticket.attempts_before = ticket.attempts.len();
    ticket.base_commit = None;
    ticket.final_commit = None;
    ticket.tests = None;
    ticket.criteria.clear();
    ticket.report = None;
    ticket.merge = MergeStep::NotBegun;
    ticket.review_approved = None;
    ticket.completed_at = None;
    Ok(Ok(ticket.clone()))
}
