use domain::ports::StoreError;
use domain::tasks::{AuditKind, Refusal, check_agent_name};
use serde_json::json;

use crate::audit::{self, Entry};
use crate::database::{Purpose, Tx};
use crate::finish::News;
use crate::row::Arg;
use crate::store::Store;

impl Store {
    pub(crate) async fn pause_agent(&self, agent: &str, actor: &str) -> Result<(), StoreError> {
        let sql = "INSERT INTO paused_agents (agent, since, actor) VALUES ($1, {now}, $2)
            ON CONFLICT (agent) DO NOTHING";
        let mut tx = self.begin_for(agent).await?;
        match tx.run(sql, &[Arg::Text(agent), Arg::Text(actor)]).await? {
            0 => Ok(()),
            _ => self.log_and_commit(tx, AuditKind::Paused, News::Nothing, agent, actor).await,
        }
    }

    pub(crate) async fn resume_agent(&self, agent: &str, actor: &str) -> Result<(), StoreError> {
        let sql = "DELETE FROM paused_agents WHERE agent = $1";
        let mut tx = self.begin_for(agent).await?;
        match tx.run(sql, &[Arg::Text(agent)]).await? {
            0 => Ok(()),
            _ => self.log_and_commit(tx, AuditKind::Resumed, News::Work, agent, actor).await,
        }
    }

    async fn begin_for(&self, agent: &str) -> Result<Tx, StoreError> {
        check_agent_name("agent", agent).map_err(Refusal::from)?;
        self.database.begin(Purpose::Write).await
    }

    /// Only what changed something is logged; saying it twice does not.
    async fn log_and_commit(
        &self,
        mut tx: Tx,
        kind: AuditKind,
        news: News,
        agent: &str,
        actor: &str,
    ) -> Result<(), StoreError> {
        let entry = Entry { task: None, kind, actor, token: None, detail: &json!({ "agent": agent }) };
        audit::write(&mut tx, entry).await?;
        self.commit_with_news(tx, news).await
    }

    pub(crate) async fn paused_agents(&self) -> Result<Vec<String>, StoreError> {
        let mut tx = self.database.begin(Purpose::Read).await?;
        let rows = tx.rows("SELECT agent FROM paused_agents ORDER BY agent", &[]).await?;
        rows.iter().map(|row| row.text(0)).collect()
    }
}
