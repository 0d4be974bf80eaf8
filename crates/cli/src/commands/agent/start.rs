use std::sync::Arc;
use std::time::Duration;

use domain::config::{AgentConfig, Config};
use domain::cycle::Limits;
use store::mailbox::Mailbox;
use tokio::signal::unix::{SignalKind, signal};

use super::at_work::AtWork;
use super::crew::Crew;
use super::equipped::{Equipment, what_is_missing};
use super::handlers::Kinds;
use super::log::Logs;
use super::telling::Telling;
use super::trouble::warn;
use crate::failure::Failure;
use crate::output::{Exit, Listing};
use crate::store::StoreArgs;

/// Run agents until SIGTERM or Ctrl-C.
///
/// Each works off its queue: what is in the store, and what anybody puts into
/// `.agent-communication/queues/AGENT/`. Stopped, it finishes what it holds or gives it back.
#[derive(Debug, clap::Args)]
pub(crate) struct Start {
    /// Which agents of countersign.yaml [default: all that are enabled]
    #[arg(value_name = "ID")]
    ids: Vec<String>,

    /// How many of each.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    replicas: u32,

    #[command(flatten)]
    store: StoreArgs,

    /// What is logged, for whoever watches: as text on standard error, or as one JSON object per line on standard output.
    #[arg(long, default_value = "pretty")]
    format: Listing,
}

impl Start {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let config = self.store.operator_config()?;
        let sharing = self.store.sharing()?;
        let root = self.store.root();
        let (agents, idle) = self.chosen(&config)?;
        let mailbox = Mailbox::open(self.store.mailbox()).map_err(|error| {
            Failure::new(error, "make `.agent-communication` a plain folder that can be written to")
        })?;
        let mailbox = configured(mailbox, &config);
        let names = agents.iter().map(|agent| mailbox.take_names(&agent.id, self.replicas, sharing));
        let names = names.collect::<Result<Vec<_>, _>>().map_err(|error| {
            Failure::new(error, "check the permissions of `.agent-communication/heartbeats`")
        })?;
        let logs = Logs::in_folder(root.join("logs"), self.format).map_err(|error| {
            Failure::new(
                format!("cannot write to {}: {error}", root.join("logs").display()),
                "check its permissions",
            )
        })?;
        idle.iter().for_each(|agent| warn(&logs, &agent.id, &what_is_missing(agent)));
        let logs = Arc::new(logs);
        self.store.with_store(async |store| {
            let kinds = AtWork::new(Kinds::at(root, &config, Telling::to(Arc::clone(&logs)), store));
            Crew { agents, names, kinds, logs, mailbox, config }.work(store).await
        })?;
        Ok(Exit::Ok)
    }

    /// Those that are to work, and those that could not do anything.
    fn chosen(&self, config: &Config) -> Result<(Vec<AgentConfig>, Vec<AgentConfig>), Failure> {
        let known = config.agents();
        if let Some(unknown) = self.ids.iter().find(|id| !known.iter().any(|agent| agent.id == **id)) {
            let ids: Vec<_> = known.iter().map(|agent| agent.id.as_str()).collect();
            return Err(Failure::new(
                format!("there is no agent `{unknown}`"),
                format!("the agents are {}", ids.join(", ")),
            ));
        }
        let chosen = |agent: &AgentConfig| match self.ids.is_empty() {
            true => agent.enabled,
            false => self.ids.contains(&agent.id),
        };
        let chosen: Vec<_> = known.into_iter().filter(chosen).collect();
        let Some(first) = chosen.first().cloned() else {
            return Err(Failure::new(
                "all agents are disabled",
                "set `enabled: true` in countersign.yaml, or name those to start: `countersign agent start ID`",
            ));
        };
        let (equipped, idle): (Vec<_>, Vec<_>) =
            chosen.into_iter().partition(|agent| Equipment::of(agent) == Equipment::Enough);
        match equipped.is_empty() {
            true => Err(Failure::new(
                format!("agent {} has nothing to do its tasks with", first.id),
                super::equipped::HOW_TO_EQUIP,
            )),
            false => Ok((equipped, idle)),
        }
    }
}

/// Files that come in are held to the same limits as tasks from the command line.
fn configured(mailbox: Mailbox, config: &Config) -> Mailbox {
    let by_queue = config.agents().into_iter().map(|agent| {
        let limits = config.limits_for(&agent.queue);
        (agent.queue, limits)
    });
    let elsewhere = Limits { max_retries: config.task.max_retries, ..config.limits.clone() };
    mailbox
        .with_queues(config.agents().into_iter().map(|agent| agent.queue))
        .with_limits(by_queue, elsewhere)
        .with_stale_after(Duration::from_secs(config.safeguards.heartbeat_timeout.into()))
}

/// Returns on SIGTERM and on Ctrl-C.
pub(crate) async fn interrupted() {
    let (Ok(mut term), Ok(mut int)) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = term.recv() => {}
        _ = int.recv() => {}
    }
}
