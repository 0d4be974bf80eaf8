use domain::ports::StoreError;
use domain::tasks::{AuditKind, Refusal, check_agent_name};
use serde_json::json;

use crate::audit::{self, Entry};
use crate::database::{Purpose, Tx};
use crate::row::Arg;
use crate::store::{News, Store};

impl Store {
    pub(crate) async fn pause_agent(&self, agent: &str, actor: &str) -> Result<(), StoreError> {
        check_agent_name("agent", agent).map_err(Refusal::from)?;
        let mut tx = self.database.begin(Purpose::Write).await?;
        let outcome = pause_in(&mut tx, agent, actor).await;
        self.conclude(tx, outcome.map(|()| ((), News::Nothing))).await
    }

    pub(crate) async fn resume_agent(&self, agent: &str, actor: &str) -> Result<(), StoreError> {
        check_agent_name("agent", agent).map_err(Refusal::from)?;
        let mut tx = self.database.begin(Purpose::Write).await?;
        let outcome = resume_in(&mut tx, agent, actor).await;
        self.conclude(tx, outcome.map(|()| ((), News::Work))).await
    }

    pub(crate) async fn paused_agents(&self) -> Result<Vec<String>, StoreError> {
        let mut tx = self.database.begin(Purpose::Read).await?;
        let rows = tx.rows("SELECT agent FROM paused_agents ORDER BY agent", &[]).await?;
        rows.iter().map(|row| row.text(0)).collect()
    }
}

/// Saying it twice changes nothing and is not logged; so with resuming.
async fn pause_in(tx: &mut Tx, agent: &str, actor: &str) -> Result<(), StoreError> {
    let sql = "INSERT INTO paused_agents (agent, since, actor) VALUES ($1, {now}, $2)
        ON CONFLICT (agent) DO NOTHING";
    match tx.run(sql, &[Arg::Text(agent), Arg::Text(actor)]).await? {
        0 => Ok(()),
        _ => log(tx, AuditKind::Paused, agent, actor).await,
    }
}

async fn resume_in(tx: &mut Tx, agent: &str, actor: &str) -> Result<(), StoreError> {
    match tx.run("DELETE FROM paused_agents WHERE agent = $1", &[Arg::Text(agent)]).await? {
        0 => Ok(()),
        _ => log(tx, AuditKind::Resumed, agent, actor).await,
    }
}

async fn log(tx: &mut Tx, kind: AuditKind, agent: &str, actor: &str) -> Result<(), StoreError> {
    let detail = json!({ "agent": agent });
    audit::write(tx, Entry { task: None, kind, actor, token: None, detail: &detail }).await
}
