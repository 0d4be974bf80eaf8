use std::collections::BTreeMap;

use domain::assignments::{Metrics, Tallied};
use domain::ports::{AssignmentError, StoreError};

use crate::database::Purpose;
use crate::record::corrupt;
use crate::row::Row;
use crate::store::Store;

macro_rules! verdicts_by {
    ($who:literal) => {
        concat!(
            "SELECT ",
            $who,
            ", COUNT(*),
            CAST(SUM(CASE WHEN outcome = 'approved' THEN 1 ELSE 0 END) AS BIGINT),
            CAST(SUM(CASE WHEN outcome = 'rejected' THEN 1 ELSE 0 END) AS BIGINT),
            CAST(SUM(CASE WHEN status = 'escalated' THEN 1 ELSE 0 END) AS BIGINT),
            CAST(SUM(CASE WHEN outcome = 'approved' THEN attempt ELSE 0 END) AS BIGINT)
            FROM assignment_reviews GROUP BY ",
            $who,
            " ORDER BY ",
            $who
        )
    };
}

const BY_CODER: &str = verdicts_by!("coder");
const BY_REVIEWER: &str = verdicts_by!("reviewer");
const SUBMISSIONS: &str = "
    SELECT agent, CAST(SUM(submissions) AS BIGINT) FROM task_assignments GROUP BY agent
    HAVING SUM(submissions) > 0";

impl Store {
    pub(super) async fn count_reviews(&self) -> Result<Metrics, AssignmentError> {
        let mut tx = self.database.begin(Purpose::Read).await?;
        let reviewers = tx.rows(BY_REVIEWER, &[]).await?;
        let reviewers = reviewers.iter().map(tallied).collect::<Result<Vec<_>, _>>()?;
        let mut coders = BTreeMap::new();
        for row in &tx.rows(BY_CODER, &[]).await? {
            let counted = Tallied { submissions: 0, ..tallied(row)? };
            coders.insert(counted.agent.clone(), counted);
        }
        for row in &tx.rows(SUBMISSIONS, &[]).await? {
            let agent = row.text(0)?;
            let counted = coders.entry(agent.clone()).or_insert(Tallied { agent, ..Tallied::default() });
            counted.submissions = count(row, 1)?;
        }
        Ok(Metrics {
            coders: coders.into_values().map(Into::into).collect(),
            reviewers: reviewers.into_iter().map(Into::into).collect(),
        })
    }
}

fn tallied(row: &Row) -> Result<Tallied, StoreError> {
    Ok(Tallied {
        agent: row.text(0)?,
        submissions: count(row, 1)?,
        approvals: count(row, 2)?,
        rejections: count(row, 3)?,
        escalations: count(row, 4)?,
        approved_attempts: count(row, 5)?,
    })
}

fn count(row: &Row, column: usize) -> Result<u64, StoreError> {
    u64::try_from(row.int(column)?).map_err(|error| corrupt("count", error))
}
