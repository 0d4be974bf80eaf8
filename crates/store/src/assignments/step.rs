use domain::assignments::{
    Assignment, AssignmentId, BranchName, Caller, Decision, Refusal, Review, Step, decide,
};
use domain::change::Oid;
use domain::ports::{AssignmentError, StoreError};
use jiff::Timestamp;

use super::record::read;
use crate::audit;
use crate::database::{Purpose, Tx};
use crate::record::{now, to_json};
use crate::row::Arg;
use crate::store::{News, Store};

const LOCK: &str = "
    SELECT t.id, t.task, t.title, t.description, t.agent, t.reviewer, t.branch_name, t.base, t.base_commit,
        t.head_commit, t.review_feedback, t.rejected_by, t.submissions, t.context, t.cycle, t.created_by,
        t.created_at, t.accepted_at, t.started_at, t.completed_at, t.reviewed_at, t.updated_at
    FROM task_assignments t WHERE t.id = $1 {for_update}";

const UPDATE: &str = "
    UPDATE task_assignments SET branch_name = $2, base = $3, base_commit = $4, head_commit = $5, status = $6,
        review_attempt = $7, review_feedback = $8, rejected_by = $9, submissions = $10, cycle = $11,
        accepted_at = $12, started_at = $13, completed_at = $14, reviewed_at = $15, updated_at = $16, reviewer = $17
    WHERE id = $1";

const KEEP: &str = "
    INSERT INTO assignment_reviews (assignment, attempt, reviewer, role, coder, head_commit, outcome, status,
        feedback, at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";

impl Store {
    /// The row is locked before anything is decided about it: whoever comes second sees what the first has done.
    pub(super) async fn decide_about(
        &self,
        id: AssignmentId,
        step: &Step,
        by: &Caller,
    ) -> Result<Decision, AssignmentError> {
        let mut tx = self.database.begin(Purpose::Write).await?;
        let outcome = decide_in(&mut tx, id, step, by).await;
        self.conclude(tx, outcome.map(|decision| (decision, News::Nothing))).await
    }
}

async fn decide_in(
    tx: &mut Tx,
    id: AssignmentId,
    step: &Step,
    by: &Caller,
) -> Result<Decision, AssignmentError> {
    let row = tx.row(LOCK, &[Arg::Int(id.get())]).await?.ok_or(Refusal::NotFound(id))?;
    let decision = decide(&read(&row)?, step, by, now(tx).await?)?;
    update(tx, &decision.assignment).await?;
    if let Some(review) = &decision.review {
        keep(tx, id, review).await?;
    }
    for entry in &decision.entries {
        audit::write_about(tx, id, entry.kind, by.name(), &entry.detail).await?;
    }
    Ok(decision)
}

async fn update(tx: &mut Tx, next: &Assignment) -> Result<(), StoreError> {
    let rejected_by = to_json("list of reviewers", &next.rejected_by)?;
    let cycle = to_json("cycle", &next.cycle)?;
    let args = [
        Arg::Int(next.id.get()),
        Arg::MaybeText(next.branch.as_ref().map(BranchName::as_str)),
        Arg::MaybeText(next.base.as_deref()),
        Arg::MaybeText(next.base_commit.as_ref().map(Oid::as_str)),
        Arg::MaybeText(next.head_commit.as_ref().map(Oid::as_str)),
        Arg::Text(next.status().as_str()),
        Arg::Int(i64::from(next.review_attempt())),
        Arg::MaybeText(next.review_feedback.as_deref()),
        Arg::Text(&rejected_by),
        Arg::Int(i64::from(next.submissions)),
        Arg::Text(&cycle),
        time(next.accepted_at),
        time(next.started_at),
        time(next.completed_at),
        time(next.reviewed_at),
        Arg::Int(next.updated_at.as_millisecond()),
        Arg::MaybeText(next.reviewer.as_deref()),
    ];
    tx.run(UPDATE, &args).await?;
    Ok(())
}

async fn keep(tx: &mut Tx, id: AssignmentId, review: &Review) -> Result<(), StoreError> {
    let args = [
        Arg::Int(id.get()),
        Arg::Int(i64::from(review.attempt)),
        Arg::Text(&review.reviewer),
        Arg::Text(review.role.as_str()),
        Arg::Text(&review.coder),
        Arg::MaybeText(review.head_commit.as_ref().map(Oid::as_str)),
        Arg::Text(review.outcome.as_str()),
        Arg::Text(review.status.as_str()),
        Arg::MaybeText(review.feedback.as_deref()),
        Arg::Int(review.at.as_millisecond()),
    ];
    tx.run(KEEP, &args).await?;
    Ok(())
}

fn time(at: Option<Timestamp>) -> Arg<'static> {
    Arg::MaybeInt(at.map(Timestamp::as_millisecond))
}
