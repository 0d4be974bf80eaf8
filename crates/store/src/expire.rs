use domain::ports::StoreError;
use domain::tasks::{AuditKind, Expired, Refusal, settle_lost};
use serde_json::json;

use crate::audit::Entry;
use crate::database::{Purpose, Tx};
use crate::finish::{Current, apply};
use crate::record::{parse_json, status, task_id};
use crate::row::Arg;
use crate::store::{News, Store};

/// A task that somebody is just finishing is locked and left alone.
const OVERDUE: &str = "
    SELECT t.seq, t.id, t.status, t.cycle, t.lease_token, t.holder FROM tasks t
    WHERE t.status = 'in_progress' AND t.lease_expires <= {now}
    ORDER BY t.lease_expires LIMIT $1 {skip_locked}";

const WATCHDOG: &str = "watchdog";

impl Store {
    pub(crate) async fn expire_some(&self, most: u32) -> Result<Vec<Expired>, StoreError> {
        self.drop_absent_readers().await?;
        let mut tx = self.database.begin(Purpose::Write).await?;
        let outcome = expire_in(&mut tx, most).await;
        let with_news = |expired: Vec<Expired>| {
            let news = if expired.is_empty() { News::Nothing } else { News::Work };
            (expired, news)
        };
        self.conclude(tx, outcome.map(with_news)).await
    }
}

async fn expire_in(tx: &mut Tx, most: u32) -> Result<Vec<Expired>, StoreError> {
    let mut expired = Vec::new();
    for row in tx.rows(OVERDUE, &[Arg::Int(i64::from(most))]).await? {
        let current = Current {
            seq: row.int(0)?,
            id: task_id(&row.text(1)?)?,
            status: status(&row.text(2)?)?,
            cycle: parse_json("cycle", &row.text(3)?)?,
            token: row.int(4)?,
        };
        let holder = row.maybe_text(5)?.unwrap_or_default();
        let settled = settle_lost(&current.cycle, &holder).map_err(Refusal::from)?;
        let entry = Entry {
            task: Some(&current.id),
            kind: AuditKind::LeaseExpired,
            actor: WATCHDOG,
            token: Some(current.token),
            detail: &json!({ "holder": holder, "status": settled.status() }),
        };
        apply(tx, &current, &settled, entry).await?;
        expired.push(Expired { task: current.id, holder, status: settled.status() });
    }
    Ok(expired)
}
