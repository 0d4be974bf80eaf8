use domain::assignments::{Assignment, AssignmentId, BranchName, Caller, NewAssignment, Refusal};
use domain::ports::{AssignmentError, StoreError};
use domain::tasks::{AuditKind, TaskId};
use serde_json::json;

use crate::audit;
use crate::database::{Purpose, Tx};
use crate::record::{corrupt, now, to_json};
use crate::row::Arg;
use crate::store::{News, Store};

const INSERT: &str = "
    INSERT INTO task_assignments (task, title, description, agent, reviewer, branch_name, base, status,
        review_attempt, rejected_by, submissions, context, cycle, created_by, created_at, updated_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, '[]', 0, $10, $11, $12, $13, $13)
    RETURNING id";

impl Store {
    pub(super) async fn create(
        &self,
        new: &NewAssignment,
        by: &Caller,
    ) -> Result<Assignment, AssignmentError> {
        let mut tx = self.database.begin(Purpose::Write).await?;
        let outcome = create_in(&mut tx, new, by).await;
        self.conclude(tx, outcome.map(|assignment| (assignment, News::Nothing))).await
    }
}

async fn create_in(tx: &mut Tx, new: &NewAssignment, by: &Caller) -> Result<Assignment, AssignmentError> {
    if let Some(task) = new.task() {
        let found = tx.row("SELECT seq FROM tasks WHERE id = $1", &[Arg::Text(task.as_str())]).await?;
        found.ok_or_else(|| Refusal::UnknownTask(task.clone()))?;
    }
    let time = now(tx).await?;
    let assignment = insert(tx, |id| new.begin(id, by, time)).await?;
    let detail = json!({
        "title": assignment.title,
        "agent": assignment.agent,
        "reviewer": assignment.reviewer,
        "task_id": assignment.task,
        "branch_name": assignment.branch,
        "base": assignment.base,
    });
    audit::write_about(tx, assignment.id, AuditKind::AssignmentAdded, by.name(), &detail).await?;
    Ok(assignment)
}

/// The number is the store's to give, and nothing that is stored with it depends on it.
async fn insert(tx: &mut Tx, of: impl Fn(AssignmentId) -> Assignment) -> Result<Assignment, StoreError> {
    let number = |id| AssignmentId::new(id).map_err(|error| corrupt("assignment id", error));
    let draft = of(number(1)?);
    let context = to_json("context", &draft.context)?;
    let cycle = to_json("cycle", &draft.cycle)?;
    let args = [
        Arg::MaybeText(draft.task.as_ref().map(TaskId::as_str)),
        Arg::Text(&draft.title),
        Arg::Text(&draft.description),
        Arg::Text(&draft.agent),
        Arg::MaybeText(draft.reviewer.as_deref()),
        Arg::MaybeText(draft.branch.as_ref().map(BranchName::as_str)),
        Arg::MaybeText(draft.base.as_deref()),
        Arg::Text(draft.status().as_str()),
        Arg::Int(i64::from(draft.review_attempt())),
        Arg::Text(&context),
        Arg::Text(&cycle),
        Arg::Text(&draft.created_by),
        Arg::Int(draft.created_at.as_millisecond()),
    ];
    let row = tx.row(INSERT, &args).await?.ok_or_else(|| corrupt("assignment", "no number"))?;
    Ok(of(number(row.int(0)?)?))
}
