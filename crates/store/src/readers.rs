//! Who reads the outbox.
//!
//! An event is put into the outbox of those readers that are registered when it is written. On PostgreSQL
//! somebody may be writing at that very moment, unseen, and commit later: such events would reach neither a
//! reader that looks up what there is nor its outbox. So whoever changes the list of readers first waits until
//! nobody is writing an event, and holds up those who come. It happens once in the life of a reader.

use std::time::Duration;

use domain::ports::{Registered, StoreError};
use domain::tasks::{Refusal, check_agent_name};

use crate::database::{Purpose, Tx};
use crate::dialect::Engine;
use crate::record::milliseconds;
use crate::row::Arg;
use crate::store::{News, Store};

/// Whoever has not been seen for so long is taken not to come back.
const ABSENT: Duration = Duration::from_secs(24 * 3600);

impl Store {
    pub(crate) async fn register_reader(&self, reader: &str) -> Result<Registered, StoreError> {
        check_agent_name("reader", reader).map_err(Refusal::from)?;
        let mut tx = self.database.begin(Purpose::Write).await?;
        let outcome = register_in(&mut tx, reader).await;
        self.conclude(tx, outcome.map(|registered| (registered, News::Nothing))).await
    }

    pub(crate) async fn drop_absent_readers(&self) -> Result<(), StoreError> {
        let absent = [Arg::Int(milliseconds(ABSENT))];
        let mut tx = self.database.begin(Purpose::Read).await?;
        let sql = "SELECT name FROM outbox_readers WHERE last_seen < {now} - $1 LIMIT 1";
        let anybody = tx.row(sql, &absent).await?;
        tx.roll_back().await;
        if anybody.is_none() {
            return Ok(());
        }
        let mut tx = self.database.begin(Purpose::Write).await?;
        hold_up_events(&mut tx).await?;
        let sql = "DELETE FROM outbox_readers WHERE last_seen < {now} - $1 RETURNING name";
        for row in tx.rows(sql, &absent).await? {
            tx.run("DELETE FROM outbox WHERE reader = $1", &[Arg::Text(&row.text(0)?)]).await?;
        }
        tx.commit().await
    }
}

async fn register_in(tx: &mut Tx, reader: &str) -> Result<Registered, StoreError> {
    let sql = "UPDATE outbox_readers SET last_seen = {now} WHERE name = $1";
    if tx.run(sql, &[Arg::Text(reader)]).await? > 0 {
        return Ok(Registered::Already);
    }
    hold_up_events(tx).await?;
    let sql = "INSERT INTO outbox_readers (name, last_seen) VALUES ($1, {now})
        ON CONFLICT (name) DO NOTHING";
    match tx.run(sql, &[Arg::Text(reader)]).await? {
        0 => Ok(Registered::Already),
        _ => Ok(Registered::Anew),
    }
}

async fn hold_up_events(tx: &mut Tx) -> Result<(), StoreError> {
    match tx.engine() {
        Engine::Sqlite => Ok(()),
        Engine::Postgres => tx.script("LOCK TABLE task_events IN SHARE ROW EXCLUSIVE MODE").await,
    }
}
