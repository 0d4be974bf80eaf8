use domain::assignments::{Assignment, AssignmentId, BranchName, Review, ReviewOutcome, Role};
use domain::change::Oid;
use domain::cycle::AssignmentStatus;
use domain::ports::StoreError;
use jiff::Timestamp;

use crate::record::{corrupt, parse_json, task_id, timestamp};
use crate::row::Row;

/// The assignment of a row that was selected as `id, task, title, description, agent, reviewer, branch_name, base,
/// base_commit, head_commit, review_feedback, rejected_by, submissions, context, cycle, created_by, created_at,
/// accepted_at, started_at, completed_at, reviewed_at, updated_at`.
pub(super) fn read(row: &Row) -> Result<Assignment, StoreError> {
    let branch = row.maybe_text(6)?.map(|name| BranchName::parse(&name)).transpose();
    Ok(Assignment {
        id: AssignmentId::new(row.int(0)?).map_err(|error| corrupt("assignment id", error))?,
        task: row.maybe_text(1)?.map(|id| task_id(&id)).transpose()?,
        title: row.text(2)?,
        description: row.text(3)?,
        agent: row.text(4)?,
        reviewer: row.maybe_text(5)?,
        branch: branch.map_err(|error| corrupt("branch name", error))?,
        base: row.maybe_text(7)?,
        base_commit: commit(row, 8)?,
        head_commit: commit(row, 9)?,
        review_feedback: row.maybe_text(10)?,
        rejected_by: parse_json("list of reviewers", &row.text(11)?)?,
        submissions: number(row, 12)?,
        context: parse_json("context", &row.text(13)?)?,
        cycle: parse_json("cycle", &row.text(14)?)?,
        created_by: row.text(15)?,
        created_at: timestamp(row.int(16)?)?,
        accepted_at: time(row, 17)?,
        started_at: time(row, 18)?,
        completed_at: time(row, 19)?,
        reviewed_at: time(row, 20)?,
        updated_at: timestamp(row.int(21)?)?,
    })
}

/// Columns: attempt, reviewer, role, coder, head_commit, outcome, status, feedback, at.
pub(super) fn read_review(row: &Row) -> Result<Review, StoreError> {
    let (role, outcome, status) = (row.text(2)?, row.text(5)?, row.text(6)?);
    let unknown = |what: &'static str, word: &str| corrupt(what, format!("unknown: {word}"));
    Ok(Review {
        attempt: number(row, 0)?,
        reviewer: row.text(1)?,
        role: Role::ALL
            .into_iter()
            .find(|known| known.as_str() == role)
            .ok_or_else(|| unknown("role", &role))?,
        coder: row.text(3)?,
        head_commit: commit(row, 4)?,
        outcome: ReviewOutcome::ALL
            .into_iter()
            .find(|known| known.as_str() == outcome)
            .ok_or_else(|| unknown("outcome", &outcome))?,
        status: AssignmentStatus::ALL
            .into_iter()
            .find(|known| known.as_str() == status)
            .ok_or_else(|| unknown("status", &status))?,
        feedback: row.maybe_text(7)?,
        at: timestamp(row.int(8)?)?,
    })
}

fn commit(row: &Row, column: usize) -> Result<Option<Oid>, StoreError> {
    let hex = row.maybe_text(column)?;
    hex.map(|hex| Oid::parse(&hex).ok_or_else(|| corrupt("commit", hex))).transpose()
}

fn time(row: &Row, column: usize) -> Result<Option<Timestamp>, StoreError> {
    row.maybe_int(column)?.map(timestamp).transpose()
}

fn number(row: &Row, column: usize) -> Result<u32, StoreError> {
    u32::try_from(row.int(column)?).map_err(|error| corrupt("number", error))
}
