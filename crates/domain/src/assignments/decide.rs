use jiff::Timestamp;
use serde_json::{Value, json};

use super::permit::name_reviewer;
use super::{
    AfterAccept, Assignment, AssignmentId, BranchName, Caller, Feedback, NewAssignment, Refusal, Review,
    ReviewOutcome, Role, Step, Submission, Verdict, may_review, may_work_on,
};
use crate::cycle::{Activity, AssignmentStatus, Cycle, Effect, Event, Outcome, Resolution};
use crate::tasks::AuditKind;

/// What a step comes to: all of it is stored together, or none of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// As it stands afterwards.
    pub assignment: Assignment,
    pub effects: Vec<Effect>,
    /// For the activity log, in order.
    pub entries: Vec<Entry>,
    /// For the history of verdicts.
    pub review: Option<Review>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub kind: AuditKind,
    pub detail: Value,
}

impl NewAssignment {
    /// How it stands in the store at first.
    pub fn begin(&self, id: AssignmentId, by: &Caller, now: Timestamp) -> Assignment {
        Assignment {
            id,
            task: self.task.clone(),
            title: self.title.clone(),
            description: self.description.clone(),
            agent: self.agent.clone(),
            reviewer: self.reviewer.clone(),
            branch: self.branch.clone(),
            base: self.base.clone(),
            base_commit: None,
            head_commit: None,
            cycle: self.cycle.clone(),
            review_feedback: None,
            rejected_by: Vec::new(),
            submissions: 0,
            context: self.context.clone(),
            created_by: by.name().to_owned(),
            created_at: now,
            accepted_at: None,
            started_at: None,
            completed_at: None,
            reviewed_at: None,
            updated_at: now,
        }
    }
}

/// Applies a step to an assignment as it stands, or says why not.
pub fn decide(
    assignment: &Assignment,
    step: &Step,
    by: &Caller,
    now: Timestamp,
) -> Result<Decision, Refusal> {
    let mut change = Change::of(assignment, now);
    match step {
        Step::Accept { then } => change.accept(*then, by)?,
        Step::Submit(submission) => change.submit(submission, by)?,
        Step::Review(verdict) => change.review(verdict, by)?,
        Step::Resolve { resolution, note } => {
            change.resolve(*resolution, note.as_ref().map(Feedback::as_str), by)?;
        }
    }
    Ok(change.0)
}

struct Change(Decision);

impl Change {
    fn of(assignment: &Assignment, now: Timestamp) -> Change {
        let assignment = Assignment { updated_at: now, ..assignment.clone() };
        Change(Decision { assignment, effects: Vec::new(), entries: Vec::new(), review: None })
    }

    fn accept(&mut self, then: AfterAccept, by: &Caller) -> Result<(), Refusal> {
        may_work_on(self.assignment(), by)?;
        let (id, status) = (self.assignment().id, self.assignment().status());
        match (status, then) {
            (AssignmentStatus::Pending, then) => {
                self.apply(&Event::Accept)?;
                self.0.assignment.accepted_at = Some(self.now());
                self.log(AuditKind::AssignmentAccepted, json!({ "agent": by.name() }));
                match then {
                    AfterAccept::Begin => self.start(by),
                    AfterAccept::Wait => Ok(()),
                }
            }
            (AssignmentStatus::Accepted, AfterAccept::Begin) | (AssignmentStatus::Rework, _) => {
                self.start(by)
            }
            (AssignmentStatus::Accepted, AfterAccept::Wait)
            | (
                AssignmentStatus::InProgress
                | AssignmentStatus::Completed
                | AssignmentStatus::Approved
                | AssignmentStatus::Escalated
                | AssignmentStatus::Closed,
                _,
            ) => Err(Refusal::AlreadyAccepted { id, status: status.as_str() }),
        }
    }

    fn start(&mut self, by: &Caller) -> Result<(), Refusal> {
        self.apply(&Event::Start)?;
        self.0.assignment.started_at = Some(self.now());
        let attempt = self.assignment().review_attempt();
        self.log(AuditKind::AssignmentStarted, json!({ "agent": by.name(), "review_attempt": attempt }));
        Ok(())
    }

