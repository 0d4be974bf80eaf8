//! How a ticket changes: by an event its cycle accepts, and never otherwise.

use domain::cycle::{Effect, Event, State};
use domain::epic::run::{Logged, TicketRun};
use jiff::{SignedDuration, Timestamp};

use super::world::{Halt, TicketMoment, World};

/// Takes the event, and lets the machine say what it means.
pub(super) fn apply(ticket: &mut TicketRun, event: Event, now: Timestamp) -> Result<(), Halt> {
    let (cycle, effects) = ticket.cycle.apply(&event).map_err(|illegal| Halt::Failed {
        what: format!("ticket {}: {illegal}", ticket.id),
        hint: "this is a fault in Countersign: please report it".to_owned(),
    })?;
    ticket.cycle = cycle;
    ticket.log.push(Logged { at: now, event });
    ticket.not_before = None;
    effects.iter().for_each(|effect| record(ticket, effect, now));
    Ok(())
}

fn record(ticket: &mut TicketRun, effect: &Effect, now: Timestamp) {
    match effect {
        Effect::SpawnBuilder { after_seconds, .. } | Effect::SpawnReviewer { after_seconds, .. } => {
            let wait = SignedDuration::from_secs(i64::from(*after_seconds));
            ticket.not_before = (*after_seconds > 0).then(|| now.checked_add(wait).ok()).flatten();
        }
        Effect::RecordReviewStarted => ticket.review_started_at = Some(now),
        Effect::RecordReviewCompleted { .. } => ticket.review_completed_at = Some(now),
        Effect::RecordReviewApproved => ticket.review_approved = Some(true),
        Effect::RecordFeedback { .. } => ticket.review_approved = Some(false),
        Effect::RecordCompleted => ticket.completed_at = Some(now),
        Effect::ClearCompleted => {
            ticket.completed_at = None;
            ticket.review_approved = None;
        }
        // What is to be done next is read off the state, what depends on a ticket is settled by the scheduler, and
        // the reason of a failure is the cycle's own.
        Effect::RunValidation
        | Effect::PrepareRevisionContext { .. }
        | Effect::RecordFailure { .. }
        | Effect::BlockDependents
        | Effect::FreeDependents
        | Effect::HandToHuman { .. } => {}
        // Other lifecycles'.
        Effect::SpawnFixer { .. }
        | Effect::RetryAfter { .. }
        | Effect::RecordAcceptedFindings
        | Effect::LogActivity { .. }
        | Effect::LogReview { .. }
        | Effect::QueueFixTask { .. }
        | Effect::QueueReviewTask { .. } => {}
    }
}

/// Stores `next` and only then lets it be the ticket.
pub(super) fn save(
    ticket: &mut TicketRun,
    mut next: TicketRun,
    event: &str,
    world: &dyn World,
) -> Result<(), Halt> {
    next.version = ticket.version + 1;
    world.save(&next, event)?;
    *ticket = next;
    Ok(())
}

/// An event and nothing else.
pub(super) fn step(ticket: &mut TicketRun, event: Event, world: &dyn World) -> Result<(), Halt> {
    let (mut next, name) = (ticket.clone(), event.name());
    apply(&mut next, event, world.now())?;
    save(ticket, next, name, world)
}

/// Somebody stopped the run while a ticket was being worked on: what that took is written down, and the work is done again
/// later. A store that does not take it keeps nobody from stopping.
pub(super) fn cut_off(ticket: &mut TicketRun, began: Timestamp, calls: u32, world: &dyn World) -> Halt {
    let mut next = ticket.clone();
    next.cut_off.seconds = next.cut_off.seconds.saturating_add(seconds_since(began, world));
    next.cut_off.calls = next.cut_off.calls.saturating_add(calls);
    let _ = save(ticket, next, "cut_off", world);
    Halt::Stopped
}

/// Whole seconds of work.
pub(super) fn seconds_since(from: Timestamp, world: &dyn World) -> u64 {
    u64::try_from(world.now().duration_since(from).as_secs()).unwrap_or(0)
}

/// Says how long a ticket waits before it is tried again, and which retry that is.
pub(super) fn tell_wait(ticket: &TicketRun, world: &dyn World) {
    let Some(moment) = ticket.not_before else { return };
    let seconds = moment.duration_since(world.now()).as_secs().max(0);
    let (counters, limits) = (ticket.cycle.counters(), ticket.cycle.limits());
    let (retry, most) = match ticket.cycle.state() {
        State::Reviewing => (counters.inconclusive, limits.inconclusive_retries),
        _ => (counters.execution_failures, limits.max_retries),
    };
    tell(ticket, &format!("waiting {seconds} s, retry {retry} of {most}"), world);
}

pub(super) fn tell(ticket: &TicketRun, text: &str, world: &dyn World) {
    world.tell(&TicketMoment { ticket: Some(ticket), text });
}
