use domain::epic::run::{EpicKey, EpicRun, FailedTicket, StoredEpic, TicketRun};
use domain::ports::{EpicError, StoreError};
use domain::tasks::AuditEvent;
use domain::work::WorkItem;

use crate::audit;
use crate::database::{Purpose, Tx};
use crate::record::parse_json;
use crate::row::Arg;
use crate::store::Store;

/// A run's row.
pub(super) struct Found {
    pub(super) number: i64,
    pub(super) token: i64,
    pub(super) doc: String,
}

const LOCK: &str =
    "SELECT t.number, t.token, t.doc FROM epics t WHERE t.repository = $1 AND t.id = $2 {for_update}";

/// The run of that key, which nobody else changes before the transaction ends.
pub(super) async fn locked(tx: &mut Tx, key: &EpicKey) -> Result<Option<Found>, StoreError> {
    let row = tx.row(LOCK, &[Arg::Text(&key.repository), Arg::Text(key.id.as_str())]).await?;
    row.map(|row| Ok(Found { number: row.int(0)?, token: row.int(1)?, doc: row.text(2)? })).transpose()
}

pub(super) async fn tickets_of(tx: &mut Tx, epic: i64) -> Result<Vec<TicketRun>, StoreError> {
    let sql = "SELECT doc FROM epic_tickets WHERE epic = $1 ORDER BY position";
    let rows = tx.rows(sql, &[Arg::Int(epic)]).await?;
    rows.iter().map(|row| parse_json("ticket", &row.text(0)?)).collect()
}

impl Store {
    /// Its tickets are of one moment.
    pub(super) async fn read_run(&self, key: &EpicKey) -> Result<Option<StoredEpic>, EpicError> {
        let mut tx = self.database.begin(Purpose::Read).await?;
        let sql = "SELECT t.number, t.doc FROM epics t WHERE t.repository = $1 AND t.id = $2";
        let row = tx.row(sql, &[Arg::Text(&key.repository), Arg::Text(key.id.as_str())]).await?;
        let Some(row) = row else { return Ok(None) };
        let run = parse_json("epic", &row.text(1)?)?;
        Ok(Some(StoredEpic { run, tickets: tickets_of(&mut tx, row.int(0)?).await? }))
    }

    pub(super) async fn read_runs(&self, repository: &str) -> Result<Vec<StoredEpic>, EpicError> {
        let mut tx = self.database.begin(Purpose::Read).await?;
        let sql = "SELECT number, doc FROM epics WHERE repository = $1 ORDER BY updated_at DESC, number DESC";
        let mut all = Vec::new();
        for row in tx.rows(sql, &[Arg::Text(repository)]).await? {
            let run = parse_json("epic", &row.text(1)?)?;
            all.push(StoredEpic { run, tickets: tickets_of(&mut tx, row.int(0)?).await? });
        }
        Ok(all)
    }

    pub(super) async fn read_failed(&self, most: u32) -> Result<Vec<FailedTicket>, EpicError> {
        let mut tx = self.database.begin(Purpose::Read).await?;
        let sql = "SELECT e.repository, e.doc, t.doc FROM epic_tickets t JOIN epics e ON e.number = t.epic
            WHERE t.status = 'failed' ORDER BY t.updated_at DESC, t.epic, t.position LIMIT $1";
        let rows = tx.rows(sql, &[Arg::Int(i64::from(most))]).await?;
        let failed = rows.iter().map(|row| {
            let run: EpicRun = parse_json("epic", &row.text(1)?)?;
            let ticket: TicketRun = parse_json("ticket", &row.text(2)?)?;
            let text = run.order.tickets.iter().find(|order| order.id == ticket.id);
            let title = text.map(|order| WorkItem::parse(&order.path, &order.text).title).unwrap_or_default();
            let epic = EpicKey { repository: row.text(0)?, id: run.order.id };
            Ok(FailedTicket { epic, builder: run.order.builder, title, ticket })
        });
        failed.collect()
    }

    pub(super) async fn events_of_epic(&self, key: &EpicKey) -> Result<Vec<AuditEvent>, EpicError> {
        let mut tx = self.database.begin(Purpose::Read).await?;
        let sql = "SELECT seq, at, task, kind, actor, token, detail, assignment FROM task_events
            WHERE epic = (SELECT number FROM epics WHERE repository = $1 AND id = $2) ORDER BY seq";
        let rows = tx.rows(sql, &[Arg::Text(&key.repository), Arg::Text(key.id.as_str())]).await?;
        Ok(rows.iter().map(audit::read).collect::<Result<_, _>>()?)
    }
}
