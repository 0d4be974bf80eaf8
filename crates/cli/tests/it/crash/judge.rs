use std::collections::BTreeMap;

use domain::cycle::TaskStatus;
use domain::tasks::{AuditEvent, AuditKind, StoredTask};
use serde_json::Value;

use super::chains::{Chain, Ending, Story};
use super::journal::Journal;
use super::plan::Plan;

/// What must not happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Offence {
    /// Queued, and not there or without an end.
    Lost,
    FinishedTwice,
    /// Claimed while somebody held it.
    HeldTwice,
    /// A write under a lease that was no longer the newest.
    StaleAccepted,
    /// A fix or a review that follows once too often.
    DuplicateFollowUp,
    MissingFollowUp,
    /// A chain that did not come to the end its story has.
    WrongEnding,
    /// Completed, and its work was never done.
    NotDone,
    /// The directory does not say what the store says, or holds what nobody needs any more.
    Disorder,
    /// Not by us.
    ProcessEnded,
}

/// A task and all that happened to it.
pub(crate) struct Record {
    pub(crate) stored: StoredTask,
    pub(crate) events: Vec<AuditEvent>,
}

impl Record {
    pub(crate) fn count(&self, kind: AuditKind) -> usize {
        self.events.iter().filter(|event| event.kind == kind).count()
    }

    fn id(&self) -> &str {
        self.stored.task.id.as_str()
    }

    /// Of a review, or of the review a fix answers.
    fn attempt(&self) -> u32 {
        self.stored.cycle.review_attempt()
    }

    fn chain(&self) -> Option<Chain> {
        self.stored.task.context.get("chain").and_then(Value::as_str)?.parse().ok()
    }

    /// Walks through the log as the store wrote it.
    fn walk(&self, offences: &mut Vec<(Offence, String)>) {
        let mut blame = |offence, event: &AuditEvent| {
            offences.push((
                offence,
                format!("{}: {} with token {:?}", self.id(), event.kind.as_str(), event.token),
            ));
        };
        let (mut newest, mut held, mut ended) = (0, false, false);
        for event in &self.events {
            match event.kind {
                AuditKind::Claimed => {
                    if held {
                        blame(Offence::HeldTwice, event);
                    }
                    if ended {
                        blame(Offence::FinishedTwice, event);
                    }
                    if event.token.is_none_or(|token| token <= newest) {
                        blame(Offence::StaleAccepted, event);
                    }
                    newest = event.token.unwrap_or_default();
                    held = true;
                }
                AuditKind::Completed
                | AuditKind::RetryScheduled
                | AuditKind::Failed
                | AuditKind::Released
                | AuditKind::LeaseExpired
                | AuditKind::Escalated => {
                    if !held || event.token != Some(newest) {
                        blame(Offence::StaleAccepted, event);
                    }
                    if ended && is_an_end(event) {
                        blame(Offence::FinishedTwice, event);
                    }
                    held = false;
                    ended |= is_an_end(event);
                }
                AuditKind::Added => {}
                // Nobody here does any of these.
                AuditKind::Cancelled
                | AuditKind::Retried
                | AuditKind::NoteAdded
                | AuditKind::Paused
                | AuditKind::Resumed
                | AuditKind::AssignmentAdded
                | AuditKind::AssignmentAccepted
                | AuditKind::AssignmentStarted
                | AuditKind::SubmittedForReview
                | AuditKind::SubmittedReviewResult
                | AuditKind::ReviewInconclusive
                | AuditKind::EscalatedForHumanReview
                | AuditKind::EscalationResolved
                | AuditKind::EpicChanged
                | AuditKind::TicketChanged => {
                    blame(Offence::WrongEnding, event);
                }
            }
        }
        if !ended || held {
            offences.push((Offence::Lost, format!("{} has no end in the log", self.id())));
        }
        if self.count(AuditKind::Added) != 1 {
            offences.push((Offence::FinishedTwice, format!("{} was not added once", self.id())));
        }
    }

    /// What each review of the chain so far said, as the last event tells it.
    fn history(&self) -> Vec<String> {
        let detail = self.events.last().map(|event| &event.detail);
        let told = detail.and_then(|detail| detail.get("detail").unwrap_or(detail).get("review_history"));
        let entries = told.and_then(Value::as_array).into_iter().flatten();
        entries.filter_map(|entry| entry["verdict"].as_str().map(str::to_owned)).collect()
    }
}

