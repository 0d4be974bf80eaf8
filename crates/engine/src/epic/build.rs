//! Building and validating.

use domain::change::Oid;
use domain::cycle::{Event, Work};
use domain::epic::run::{Attempt, AttemptResult, MergeStep, TicketRun};
use domain::epic::{Stop, StopReason};
use domain::formats::contexts::RevisionContext;
use domain::ports::AuthorReport;
use domain::text::short_line;

use super::leg::Leg;
use super::read_criteria;
use super::step::{apply, cut_off, save, seconds_since, tell, tell_wait};
use super::world::{BuildJob, Built, Halt, Placed, Validated};

pub(super) const UNCHANGED: &str = "nothing was changed";

impl Leg<'_> {
    pub(super) fn build(&self, ticket: &mut TicketRun, work: Work) -> Result<(), Halt> {
        let world = self.shared.world;
        let base = ticket.base_commit.clone().ok_or_else(|| without(ticket, "a base"))?;
        let start = ticket.final_commit.clone().unwrap_or_else(|| base.clone());
        let revision = self.revision(ticket)?;
        let complaint = complaint(ticket, work);
        let job = BuildJob {
            ticket,
            item: self.item,
            bounds: self.bounds,
            work,
            base: &base,
            start: &start,
            revision: revision.as_ref(),
            complaint: complaint.as_deref(),
        };
        tell(ticket, &format!("{} {}", self.shared.ground.order.builder, verb(work)), world);
        let began = world.now();
        let built = world.build(&job);
        if world.is_stopped() {
            return Err(cut_off(ticket, began, 1, world));
        }
        let built = built?;
        let mut next = ticket.clone();
        let event = take(&mut next, built, work, began);
        self.shared.purse.pay(next.attempt().and_then(|attempt| attempt.usage));
        if let Some(attempt) = next.attempt() {
            let claims = read_criteria(&attempt.summary, &self.item.criteria);
            next.criteria = claims.criteria;
        }
        if let Event::ExecutionFailed { reason } = &event {
            tell(ticket, &format!("not built: {reason}"), world);
        }
        let name = event.name();
        apply(&mut next, event, world.now())?;
        save(ticket, next, name, world)?;
        tell_wait(ticket, world);
        Ok(())
    }

    /// What the last review asked for, checked and cleaned before a builder sees it.
    fn revision(&self, ticket: &TicketRun) -> Result<Option<RevisionContext>, Halt> {
        let Some(report) = ticket.rejection() else { return Ok(None) };
        let context = RevisionContext::new(self.item, report.clone(), &ticket.history);
        context.map(Some).map_err(|wrong| Halt::Failed {
            what: format!("ticket {}: its review cannot be passed on: {}", ticket.id, wrong.join("; ")),
            hint: "this is a fault in Countersign: please report it".to_owned(),
        })
    }

    pub(super) fn validate(&self, ticket: &mut TicketRun) -> Result<(), Halt> {
        let world = self.shared.world;
        let mut next = ticket.clone();
        let mut took = 0;
        let placed = match &ticket.final_commit {
            Some(_) => Some(world.place_branch(ticket)?),
            None => None,
        };
        let lost = match placed {
            None => None,
            Some(Placed::AtTheWork) => {
                next.branch_commit.clone_from(&next.final_commit);
                None
            }
            Some(Placed::Lost) => {
                next.final_commit.clone_from(&next.branch_commit);
                Some("its commit is gone".to_owned())
            }
            Some(Placed::Moved { what }) => {
                tell(ticket, &format!("stops: {what}"), world);
                next.stopped = Some(Stop { reason: StopReason::Human, detail: what });
                return save(ticket, next, "stopped", world);
            }
        };
        let reason = match lost.or_else(|| self.before_validation(ticket)) {
            Some(reason) => Some(reason),
            None => {
                tell(ticket, "validating", world);
                let from = world.now();
                let validated = world.validate(ticket);
                if world.is_stopped() {
                    return Err(cut_off(ticket, from, 0, world));
                }
                let validated = validated?;
                took = seconds_since(from, world);
                match validated {
                    Validated::Passed { tests } => {
                        next.tests = Some(tests);
                        None
                    }
                    Validated::Failed { reason } => Some(reason),
                }
            }
        };
        let (result, event) = match reason {
            None => (AttemptResult::Valid, Event::ValidationPassed),
            Some(reason) => {
                tell(ticket, &format!("not valid: {}", first_line(&reason)), world);
                // The whole of it is kept with the attempt.
                let event = Event::ValidationFailed { reason: short_line(&reason) };
                (AttemptResult::Invalid { reason }, event)
            }
        };
        if let Some(attempt) = next.attempts.last_mut() {
            attempt.result = result;
            attempt.checked_seconds += took;
        }
        let name = event.name();
        apply(&mut next, event, world.now())?;
        save(ticket, next, name, world)?;
        if ticket.is_done() {
            tell(ticket, "completed, without review", world);
        }
        Ok(())
    }

    /// What needs no look at the work.
    fn before_validation(&self, ticket: &TicketRun) -> Option<String> {
        let attempt = ticket.attempt()?;
        if let AttemptResult::Invalid { reason } = &attempt.result {
            return Some(reason.clone());
        }
        if ticket.final_commit.is_none() {
            return Some(UNCHANGED.to_owned());
        }
        // However often it was repaired since: the same is not reviewed until somebody likes it.
        let rejected = ticket.rejected().map(|review| &review.commit);
        let is_what_was_rejected = rejected.is_some() && rejected == ticket.final_commit.as_ref();
        let pointless = match attempt.work {
            Work::Build | Work::Revise | Work::Rebase => attempt.result == AttemptResult::Unchanged,
            // What was missing may have been a word, and not code.
            Work::Repair => false,
        };
        if pointless || is_what_was_rejected {
            return Some(UNCHANGED.to_owned());
        }
        read_criteria(&attempt.summary, &self.item.criteria).complaint()
    }
}