    /// Whoever submits what it has merely accepted has begun it meanwhile.
    fn submit(&mut self, submission: &Submission, by: &Caller) -> Result<(), Refusal> {
        may_work_on(self.assignment(), by)?;
        let (id, status) = (self.assignment().id, self.assignment().status());
        match status {
            AssignmentStatus::Pending | AssignmentStatus::Rework => {
                return Err(Refusal::AcceptFirst { id, status: status.as_str() });
            }
            AssignmentStatus::Completed => {
                let head = self.assignment().head_commit.as_ref().map(ToString::to_string);
                return Err(Refusal::AlreadySubmitted { id, head: head.unwrap_or_default() });
            }
            AssignmentStatus::Accepted => self.start(by)?,
            AssignmentStatus::Escalated => return Err(Refusal::WaitsForPerson { id }),
            AssignmentStatus::Approved | AssignmentStatus::Closed => {
                return Err(Refusal::Over { id, status: status.as_str() });
            }
            AssignmentStatus::InProgress => {}
        }
        let Submission { branch, base, base_commit, head } = submission;
        holds_to(self.assignment(), Some(branch), Some(base))?;
        if self.assignment().status() == AssignmentStatus::InProgress
            && self.assignment().head_commit.as_ref() == Some(head)
        {
            return Err(Refusal::NothingNew { head: head.clone(), branch: branch.to_string() });
        }
        self.apply(&Event::Submit)?;
        let next = &mut self.0.assignment;
        next.branch = Some(branch.clone());
        next.base = Some(base.clone());
        next.base_commit = Some(base_commit.clone());
        next.head_commit = Some(head.clone());
        next.submissions += 1;
        let detail = json!({
            "agent": by.name(),
            "review_attempt": next.review_attempt(),
            "branch_name": branch,
            "base": base,
            "base_commit": base_commit,
            "head_commit": head,
        });
        self.log(AuditKind::SubmittedForReview, detail);
        Ok(())
    }

    fn review(&mut self, verdict: &Verdict, by: &Caller) -> Result<(), Refusal> {
        let before = self.0.assignment.clone();
        may_review(&before, by, &verdict.known_reviewers)?;
        check_under_review(&before, verdict)?;
        if verdict.outcome == Outcome::Rejected && verdict.feedback.is_none() {
            return Err(Refusal::FeedbackMissing);
        }
        let feedback = verdict.feedback.as_ref().map(|feedback| feedback.as_str().to_owned());
        let outcome = self.judged(&verdict.outcome, &feedback, by)?;
        if outcome != ReviewOutcome::Inconclusive {
            name_reviewer(&mut self.0.assignment, &before, by, &verdict.known_reviewers);
        }
        let action = self.0.effects.iter().find_map(|effect| match effect {
            Effect::LogActivity { action } => Some(*action),
            _ => None,
        });
        let kind = match action {
            Some(Activity::SubmittedReviewResult) => AuditKind::SubmittedReviewResult,
            Some(Activity::EscalatedForHumanReview) => AuditKind::EscalatedForHumanReview,
            None => AuditKind::ReviewInconclusive,
        };
        let after = &self.0.assignment;
        let detail = json!({
            "coder": before.agent,
            "reviewer": by.name(),
            "outcome": outcome,
            "status": after.status(),
            "review_attempt": before.review_attempt(),
            "max_cycles": before.max_cycles(),
            "branch_name": before.branch,
            "base_commit": before.base_commit,
            "head_commit": before.head_commit,
            "feedback": feedback,
            "rejected_by": after.rejected_by,
            "reason": after.cycle.failure_reason(),
        });
        let review = Review {
            reviewer: by.name().to_owned(),
            role: by.role(),
            coder: before.agent.clone(),
            attempt: before.review_attempt(),
            head_commit: before.head_commit.clone(),
            outcome,
            status: after.status(),
            feedback,
            at: self.now(),
        };
        self.0.review = Some(review);
        self.log(kind, detail);
        Ok(())
    }

    fn judged(
        &mut self,
        outcome: &Outcome,
        feedback: &Option<String>,
        by: &Caller,
    ) -> Result<ReviewOutcome, Refusal> {
        self.apply(&Event::reviewed(outcome.clone()))?;
        let (now, next) = (self.now(), &mut self.0.assignment);
        let conclusive = match outcome {
            Outcome::Passed => ReviewOutcome::Approved,
            Outcome::Rejected | Outcome::Stuck { .. } => {
                if !next.rejected_by.iter().any(|earlier| earlier == by.name()) {
                    next.rejected_by.push(by.name().to_owned());
                }
                ReviewOutcome::Rejected
            }
            Outcome::Accepted | Outcome::Inconclusive { .. } => return Ok(ReviewOutcome::Inconclusive),
        };
        next.reviewed_at = Some(now);
        next.review_feedback.clone_from(feedback);
        Ok(conclusive)
    }

