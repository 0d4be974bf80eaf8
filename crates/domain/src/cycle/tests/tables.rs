use super::*;

/// Pairs of statuses, from and to. A status may always stay what it is.
type Table = &'static [(&'static str, &'static str)];

/// What is drawn for tickets, and the ways out of trouble that are ours (crash and validation past
/// their limits, blocking, retry).
const TICKET: Table = &[
    ("pending", "queued"),
    ("pending", "blocked"),
    ("queued", "executing"),
    ("queued", "blocked"),
    ("executing", "validating"),
    ("executing", "failed"),
    ("validating", "reviewing"),
    ("validating", "executing"),
    ("validating", "failed"),
    ("reviewing", "completed"),
    ("reviewing", "needs_revision"),
    ("reviewing", "failed"),
    ("needs_revision", "executing"),
    ("completed", "executing"),
    ("completed", "failed"),
    ("blocked", "pending"),
    ("failed", "pending"),
    ("failed", "reviewing"),
];

const TICKET_WITHOUT_REVIEW: Table = &[
    ("pending", "queued"),
    ("pending", "blocked"),
    ("queued", "executing"),
    ("queued", "blocked"),
    ("executing", "validating"),
    ("executing", "failed"),
    ("validating", "completed"),
    ("validating", "executing"),
    ("validating", "failed"),
    ("completed", "executing"),
    ("completed", "failed"),
    ("blocked", "pending"),
    ("failed", "pending"),
];

/// What leaves `escalated`, and what gets there from `in_progress`, is ours.
const ASSIGNMENT: Table = &[
    ("pending", "accepted"),
    ("pending", "in_progress"),
    ("accepted", "in_progress"),
    ("in_progress", "completed"),
    ("in_progress", "escalated"),
    ("completed", "approved"),
    ("completed", "rework"),
    ("completed", "escalated"),
    ("rework", "in_progress"),
    ("escalated", "approved"),
    ("escalated", "rework"),
    ("escalated", "completed"),
    ("escalated", "in_progress"),
    ("escalated", "closed"),
];

const STORY: Table = &[
    ("pending", "reviewing"),
    ("reviewing", "done"),
    ("reviewing", "fixing"),
    ("reviewing", "escalated"),
    ("fixing", "reviewing"),
    ("fixing", "escalated"),
    ("escalated", "blocked"),
    ("escalated", "done"),
    ("escalated", "fixing"),
    ("escalated", "reviewing"),
    ("blocked", "reviewing"),
];

const REVIEW_TASK: Table = &[
    ("pending", "in_progress"),
    ("pending", "cancelled"),
    ("in_progress", "completed"),
    ("in_progress", "pending"),
    ("in_progress", "failed"),
    ("in_progress", "escalated"),
    ("in_progress", "cancelled"),
    ("failed", "pending"),
    ("escalated", "completed"),
    ("escalated", "pending"),
    ("escalated", "cancelled"),
];

const OTHER_TASK: Table = &[
    ("pending", "in_progress"),
    ("pending", "cancelled"),
    ("in_progress", "completed"),
    ("in_progress", "pending"),
    ("in_progress", "failed"),
    ("in_progress", "cancelled"),
    ("failed", "pending"),
];

pub(super) fn table(lifecycle: Lifecycle) -> Table {
    match lifecycle {
        Lifecycle::Ticket { review: ReviewMode::On } => TICKET,
        Lifecycle::Ticket { review: ReviewMode::Off } => TICKET_WITHOUT_REVIEW,
        Lifecycle::Assignment => ASSIGNMENT,
        Lifecycle::Story => STORY,
        Lifecycle::Task { task: TaskKind::Review } => REVIEW_TASK,
        Lifecycle::Task { task: TaskKind::Fix | TaskKind::Other } => OTHER_TASK,
    }
}