fn is_an_end(event: &AuditEvent) -> bool {
    match event.kind {
        AuditKind::Completed | AuditKind::Failed | AuditKind::Escalated | AuditKind::Cancelled => true,
        AuditKind::LeaseExpired => event.detail["status"] == "failed",
        AuditKind::Added
        | AuditKind::Claimed
        | AuditKind::RetryScheduled
        | AuditKind::Released
        | AuditKind::Retried
        | AuditKind::NoteAdded
        | AuditKind::Paused
        | AuditKind::Resumed
        | AuditKind::AssignmentAdded
        | AuditKind::AssignmentAccepted
        | AuditKind::AssignmentStarted
        | AuditKind::SubmittedForReview
        | AuditKind::SubmittedReviewResult
        | AuditKind::ReviewInconclusive
        | AuditKind::EscalatedForHumanReview
        | AuditKind::EscalationResolved
        | AuditKind::EpicChanged
        | AuditKind::TicketChanged => false,
    }
}

/// Everything there is to judge from.
pub(crate) struct Case<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) records: &'a [Record],
    pub(crate) journal: &'a Journal,
}

impl Case<'_> {
    pub(crate) fn judge(&self) -> Vec<(Offence, String)> {
        let mut offences = Vec::new();
        self.records.iter().for_each(|record| record.walk(&mut offences));
        let mut chains: BTreeMap<String, Vec<&Record>> = BTreeMap::new();
        for record in self.records {
            match record.chain() {
                Some(chain) => chains.entry(chain.name()).or_default().push(record),
                None => offences.push((Offence::WrongEnding, format!("{} is of no chain", record.id()))),
            }
        }
        for chain in (0..self.plan.chains()).map(Chain::numbered) {
            let tasks = chains.remove(&chain.name()).unwrap_or_default();
            if !tasks.iter().any(|record| record.id() == chain.first_task()) {
                offences.push((Offence::Lost, format!("{} is not in the store", chain.first_task())));
            }
            self.judge_chain(chain, &tasks, &mut offences);
        }
        offences
    }

    fn judge_chain(&self, chain: Chain, tasks: &[&Record], offences: &mut Vec<(Offence, String)>) {
        let name = chain.name();
        let of_kind = |kind: &str, attempt: u32| {
            tasks.iter().filter(move |r| r.stored.task.kind == kind && r.attempt() == attempt).count()
        };
        let expected = [("review", chain.story.reviews()), ("fix", chain.story.fixes())];
        for (kind, most) in expected {
            for attempt in 1..=most {
                match of_kind(kind, attempt) {
                    0 => offences.push((Offence::MissingFollowUp, format!("{name}: no {kind} {attempt}"))),
                    1 => {}
                    many => offences
                        .push((Offence::DuplicateFollowUp, format!("{name}: {many} of {kind} {attempt}"))),
                }
            }
        }
        let wanted = chain.story.reviews() + chain.story.fixes() + u32::from(chain.story == Story::Plain);
        if tasks.len() > wanted as usize {
            offences
                .push((Offence::DuplicateFollowUp, format!("{name}: {} tasks, not {wanted}", tasks.len())));
        }
        for record in tasks {
            self.judge_end(chain, record, offences);
        }
    }

    fn judge_end(&self, chain: Chain, record: &Record, offences: &mut Vec<(Offence, String)>) {
        let (kind, last) = (record.stored.task.kind.as_str(), record.attempt() == chain.story.reviews());
        let expected = match (kind, chain.story.ends()) {
            ("review", Ending::Escalated) if last => TaskStatus::Escalated,
            _ => TaskStatus::Completed,
        };
        let status = record.stored.task.status;
        let mut wrong =
            |what: String| offences.push((Offence::WrongEnding, format!("{}: {what}", record.id())));
        if status != expected {
            wrong(format!("{} because of {:?}", status.as_str(), record.stored.reason));
        }
        if kind == "review" {
            let mut verdicts = vec!["fail"; record.attempt() as usize];
            if last && chain.story.ends() == Ending::Completed {
                verdicts.pop();
                verdicts.push("pass");
            }
            if record.history() != verdicts {
                wrong(format!("its history is {:?}, not {verdicts:?}", record.history()));
            }
        } else if !self.journal.was_done(record.id()) {
            offences.push((Offence::NotDone, record.id().to_owned()));
        }
    }
}
