//! What follows for tickets from what became of those they depend on.

use std::collections::BTreeSet;

use domain::cycle::{Blocker, Event, State};
use domain::epic::TicketIndex;
use domain::epic::run::{StoredEpic, TicketRun};

use super::Ground;
use super::step::{step, tell};
use super::world::{Halt, World};

/// Blocks what cannot begin, frees what can again, and queues what is ready. Found from how things are and not from what
/// just happened, so it may be done at any time and twice. Tickets in `busy` are somebody else's for now.
pub(super) fn settle(
    tickets: &mut [TicketRun],
    ground: &Ground,
    busy: &BTreeSet<usize>,
    world: &dyn World,
) -> Result<(), Halt> {
    for TicketIndex(index) in ground.plan.order.clone() {
        if busy.contains(&index) {
            continue;
        }
        let events = due(tickets, ground, index);
        if let Some(ticket) = tickets.get_mut(index) {
            settle_one(ticket, events, world)?;
        }
        let ready = tickets.get(index).is_some_and(|ticket| ticket.cycle.state() == &State::Pending)
            && ground.plan.dependencies_of(TicketIndex(index)).iter().all(|TicketIndex(before)| {
                tickets.get(*before).is_some_and(|before| before.is_complete(ground.order.merging))
            });
        if let Some(ticket) = tickets.get_mut(index).filter(|_| ready) {
            step(ticket, Event::Enqueue, world)?;
        }
    }
    Ok(())
}

/// All that is due to one ticket. That it is blocked is told once, however many things it waits for.
fn settle_one(ticket: &mut TicketRun, events: Vec<Event>, world: &dyn World) -> Result<(), Halt> {
    let was_blocked = matches!(ticket.cycle.state(), State::Blocked { .. });
    for event in events {
        step(ticket, event, world)?;
    }
    if let State::Blocked { by: Blocker::Dependencies { failed } } = ticket.cycle.state()
        && !was_blocked
    {
        let names = failed.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        tell(ticket, &format!("blocked: it depends on {names}, which cannot be completed"), world);
    }
    Ok(())
}

/// Whether nothing happens to any ticket before a human does something.
pub fn is_at_rest(stored: &StoredEpic, ground: &Ground) -> bool {
    if stored.run.stopped.is_some() {
        return true;
    }
    let mut moving = BTreeSet::new();
    for place in &ground.plan.order {
        let Some(ticket) = stored.tickets.get(place.0) else { continue };
        let mut before = ground.plan.dependencies_of(*place).iter();
        let can_move = match ticket.cycle.state() {
            State::Pending => before.all(|TicketIndex(index)| {
                let complete = |ticket: &TicketRun| ticket.is_complete(stored.run.order.merging);
                moving.contains(index) || stored.tickets.get(*index).is_some_and(complete)
            }),
            State::Done { .. } => !ticket.is_complete(stored.run.order.merging),
            State::Queued
            | State::Accepted
            | State::Working { .. }
            | State::Validating
            | State::Reviewing
            | State::SentBack => true,
            State::Failed { .. } | State::Blocked { .. } | State::Escalated { .. } | State::Closed => false,
        };
        if can_move && ticket.stopped.is_none() {
            moving.insert(place.0);
        }
    }
    moving.is_empty()
}

/// The events that a ticket's dependencies have for it. In the order of the plan everything before it is settled.
fn due(tickets: &[TicketRun], ground: &Ground, index: usize) -> Vec<Event> {
    let Some(ticket) = tickets.get(index) else { return Vec::new() };
    let nothing = BTreeSet::new();
    let known = match ticket.cycle.state() {
        State::Pending | State::Queued => &nothing,
        State::Blocked { by: Blocker::Dependencies { failed } } => failed,
        State::Blocked { by: Blocker::Human { .. } }
        | State::Accepted
        | State::Working { .. }
        | State::Validating
        | State::Reviewing
        | State::SentBack
        | State::Done { .. }
        | State::Failed { .. }
        | State::Escalated { .. }
        | State::Closed => return Vec::new(),
    };
    let mut failed = Vec::new();
    let mut recovered = Vec::new();
    for TicketIndex(before) in ground.plan.dependencies_of(TicketIndex(index)) {
        let Some(before) = tickets.get(*before) else { continue };
        let dependency = before.id.to_string();
        let hopeless = matches!(before.cycle.state(), State::Failed { .. } | State::Blocked { .. });
        match (hopeless, known.contains(&dependency)) {
            (true, false) => failed.push(Event::DependencyFailed { dependency }),
            (false, true) => recovered.push(Event::DependencyRecovered { dependency }),
            (true, true) | (false, false) => {}
        }
    }
    // First the bad news: otherwise it would be free for a moment.
    failed.into_iter().chain(recovered).collect()
}
