use std::sync::Arc;
use std::time::Duration;

use domain::config::{AgentConfig, Config};
use domain::cycle::Limits;
use domain::ports::StoreError;
use domain::tasks::QueueLimit;
use engine::stop::{self, Stop};
use engine::{watchdog, worker};
use jiff::Timestamp;
use store::Store;
use store::mailbox::{Mailbox, Name};
use tokio::signal::unix::{SignalKind, signal};

use super::handlers::Kinds;
use super::log::Logs;
use super::telling::Telling;
use crate::failure::Failure;
use crate::output::{Exit, Listing};
use crate::pretty;
use crate::store::StoreArgs;

const HEARTBEAT: Duration = Duration::from_secs(10);

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
        let root = self.store.root();
        let config = self.store.operator_config()?;
        let agents = self.chosen(&config)?;
        let mailbox = Mailbox::open(root.join(".agent-communication")).map_err(|error| {
            Failure::new(error, "make `.agent-communication` a plain folder that can be written to")
        })?;
        let mailbox = configured(mailbox, &config);
        let names = agents.iter().map(|agent| mailbox.take_names(&agent.id, self.replicas));
        let names = names.collect::<Result<Vec<_>, _>>().map_err(|error| {
            Failure::new(error, "check the permissions of `.agent-communication/heartbeats`")
        })?;
        let logs = Logs::in_folder(root.join("logs"), self.format).map_err(|error| {
            Failure::new(
                format!("cannot write to {}: {error}", root.join("logs").display()),
                "check its permissions",
            )
        })?;
        let replicas: Vec<_> = names.iter().flatten().map(Name::as_str).collect();
        pretty::note(&format!(
            "Agents {} work in {}. Stop them with Ctrl-C.",
            replicas.join(", "),
            root.display()
        ));
        let logs = Arc::new(logs);
        let kinds = Kinds::at(root, &config, Telling::to(Arc::clone(&logs)));
        let crew = Crew { agents, names, kinds, logs, mailbox, config };
        self.store.with_store(async |store| crew.work(store).await)?;
        Ok(Exit::Ok)
    }

    fn chosen(&self, config: &Config) -> Result<Vec<AgentConfig>, Failure> {
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
        Ok(known.into_iter().filter(chosen).collect())
    }
}

struct Crew {
    agents: Vec<AgentConfig>,
    /// Of the replicas of each agent.
    names: Vec<Vec<Name>>,
    kinds: Kinds,
    logs: Arc<Logs>,
    mailbox: Mailbox,
    config: Config,
}

impl Crew {
    async fn work(&self, store: &Store) -> Result<(), StoreError> {
        let (stopper, stop) = stop::channel();
        let replicas: Vec<(&AgentConfig, &str)> = self
            .agents
            .iter()
            .zip(&self.names)
            .flat_map(|(agent, names)| names.iter().map(move |name| (agent, name.as_str())))
            .collect();
        let workers = replicas.iter().map(|(agent, replica)| {
            worker::run_agent(store, agent, replica, &self.kinds, &self.mailbox, &*self.logs, stop.clone())
        });
        let interval = Duration::from_secs(self.config.safeguards.watchdog_interval.into());
        let signals = async {
            interrupted().await;
            pretty::note("Stopping: finishing what is held, or giving it back.");
            stopper.stop();
        };
        tokio::join!(
            signals,
            futures_util::future::join_all(workers),
            watchdog::run_watchdog(store, interval, &*self.logs, stop.clone()),
            self.tend(store, stop.clone()),
            self.beat(&replicas, stop.clone()),
        );
        // What the last finish changed should show, too.
        self.tend_once(store).await;
        for (_, replica) in &replicas {
            if let Err(error) = self.mailbox.last_heartbeat(replica, Timestamp::now()) {
                pretty::note(&format!("No last heartbeat for {replica}: {error}"));
            }
        }
        Ok(())
    }

    /// Keeps the directory and the store in agreement.
    async fn tend(&self, store: &Store, stop: Stop) {
        let mut changes = self.mailbox.watch();
        while !stop.is_requested() {
            self.tend_once(store).await;
            tokio::select! {
                () = changes.next() => {}
                () = stop.requested() => {}
            }
        }
    }

    /// Shows in `heartbeats/` that this process lives.
    async fn beat(&self, replicas: &[(&AgentConfig, &str)], stop: Stop) {
        while !stop.is_requested() {
            for (agent, replica) in replicas {
                let doing = format!("working off {}", agent.queue);
                if let Err(error) = self.mailbox.heartbeat(replica, Timestamp::now(), &doing) {
                    pretty::note(&format!("No heartbeat for {replica}: {error}"));
                }
            }
            stop.sleep(HEARTBEAT).await;
        }
    }

    async fn tend_once(&self, store: &Store) {
        let limit = QueueLimit::AtMost(self.config.safeguards.max_queue_size);
        match self.mailbox.tend(store, limit).await {
            Ok(taken) => {
                for aside in &taken.set_aside {
                    pretty::note(&format!(
                        "{} is now malformed/{}, with the reason beside it",
                        aside.was, aside.name
                    ));
                }
            }
            Err(error) => pretty::note(&format!("The mailbox could not be tended: {error}")),
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
        .with_limits(by_queue, elsewhere)
        .with_stale_after(Duration::from_secs(config.safeguards.heartbeat_timeout.into()))
}

/// Returns on SIGTERM and on Ctrl-C.
pub(super) async fn interrupted() {
    let (Ok(mut term), Ok(mut int)) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = term.recv() => {}
        _ = int.recv() => {}
    }
}
