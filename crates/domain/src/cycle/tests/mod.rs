mod assignment;
mod limits;
mod outcome;
mod properties;
mod storage;
mod story;
mod tables;
mod task;
mod ticket;

use super::*;

fn passed() -> Event {
    Event::reviewed(Outcome::Passed)
}

fn rejected() -> Event {
    Event::reviewed(Outcome::Rejected)
}

fn inconclusive() -> Event {
    Event::reviewed(Outcome::Inconclusive { reason: "cut off".into() })
}

fn crash() -> Event {
    Event::ExecutionFailed { reason: "killed".into() }
}

fn unmergeable() -> Event {
    Event::MergeFailed { reason: "conflict".into() }
}

/// The statuses an item passes through, the first included, and what it is in the end.
fn walk(start: &Cycle, events: &[Event]) -> (Vec<&'static str>, Cycle) {
    let mut cycle = start.clone();
    let mut statuses = vec![cycle.status()];
    for event in events {
        cycle = cycle.apply(event).unwrap().0;
        statuses.push(cycle.status());
    }
    (statuses, cycle)
}

fn after(start: &Cycle, events: &[Event]) -> Cycle {
    walk(start, events).1
}

fn effects(cycle: &Cycle, event: &Event) -> Vec<Effect> {
    cycle.apply(event).unwrap().1
}

fn refused(cycle: &Cycle, event: &Event) -> Illegal {
    cycle.apply(event).unwrap_err()
}
