use std::sync::Arc;

use domain::assignments::{
    Assignment, AssignmentId, BranchName, BranchTrouble, Caller, Decision, Feedback, Refusal, Step, Verdict,
    may_review,
};
use domain::change::Oid;
use domain::cycle::{
    AssignmentStatus, Effect, Outcome, Resolution, ReviewMark, ReviewResult, review_log_line,
};
use domain::ports::{AssignmentError, AssignmentStore, LogLevel, LogLine};

use super::Desk;

/// A reviewer's word, as it was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    pub judged: Judged,
    /// Required to reject.
    pub feedback: String,
    /// The commit that was looked at. Without one, the branch must still end where it was submitted.
    pub head_commit: Option<Oid>,
    /// The attempt that was looked at. Whoever names neither means the present one, and is refused where this desk
    /// knows that it was shown another.
    pub review_attempt: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judged {
    Approved,
    Rejected,
    /// The review was cut off, or did not see everything: it proves nothing and costs no attempt.
    Inconclusive,
}

impl Judgement {
    /// With the three parameters of `submit_review_result`.
    pub fn new(judged: Judged, feedback: impl Into<String>) -> Judgement {
        Judgement { judged, feedback: feedback.into(), head_commit: None, review_attempt: None }
    }
}

impl<S: AssignmentStore> Desk<S> {
    /// Stores a verdict and says what became of the assignment. Of several verdicts on one attempt the first
    /// counts and the others are refused.
    pub async fn submit_review_result(
        &self,
        by: &Caller,
        id: AssignmentId,
        judgement: &Judgement,
    ) -> Result<ReviewResult, AssignmentError> {
        let feedback = Feedback::parse(&judgement.feedback).map_err(Refusal::from)?;
        let assignment = self.existing(id).await?;
        let known_reviewers = self.known_reviewers().await?;
        may_review(&assignment, by, &known_reviewers)?;
        if judgement.head_commit.is_none() {
            self.check_unmoved(&assignment).await?;
        }
        let outcome = match judgement.judged {
            Judged::Approved => Outcome::Passed,
            Judged::Rejected => Outcome::Rejected,
            Judged::Inconclusive => Outcome::Inconclusive {
                reason: feedback.as_ref().map(|said| said.as_str().to_owned()).unwrap_or_default(),
            },
        };
        let step = Step::Review(Verdict {
            outcome,
            feedback,
            head: judgement.head_commit.clone().or_else(|| assignment.head_commit.clone()),
            attempt: judgement.review_attempt,
            known_reviewers,
        });
        let decision = self.store.take_step(id, &step, by).await?;
        self.log_review(&decision, by);
        Ok(ReviewResult::of(&decision.assignment.cycle))
    }

    /// A person's word on an escalated assignment.
    pub async fn resolve_escalation(
        &self,
        by: &Caller,
        id: AssignmentId,
        resolution: Resolution,
        note: &str,
    ) -> Result<Assignment, AssignmentError> {
        let note = Feedback::parse(note).map_err(Refusal::from)?;
        Ok(self.store.take_step(id, &Step::Resolve { resolution, note }, by).await?.assignment)
    }

    /// Whoever names no commit means the branch, so that has to be what was submitted.
    async fn check_unmoved(&self, assignment: &Assignment) -> Result<(), Refusal> {
        let (Some(branch), Some(submitted), AssignmentStatus::Completed) =
            (&assignment.branch, &assignment.head_commit, assignment.status())
        else {
            return Ok(());
        };
        let (tip, branch, submitted) =
            (self.tip(branch.clone()).await?, branch.to_string(), submitted.clone());
        match tip {
            Some(tip) if tip == submitted => Ok(()),
            Some(_) => Err(Refusal::BranchMoved { branch, submitted }),
            None => Err(Refusal::BranchGone { branch, submitted }),
        }
    }

    async fn tip(&self, branch: BranchName) -> Result<Option<Oid>, Refusal> {
        let branches = Arc::clone(&self.branches);
        let tip = tokio::task::spawn_blocking(move || branches.tip(&branch)).await;
        Ok(tip.unwrap_or_else(|error| Err(BranchTrouble::Unreadable(error.to_string())))?)
    }

    fn log_review(&self, decision: &Decision, by: &Caller) {
        let feedback = decision.review.as_ref().and_then(|review| review.feedback.as_deref());
        for effect in &decision.effects {
            if let Effect::LogReview { mark, attempt, max_cycles } = effect {
                let what = format!("assignment {}", decision.assignment.id);
                let line = review_log_line(*mark, &what, *attempt, *max_cycles, feedback.unwrap_or_default());
                self.log.write(&LogLine::new(by.name(), level(*mark), &line));
            }
        }
    }
}

fn level(mark: ReviewMark) -> LogLevel {
    match mark {
        ReviewMark::Approved | ReviewMark::Rejected => LogLevel::Info,
        ReviewMark::Escalation => LogLevel::Warning,
    }
}