/// Writes down what became of a builder's go.
fn take(ticket: &mut TicketRun, built: Built, work: Work, began: jiff::Timestamp) -> Event {
    let empty = Attempt {
        number: ticket.cycle.revision_count(),
        work,
        at: began,
        took_seconds: 0,
        checked_seconds: 0,
        commit: None,
        summary: String::new(),
        usage: None,
        remarks: Vec::new(),
        result: AttemptResult::Submitted,
        reviews: Vec::new(),
    };
    let told = |report: AuthorReport, took: std::time::Duration| Attempt {
        took_seconds: took.as_secs(),
        summary: report.summary,
        usage: report.usage,
        remarks: report.remarks,
        ..empty.clone()
    };
    let (attempt, event) = match built {
        Built::Changed { base, commit, report, took } => {
            ticket.base_commit = Some(base);
            ticket.final_commit = Some(commit.clone());
            (Attempt { commit: Some(commit), ..told(report, took) }, Event::Submit)
        }
        Built::Unchanged { report, took } => {
            (Attempt { result: AttemptResult::Unchanged, ..told(report, took) }, Event::Submit)
        }
        Built::Unfitted { base, commit, reason, report, took } => {
            ticket.base_commit = Some(base);
            ticket.final_commit = Some(commit);
            (Attempt { result: AttemptResult::Invalid { reason }, ..told(report, took) }, Event::Submit)
        }
        Built::Refused { reason, report, took } => {
            (Attempt { result: AttemptResult::Invalid { reason }, ..told(report, took) }, Event::Submit)
        }
        Built::Failed { reason, took } => {
            let result = AttemptResult::Crashed { reason: reason.clone() };
            let attempt = Attempt { took_seconds: took.as_secs(), result, ..empty };
            (attempt, Event::ExecutionFailed { reason })
        }
    };
    ticket.attempts.push(attempt);
    event
}

/// Why the builder is at it again, if not for a review.
fn complaint(ticket: &TicketRun, work: Work) -> Option<String> {
    match work {
        Work::Build | Work::Revise => None,
        Work::Repair => ticket.present_attempts().iter().rev().find_map(|attempt| match &attempt.result {
            AttemptResult::Invalid { reason } => Some(reason.clone()),
            AttemptResult::Submitted
            | AttemptResult::Unchanged
            | AttemptResult::Valid
            | AttemptResult::Crashed { .. } => None,
        }),
        Work::Rebase => match &ticket.merge {
            MergeStep::Conflict { files } => Some(format!("conflicts in {}", files.join(", "))),
            MergeStep::Refused { reason } => Some(reason.clone()),
            MergeStep::NotBegun | MergeStep::Made { .. } | MergeStep::Merged { .. } => None,
        },
    }
}

fn verb(work: Work) -> &'static str {
    match work {
        Work::Build => "builds it",
        Work::Revise => "revises it",
        Work::Repair => "repairs what validation found",
        Work::Rebase => "fits it to what was merged before",
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

fn without(ticket: &TicketRun, what: &str) -> Halt {
    Halt::Failed {
        what: format!("ticket {} has not {what}", ticket.id),
        hint: "its stored state was changed by hand; retry the ticket".to_owned(),
    }
}

/// The commit a ticket's review is about.
pub(super) fn finished(ticket: &TicketRun) -> Result<Oid, Halt> {
    ticket.final_commit.clone().ok_or_else(|| without(ticket, "any work"))
}
