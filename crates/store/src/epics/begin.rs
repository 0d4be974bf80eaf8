use domain::epic::run::{EpicKey, StoredEpic};
use domain::ports::{EpicError, EpicHold};

use super::read::{locked, tickets_of};
use super::save::{note, number};
use crate::database::{Purpose, Tx};
use crate::record::{corrupt, parse_json, to_json};
use crate::row::Arg;
use crate::store::{News, Store};

/// Of two who begin at once, the second comes after the first.
const BEGIN: &str = "
    INSERT INTO epics (repository, id, token, doc, created_at, updated_at) VALUES ($1, $2, 1, $3, {now}, {now})
    ON CONFLICT (repository, id) DO UPDATE
        SET token = epics.token + 1, doc = $3, created_at = {now}, updated_at = {now}
    RETURNING number, token";

const TICKET: &str = "
    INSERT INTO epic_tickets (epic, id, position, version, status, doc, updated_at)
    VALUES ($1, $2, $3, $4, $5, $6, {now})";

impl Store {
    pub(super) async fn begin_run(
        &self,
        key: &EpicKey,
        stored: &StoredEpic,
        by: &str,
    ) -> Result<EpicHold, EpicError> {
        let mut tx = self.database.begin(Purpose::Write).await?;
        let outcome = begin_in(&mut tx, key, stored, by).await;
        self.conclude(tx, outcome.map(|hold| (hold, News::Nothing))).await
    }

    pub(super) async fn take_run(
        &self,
        key: &EpicKey,
        by: &str,
    ) -> Result<Option<(EpicHold, StoredEpic)>, EpicError> {
        let mut tx = self.database.begin(Purpose::Write).await?;
        let outcome = take_in(&mut tx, key, by).await;
        self.conclude(tx, outcome.map(|taken| (taken, News::Nothing))).await
    }
}

async fn begin_in(tx: &mut Tx, key: &EpicKey, stored: &StoredEpic, by: &str) -> Result<EpicHold, EpicError> {
    let doc = to_json("epic", &stored.run)?;
    let args = [Arg::Text(&key.repository), Arg::Text(key.id.as_str()), Arg::Text(&doc)];
    let row = tx.row(BEGIN, &args).await?.ok_or_else(|| corrupt("epic", "no number"))?;
    let (epic, token) = (row.int(0)?, row.int(1)?);
    tx.run("DELETE FROM epic_tickets WHERE epic = $1", &[Arg::Int(epic)]).await?;
    for (position, ticket) in (0i64..).zip(&stored.tickets) {
        let doc = to_json("ticket", ticket)?;
        let args = [
            Arg::Int(epic),
            Arg::Text(ticket.id.as_str()),
            Arg::Int(position),
            Arg::Int(number(ticket.version)),
            Arg::Text(ticket.status().as_str()),
            Arg::Text(&doc),
        ];
        tx.run(TICKET, &args).await?;
    }
    let hold = EpicHold { key: key.clone(), token, by: by.to_owned() };
    note(tx, epic, &hold, None, "begun").await?;
    Ok(hold)
}

async fn take_in(tx: &mut Tx, key: &EpicKey, by: &str) -> Result<Option<(EpicHold, StoredEpic)>, EpicError> {
    let Some(found) = locked(tx, key).await? else { return Ok(None) };
    tx.run("UPDATE epics SET token = token + 1 WHERE number = $1", &[Arg::Int(found.number)]).await?;
    let hold = EpicHold { key: key.clone(), token: found.token + 1, by: by.to_owned() };
    note(tx, found.number, &hold, None, "taken").await?;
    let run = parse_json("epic", &found.doc)?;
    let tickets = tickets_of(tx, found.number).await?;
    Ok(Some((hold, StoredEpic { run, tickets })))
}
