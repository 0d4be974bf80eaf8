//! Whose turn it is.

use std::time::Duration;

use domain::assignments::{Assignment, Caller, may_review};
use domain::ports::AssignmentError;
use jiff::Timestamp;

use super::list::selected;
use super::record::read;
use crate::database::Purpose;
use crate::record::milliseconds;
use crate::row::Arg;
use crate::store::Store;

const ACTIVE: &str = selected!(
    "WHERE agent = $1 AND status IN ('rework', 'in_progress', 'accepted', 'pending')
    ORDER BY CASE status WHEN 'rework' THEN 0 WHEN 'in_progress' THEN 1 WHEN 'accepted' THEN 2 ELSE 3 END, id
    LIMIT 1"
);

const SUBMITTED: &str = selected!(
    "WHERE status = 'completed' AND (completed_at > $1 OR (completed_at = $1 AND id > $2))
    ORDER BY completed_at, id LIMIT 50"
);

const LATELY: &str = "
    SELECT DISTINCT reviewer FROM assignment_reviews
    WHERE role = 'reviewer' AND at > {now} - $1 ORDER BY reviewer LIMIT 200";

/// Whoever has reviewed nothing for longer may be gone, and nobody should wait for it.
const WEEK: Duration = Duration::from_secs(7 * 24 * 60 * 60);

impl Store {
    pub(super) async fn active_of(&self, agent: &str) -> Result<Option<Assignment>, AssignmentError> {
        let mut tx = self.database.begin(Purpose::Read).await?;
        let row = tx.row(ACTIVE, &[Arg::Text(agent)]).await?;
        Ok(row.as_ref().map(read).transpose()?)
    }

    /// Looks at what waits, from the oldest on, until there is one that the rules let this caller review.
    pub(super) async fn longest_waiting_for(
        &self,
        by: &Caller,
        known_reviewers: &[String],
    ) -> Result<Option<Assignment>, AssignmentError> {
        let mut tx = self.database.begin(Purpose::Read).await?;
        let mut last = (i64::MIN, 0);
        loop {
            let rows = tx.rows(SUBMITTED, &[Arg::Int(last.0), Arg::Int(last.1)]).await?;
            if rows.is_empty() {
                return Ok(None);
            }
            for row in &rows {
                let assignment = read(row)?;
                let submitted = assignment.completed_at.map_or(last.0, Timestamp::as_millisecond);
                last = (submitted, assignment.id.get());
                if may_review(&assignment, by, known_reviewers).is_ok() {
                    return Ok(Some(assignment));
                }
            }
        }
    }

    pub(super) async fn reviewers_lately(&self) -> Result<Vec<String>, AssignmentError> {
        let mut tx = self.database.begin(Purpose::Read).await?;
        let rows = tx.rows(LATELY, &[Arg::Int(milliseconds(WEEK))]).await?;
        Ok(rows.iter().map(|row| row.text(0)).collect::<Result<_, _>>()?)
    }
}
