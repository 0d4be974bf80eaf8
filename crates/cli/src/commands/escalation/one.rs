use domain::assignments::AssignmentId;
use domain::ports::AssignmentError;
use domain::tasks::TaskId;
use engine::escalation::{self, EscalationKind, EscalationRef, OpenEscalation};
use store::Store;

use crate::desk::{Access, DeskArgs};
use crate::failure::Failure;

/// What is escalated under a name.
#[derive(Debug)]
pub(super) enum Found {
    Task(TaskId),
    Assignment(AssignmentId),
}

/// The one escalation of that name, or what to type instead.
pub(super) fn find(desk: &DeskArgs, name: &EscalationRef) -> Result<Found, Failure> {
    let mut found = desk.with_desk(Access::Read, async |at| looked_for(&at.desk.store, name).await)?;
    let nothing = || {
        Failure::new(
            format!("{name} is not escalated"),
            "`countersign escalation list` shows what waits for a person",
        )
    };
    match (found.pop(), found.pop()) {
        (Some(one), None) => identified(&one).ok_or_else(nothing),
        (Some(one), Some(other)) => Err(Failure::new(
            format!("{name} is escalated twice, as {} and {}", other.name(), one.name()),
            "say which one is meant",
        )),
        (None, _) => Err(nothing()),
    }
}

fn identified(one: &OpenEscalation) -> Option<Found> {
    match one.kind {
        EscalationKind::Task => TaskId::parse(&one.id).ok().map(Found::Task),
        EscalationKind::Assignment => one.id.parse().ok().map(Found::Assignment),
    }
}

async fn looked_for(store: &Store, name: &EscalationRef) -> Result<Vec<OpenEscalation>, AssignmentError> {
    escalation::find(store, name).await
}
