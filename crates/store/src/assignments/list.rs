use domain::assignments::{
    Assignment, AssignmentCursor, AssignmentFilter, AssignmentId, AssignmentPage, Refusal, Review,
};
use domain::cycle::AssignmentStatus;
use domain::ports::AssignmentError;
use domain::tasks::{AuditEvent, check_agent_name};

use super::record::{read, read_review};
use crate::audit;
use crate::database::Purpose;
use crate::row::Arg;
use crate::store::Store;

macro_rules! selected {
    ($rest:literal) => {
        concat!(
            "SELECT id, task, title, description, agent, reviewer, branch_name, base, base_commit, head_commit,
                review_feedback, rejected_by, submissions, context, cycle, created_by, created_at, accepted_at,
                started_at, completed_at, reviewed_at, updated_at
            FROM task_assignments ",
            $rest
        )
    };
}
pub(super) use selected;

const ONE: &str = selected!("WHERE id = $1");

// Each of these walks an index of its own from where the last page ended; a reviewer is looked for on the way.

const ALL: &str = selected!("WHERE id < $1 AND ($3 = '' OR reviewer = $3) ORDER BY id DESC LIMIT $2");

const OF_STATUS: &str =
    selected!("WHERE id < $1 AND ($3 = '' OR reviewer = $3) AND status = $4 ORDER BY id DESC LIMIT $2");

const OF_AGENT: &str =
    selected!("WHERE id < $1 AND ($3 = '' OR reviewer = $3) AND agent = $4 ORDER BY id DESC LIMIT $2");

const OF_AGENT_AND_STATUS: &str = selected!(
    "WHERE id < $1 AND ($3 = '' OR reviewer = $3) AND agent = $4 AND status = $5 ORDER BY id DESC LIMIT $2"
);

/// No page is larger, whatever is asked for.
const LARGEST_PAGE: u32 = 1000;

impl Store {
    pub(super) async fn read_assignment(
        &self,
        id: AssignmentId,
    ) -> Result<Option<Assignment>, AssignmentError> {
        let mut tx = self.database.begin(Purpose::Read).await?;
        let row = tx.row(ONE, &[Arg::Int(id.get())]).await?;
        Ok(row.as_ref().map(read).transpose()?)
    }

    pub(super) async fn page_of_assignments(
        &self,
        filter: &AssignmentFilter,
        after: Option<AssignmentCursor>,
        size: u32,
    ) -> Result<AssignmentPage, AssignmentError> {
        for (field, name) in [("agent", &filter.agent), ("reviewer", &filter.reviewer)] {
            if let Some(name) = name {
                check_agent_name(field, name).map_err(Refusal::from)?;
            }
        }
        let size = size.clamp(1, LARGEST_PAGE);
        let from = Arg::Int(after.map_or(i64::MAX, |cursor| cursor.0));
        let one_more = Arg::Int(i64::from(size) + 1);
        let reviewer = Arg::Text(filter.reviewer.as_deref().unwrap_or_default());
        let mut tx = self.database.begin(Purpose::Read).await?;
        let mut rows = match (filter.agent.as_deref(), filter.status.map(AssignmentStatus::as_str)) {
            (None, None) => tx.rows(ALL, &[from, one_more, reviewer]).await?,
            (None, Some(status)) => {
                tx.rows(OF_STATUS, &[from, one_more, reviewer, Arg::Text(status)]).await?
            }
            (Some(agent), None) => tx.rows(OF_AGENT, &[from, one_more, reviewer, Arg::Text(agent)]).await?,
            (Some(agent), Some(status)) => {
                let args = [from, one_more, reviewer, Arg::Text(agent), Arg::Text(status)];
                tx.rows(OF_AGENT_AND_STATUS, &args).await?
            }
        };
        let more = rows.len() > size as usize;
        rows.truncate(size as usize);
        let assignments = rows.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let last = assignments.last().filter(|_| more);
        let next = last.map(|assignment| AssignmentCursor(assignment.id.get()));
        Ok(AssignmentPage { assignments, next })
    }

    pub(super) async fn reviews_of(&self, id: AssignmentId) -> Result<Vec<Review>, AssignmentError> {
        let mut tx = self.database.begin(Purpose::Read).await?;
        let sql = "SELECT attempt, reviewer, role, coder, head_commit, outcome, status, feedback, at
            FROM assignment_reviews WHERE assignment = $1 ORDER BY seq";
        let rows = tx.rows(sql, &[Arg::Int(id.get())]).await?;
        Ok(rows.iter().map(read_review).collect::<Result<_, _>>()?)
    }

    pub(super) async fn events_of_assignment(
        &self,
        id: AssignmentId,
    ) -> Result<Vec<AuditEvent>, AssignmentError> {
        let mut tx = self.database.begin(Purpose::Read).await?;
        let sql = "SELECT seq, at, task, kind, actor, token, detail, assignment FROM task_events
            WHERE assignment = $1 ORDER BY seq";
        let rows = tx.rows(sql, &[Arg::Int(id.get())]).await?;
        Ok(rows.iter().map(audit::read).collect::<Result<_, _>>()?)
    }
}
