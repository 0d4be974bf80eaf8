use jiff::Timestamp;

use super::{MergeStep, StoredEpic, TicketRun};
use crate::change::Oid;
use crate::cycle::{Blocker, State};
use crate::epic::state_file::{EpicState, TicketState};
use crate::epic::{EpicDocument, Stop, StopReason};

/// What `epic-state.json` says of a run. The store is the truth; this follows it.
pub fn state_of(stored: &StoredEpic, document: &EpicDocument) -> EpicState {
    let StoredEpic { run, tickets } = stored;
    let mut state = EpicState {
        epic_id: Some(run.order.id.to_string()),
        epic_branch: Some(run.order.branch.clone()),
        base_branch: Some(run.order.base_branch.clone()),
        base_commit: Some(run.order.base_commit.to_string()),
        epic_commit: Some(run.epic_commit.to_string()),
        started_at: Some(run.started_at),
        completed_at: run.finished_at,
        updated_at: Some(stored.updated_at()),
        stopped: run.stopped.clone(),
        ..EpicState::default()
    };
    for ticket in tickets {
        let mut shown = ticket.state();
        shown.stopped = stored.stop_of(ticket);
        if let Some(entry) = document.ticket(ticket.id.as_str()) {
            shown.depends_on = entry.depends_on.iter().map(ToString::to_string).collect();
        }
        state.tickets.insert(ticket.id.to_string(), shown);
    }
    state
}

impl StoredEpic {
    /// When something last happened to it. Told by what is stored alone, so that everybody tells the same.
    fn updated_at(&self) -> Timestamp {
        let run = [Some(self.run.resumed_at), self.run.finished_at].into_iter().flatten();
        let tickets = self.tickets.iter().filter_map(|ticket| ticket.log.last()).map(|logged| logged.at);
        run.chain(tickets).max().unwrap_or(self.run.started_at)
    }

    /// Why nothing happens to a ticket: for what it is itself, or because nothing happens to any.
    pub fn stop_of(&self, ticket: &TicketRun) -> Option<Stop> {
        let open = !ticket.is_complete(self.run.order.merging);
        ticket.stop().or_else(|| self.run.stopped.clone().filter(|_| open))
    }
}

impl TicketRun {
    fn state(&self) -> TicketState {
        let text = |oid: &Option<Oid>| oid.as_ref().map(ToString::to_string);
        TicketState {
            branch: self.branch_commit.as_ref().map(|_| self.branch()),
            base_commit: text(&self.base_commit),
            final_commit: text(&self.final_commit),
            started_at: self.started_at,
            completed_at: self.completed_at,
            failure_reason: self.cycle.failure_reason(),
            merged_commit: match &self.merge {
                MergeStep::Merged { commit, .. } => Some(commit.to_string()),
                MergeStep::NotBegun
                | MergeStep::Made { .. }
                | MergeStep::Conflict { .. }
                | MergeStep::Refused { .. } => None,
            },
            revision_count: self.cycle.revision_count(),
            review_started_at: self.review_started_at,
            review_completed_at: self.review_completed_at,
            review_approved: self.review_approved,
            review_history: self.history.iter().cloned().map(Into::into).collect(),
            current_review_report: self.report.clone().map(Into::into),
            ..TicketState::new(self.status())
        }
    }

    /// Why nothing happens to it, in the five words there are for that.
    pub fn stop(&self) -> Option<Stop> {
        match self.cycle.state() {
            State::Failed { .. } => Some(Stop {
                reason: StopReason::Limit,
                detail: self.cycle.failure_reason().unwrap_or_default(),
            }),
            State::Blocked { by: Blocker::Dependencies { failed } } => {
                let names: Vec<&str> = failed.iter().map(String::as_str).collect();
                Some(Stop {
                    reason: StopReason::Dependency,
                    detail: format!("waits for {}", names.join(", ")),
                })
            }
            State::Pending
            | State::Queued
            | State::Accepted
            | State::Working { .. }
            | State::Validating
            | State::Reviewing
            | State::SentBack
            | State::Done { .. }
            | State::Blocked { by: Blocker::Human { .. } }
            | State::Escalated { .. }
            | State::Closed => self.stopped.clone(),
        }
    }
}
