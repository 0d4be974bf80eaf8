use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::TaskId;
use crate::assignments::AssignmentId;

/// One line of the activity log. Written in the transaction of what it tells of, and never changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditEvent {
    pub seq: i64,
    pub at: Timestamp,
    /// Nothing where an assignment or an agent as a whole was meant.
    pub task: Option<TaskId>,
    /// The assignment it happened to, if it was one.
    pub assignment: Option<AssignmentId>,
    pub kind: AuditKind,
    /// Who did it: a holder, an agent, a person.
    pub actor: String,
    /// Of the lease it happened under.
    pub token: Option<i64>,
    pub detail: Value,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuditKind {
    Added,
    Claimed,
    Completed,
    /// Did not work out and is tried again.
    RetryScheduled,
    Failed,
    Released,
    /// The holder was gone; detail says who.
    LeaseExpired,
    Cancelled,
    /// A human had it begin again.
    Retried,
    Escalated,
    /// Somebody left word for whoever works on it next.
    NoteAdded,
    Paused,
    Resumed,
    AssignmentAdded,
    AssignmentAccepted,
    AssignmentStarted,
    SubmittedForReview,
    /// A verdict on an assignment that was not its last chance.
    SubmittedReviewResult,
    ReviewInconclusive,
    /// A verdict, or the want of one, that leaves an assignment to a person. Detail holds the whole context.
    EscalatedForHumanReview,
    EscalationResolved,
    /// Somebody began an epic, took it over, or it came to rest. Detail names it.
    EpicChanged,
    /// Something happened to a ticket. Detail names it and its epic.
    TicketChanged,
}

impl AuditKind {
    pub const ALL: [AuditKind; 23] = [
        AuditKind::Added,
        AuditKind::Claimed,
        AuditKind::Completed,
        AuditKind::RetryScheduled,
        AuditKind::Failed,
        AuditKind::Released,
        AuditKind::LeaseExpired,
        AuditKind::Cancelled,
        AuditKind::Retried,
        AuditKind::Escalated,
        AuditKind::NoteAdded,
        AuditKind::Paused,
        AuditKind::Resumed,
        AuditKind::AssignmentAdded,
        AuditKind::AssignmentAccepted,
        AuditKind::AssignmentStarted,
        AuditKind::SubmittedForReview,
        AuditKind::SubmittedReviewResult,
        AuditKind::ReviewInconclusive,
        AuditKind::EscalatedForHumanReview,
        AuditKind::EscalationResolved,
        AuditKind::EpicChanged,
        AuditKind::TicketChanged,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            AuditKind::Added => "added",
            AuditKind::Claimed => "claimed",
            AuditKind::Completed => "completed",
            AuditKind::RetryScheduled => "retry_scheduled",
            AuditKind::Failed => "failed",
            AuditKind::Released => "released",
            AuditKind::LeaseExpired => "lease_expired",
            AuditKind::Cancelled => "cancelled",
            AuditKind::Retried => "retried",
            AuditKind::Escalated => "escalated",
            AuditKind::NoteAdded => "note_added",
            AuditKind::Paused => "paused",
            AuditKind::Resumed => "resumed",
            AuditKind::AssignmentAdded => "assignment_added",
            AuditKind::AssignmentAccepted => "assignment_accepted",
            AuditKind::AssignmentStarted => "assignment_started",
            AuditKind::SubmittedForReview => "submitted_for_review",
            AuditKind::SubmittedReviewResult => "submitted_review_result",
            AuditKind::ReviewInconclusive => "review_inconclusive",
            AuditKind::EscalatedForHumanReview => "escalated_for_human_review",
            AuditKind::EscalationResolved => "escalation_resolved",
            AuditKind::EpicChanged => "epic_changed",
            AuditKind::TicketChanged => "ticket_changed",
        }
    }
}
