//! Bringing finished tickets into the epic branch, one after the other.

use domain::cycle::Event;
use domain::epic::run::{MergeStep, TicketRun};
use domain::epic::{Stop, StopReason};
use domain::text::short_line;

use super::build::finished;
use super::leg::Shared;
use super::step::{apply, save, seconds_since, tell};
use super::world::{Halt, MergeMade, MergePublished, World};

/// Somebody else may move the epic branch while we merge; not for ever.
const MOST_TRIES: usize = 10;

/// Only what was reviewed is merged, by its commit: whatever was put on the branch afterwards is not.
pub(super) fn merge(ticket: &mut TicketRun, shared: &Shared<'_>) -> Result<(), Halt> {
    let world = shared.world;
    for _ in 0..MOST_TRIES {
        if world.is_stopped() {
            return Err(Halt::Stopped);
        }
        let work = finished(ticket)?;
        let made = match &ticket.merge {
            MergeStep::Made { from, commit, work: of } if *of == work => Some((from.clone(), commit.clone())),
            MergeStep::Made { .. }
            | MergeStep::NotBegun
            | MergeStep::Merged { .. }
            | MergeStep::Conflict { .. }
            | MergeStep::Refused { .. } => None,
        };
        if let Some((from, commit)) = made {
            match world.publish_merge(&from, &commit)? {
                MergePublished::Done => {
                    let mut next = ticket.clone();
                    next.merge = MergeStep::Merged { commit: commit.clone(), work };
                    save(ticket, next, "merged", world)?;
                    tell(ticket, &format!("merged as {}", commit.short()), world);
                    return Ok(());
                }
                MergePublished::Moved => {}
                MergePublished::InTheWay { what } => return stand_still(ticket, ticket.clone(), what, world),
            }
        }
        tell(ticket, &format!("merging into {}", shared.ground.order.branch), world);
        let from = world.now();
        let made = world.make_merge(ticket, &work)?;
        if world.is_stopped() {
            return Err(Halt::Stopped);
        }
        let mut next = ticket.clone();
        next.merging_seconds += seconds_since(from, world);
        match made {
            MergeMade::Made { from, commit } => {
                next.merge = MergeStep::Made { from, commit, work };
                save(ticket, next, "merge_made", world)?;
            }
            MergeMade::AlreadyIn { tip } => {
                next.merge = MergeStep::Merged { commit: tip, work };
                return save(ticket, next, "merged", world);
            }
            MergeMade::Conflict { files } => {
                let reason = format!("it conflicts with what was merged before: {}", files.join(", "));
                next.merge = MergeStep::Conflict { files };
                return send_back(ticket, next, reason, world);
            }
            MergeMade::Refused { reason } => {
                next.merge = MergeStep::Refused { reason: reason.clone() };
                return send_back(ticket, next, reason, world);
            }
            MergeMade::Moved { what } => {
                return stand_still(ticket, next, what, world);
            }
        }
    }
    let detail =
        format!("{} was moved again and again while it was being merged", shared.ground.order.branch);
    stand_still(ticket, ticket.clone(), detail, world)
}

fn stand_still(
    ticket: &mut TicketRun,
    mut next: TicketRun,
    detail: String,
    world: &dyn World,
) -> Result<(), Halt> {
    tell(ticket, &format!("stops: {detail}"), world);
    next.stopped = Some(Stop { reason: StopReason::Human, detail });
    save(ticket, next, "stopped", world)
}

fn send_back(
    ticket: &mut TicketRun,
    mut next: TicketRun,
    reason: String,
    world: &dyn World,
) -> Result<(), Halt> {
    tell(ticket, &format!("not merged: {}", reason.lines().next().unwrap_or_default()), world);
    apply(&mut next, Event::MergeFailed { reason: short_line(&reason) }, world.now())?;
    save(ticket, next, "merge_failed", world)
}
