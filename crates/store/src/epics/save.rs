use domain::epic::run::{EpicRun, TicketRun};
use domain::ports::{EpicError, EpicHold, StoreError};
use domain::tasks::AuditKind;
use domain::text::short_line;
use serde_json::json;

use crate::database::{Purpose, Tx};
use crate::record::to_json;
use crate::row::Arg;
use crate::store::{News, Store};

/// Savers of one run share its row, and whoever takes the run over waits for them.
const HELD: &str = "SELECT t.number, t.token FROM epics t WHERE t.repository = $1 AND t.id = $2 {for_share}";

const TICKET: &str = "
    UPDATE epic_tickets SET version = $3, status = $4, doc = $5, updated_at = {now}
    WHERE epic = $1 AND id = $2 AND version = $3 - 1";

impl Store {
    pub(super) async fn save_tickets_of(
        &self,
        hold: &EpicHold,
        changed: &[(&TicketRun, &str)],
    ) -> Result<(), EpicError> {
        // Before anybody else has to wait for us.
        let docs = changed.iter().map(|(ticket, _)| to_json("ticket", ticket));
        let docs = docs.collect::<Result<Vec<_>, _>>()?;
        let mut tx = self.database.begin(Purpose::Write).await?;
        let outcome = save_tickets_in(&mut tx, hold, changed, &docs).await;
        self.conclude(tx, outcome.map(|()| ((), News::Nothing))).await
    }

    pub(super) async fn save_run(
        &self,
        hold: &EpicHold,
        run: &EpicRun,
        event: &str,
    ) -> Result<(), EpicError> {
        let doc = to_json("epic", run)?;
        let mut tx = self.database.begin(Purpose::Write).await?;
        let outcome = save_run_in(&mut tx, hold, &doc, event).await;
        self.conclude(tx, outcome.map(|()| ((), News::Nothing))).await
    }
}

async fn save_tickets_in(
    tx: &mut Tx,
    hold: &EpicHold,
    changed: &[(&TicketRun, &str)],
    docs: &[String],
) -> Result<(), EpicError> {
    let epic = held(tx, hold).await?;
    for ((ticket, event), doc) in changed.iter().zip(docs) {
        let args = [
            Arg::Int(epic),
            Arg::Text(ticket.id.as_str()),
            Arg::Int(number(ticket.version)),
            Arg::Text(ticket.status().as_str()),
            Arg::Text(doc),
        ];
        if tx.run(TICKET, &args).await? != 1 {
            return Err(EpicError::Outdated(ticket.id.clone()));
        }
        note(tx, epic, hold, Some(ticket), event).await?;
    }
    Ok(())
}

async fn save_run_in(tx: &mut Tx, hold: &EpicHold, doc: &str, event: &str) -> Result<(), EpicError> {
    let sql = "UPDATE epics SET doc = $4, updated_at = {now}
        WHERE repository = $1 AND id = $2 AND token = $3 RETURNING number";
    let args = [
        Arg::Text(&hold.key.repository),
        Arg::Text(hold.key.id.as_str()),
        Arg::Int(hold.token),
        Arg::Text(doc),
    ];
    let row = tx.row(sql, &args).await?.ok_or_else(|| EpicError::Superseded(hold.key.clone()))?;
    Ok(note(tx, row.int(0)?, hold, None, event).await?)
}

async fn held(tx: &mut Tx, hold: &EpicHold) -> Result<i64, EpicError> {
    let args = [Arg::Text(&hold.key.repository), Arg::Text(hold.key.id.as_str())];
    let row = tx.row(HELD, &args).await?;
    let row = row.ok_or_else(|| EpicError::Superseded(hold.key.clone()))?;
    match row.int(1)? == hold.token {
        true => Ok(row.int(0)?),
        false => Err(EpicError::Superseded(hold.key.clone())),
    }
}

pub(super) async fn note(
    tx: &mut Tx,
    epic: i64,
    hold: &EpicHold,
    ticket: Option<&TicketRun>,
    event: &str,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO task_events (epic, at, kind, actor, token, detail)
        VALUES ($1, {now}, $2, $3, $4, $5)";
    let (kind, detail) = match ticket {
        None => (AuditKind::EpicChanged, json!({ "epic": hold.key.id, "event": event })),
        Some(ticket) => {
            let detail = json!({
                "epic": hold.key.id,
                "ticket": ticket.id,
                "event": event,
                "status": ticket.status().as_str(),
                "revision_count": ticket.cycle.revision_count(),
            });
            (AuditKind::TicketChanged, detail)
        }
    };
    let (actor, detail) = (short_line(&hold.by), detail.to_string());
    let args = [
        Arg::Int(epic),
        Arg::Text(kind.as_str()),
        Arg::Text(&actor),
        Arg::Int(hold.token),
        Arg::Text(&detail),
    ];
    tx.run(sql, &args).await?;
    Ok(())
}

/// Versions are counted by ones.
pub(super) fn number(version: u64) -> i64 {
    i64::try_from(version).unwrap_or(i64::MAX)
}