    fn resolve(&mut self, resolution: Resolution, note: Option<&str>, by: &Caller) -> Result<(), Refusal> {
        if by.role() != Role::Person {
            let (caller, role) = (by.name().to_owned(), by.role().as_str());
            return Err(Refusal::OnlyPeopleResolve { caller, role });
        }
        let (id, status) = (self.assignment().id, self.assignment().status());
        if by.is_also(&self.assignment().agent) {
            return Err(Refusal::OwnEscalation { id, caller: by.name().to_owned() });
        }
        if status != AssignmentStatus::Escalated {
            return Err(Refusal::NotEscalated { id, status: status.as_str() });
        }
        let options = self.assignment().cycle.options();
        if !options.contains(&resolution) {
            let options = options.into_iter().map(Resolution::as_str).collect();
            return Err(Refusal::ResolutionNotOffered { id, options });
        }
        self.apply(&Event::resolved(resolution))?;
        let next = &mut self.0.assignment;
        if let (Some(note), true) = (note, next.status().is_active_for_author()) {
            let said =
                next.review_feedback.take().map(|feedback| format!("{feedback}\n\n")).unwrap_or_default();
            next.review_feedback = Some(format!("{said}{by} adds: {note}"));
        }
        let detail = json!({
            "resolution": resolution,
            "status": next.status(),
            "review_attempt": next.review_attempt(),
            "note": note,
        });
        self.log(AuditKind::EscalationResolved, detail);
        Ok(())
    }

    fn apply(&mut self, event: &Event) -> Result<(), Refusal> {
        let (cycle, effects): (Cycle, Vec<Effect>) = self.0.assignment.cycle.apply(event)?;
        self.0.assignment.cycle = cycle;
        if effects.contains(&Effect::RecordCompleted) {
            self.0.assignment.completed_at = Some(self.now());
        }
        if effects.contains(&Effect::ClearCompleted) {
            self.0.assignment.completed_at = None;
        }
        self.0.effects.extend(effects);
        Ok(())
    }

    fn log(&mut self, kind: AuditKind, detail: Value) {
        self.0.entries.push(Entry { kind, detail });
    }

    fn assignment(&self) -> &Assignment {
        &self.0.assignment
    }

    fn now(&self) -> Timestamp {
        self.0.assignment.updated_at
    }
}

/// The branch and the base of an assignment are those it was made with, or else those of its first submission. Were
/// they the coder's to change, it would choose what is reviewed.
pub fn holds_to(
    assignment: &Assignment,
    branch: Option<&BranchName>,
    base: Option<&str>,
) -> Result<(), Refusal> {
    let id = assignment.id;
    if let (Some(held), Some(named)) = (&assignment.branch, branch)
        && held != named
    {
        return Err(Refusal::OtherBranch { id, held: held.clone(), named: named.clone() });
    }
    if let (Some(held), Some(named)) = (&assignment.base, base)
        && held != named
    {
        return Err(Refusal::OtherBase { id, held: held.clone(), named: named.to_owned() });
    }
    Ok(())
}

/// A verdict is about the attempt that waits for it, and about the commit that was submitted.
fn check_under_review(assignment: &Assignment, verdict: &Verdict) -> Result<(), Refusal> {
    let (id, status, attempt) = (assignment.id, assignment.status(), assignment.review_attempt());
    let is_over = verdict.attempt.is_some_and(|named| named < attempt);
    match status {
        AssignmentStatus::Completed => {}
        AssignmentStatus::Pending | AssignmentStatus::Accepted | AssignmentStatus::InProgress if !is_over => {
            return Err(Refusal::NothingSubmitted { id, status: status.as_str() });
        }
        AssignmentStatus::Pending
        | AssignmentStatus::Accepted
        | AssignmentStatus::InProgress
        | AssignmentStatus::Rework
        | AssignmentStatus::Approved
        | AssignmentStatus::Escalated
        | AssignmentStatus::Closed => {
            return Err(Refusal::AlreadyReviewed { id, status: status.as_str() });
        }
    }
    if let Some(named) = verdict.attempt.filter(|named| *named != attempt) {
        return Err(Refusal::WrongAttempt { id, named, attempt });
    }
    match (&verdict.head, &assignment.head_commit) {
        (Some(named), Some(submitted)) if named != submitted => {
            Err(Refusal::WrongCommit { named: named.clone(), submitted: submitted.clone() })
        }
        (_, _) => Ok(()),
    }
}
