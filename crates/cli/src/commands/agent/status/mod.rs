mod replica;
mod view;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use domain::config::AgentConfig;
use domain::cycle::TaskStatus;
use domain::ports::{StoreError, TaskStore};
use domain::tasks::{QueueCounts, TaskFilter};
use jiff::Timestamp;
use serde::Serialize;
use store::Store;

use self::replica::{Judge, Replica, State, strangers};
use super::equipped::{Equipment, what_is_missing};
use crate::failure::Failure;
use crate::output::{self, Exit, Listing};
use crate::pretty::{self, Look};
use crate::store::StoreArgs;

/// More than this many tasks are not held at once by the agents of one store.
pub(super) const MOST_HELD: u32 = 1000;

/// Say who lives, what they hold since when, and how full the queues are.
///
/// A replica is alive, paused, silent (no heartbeat for half a minute), gone (its process ended, or no heartbeat for
/// `heartbeat_timeout`), stopped (as it should), or elsewhere (it holds a task, but runs on another machine).
#[derive(Debug, clap::Args)]
pub(crate) struct Status {
    #[command(flatten)]
    store: StoreArgs,

    #[arg(long, default_value = "pretty")]
    format: Listing,
}

/// Everything there is to know.
#[derive(Debug, Serialize)]
struct Survey {
    /// By the store's clock, as what is held.
    now: Timestamp,
    agents: Vec<Surveyed>,
    /// Holders of tasks that belong to no agent of countersign.yaml.
    others: Vec<Replica>,
}

#[derive(Debug, Serialize)]
struct Surveyed {
    id: String,
    name: String,
    queue: String,
    enabled: bool,
    /// disabled, paused, running or not running.
    state: &'static str,
    /// What is paused of it: the agent, its queue, replicas.
    paused: Vec<String>,
    counts: QueueCounts,
    /// Files in its queue that have not become tasks: not whole yet, or the queue is full.
    waiting_files: usize,
    /// Why it is not started, if it has nothing to do its tasks with.
    missing: Option<String>,
    replicas: Vec<Replica>,
}

impl Status {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let survey = self.survey()?;
        output::print(&match self.format {
            Listing::Json => output::json(&survey)?,
            Listing::Pretty => view::page(&survey, Timestamp::now(), Look::width_of_lists()),
        })?;
        if self.format == Listing::Pretty {
            survey.agents.iter().flat_map(Surveyed::remarks).for_each(|remark| pretty::note(&remark));
        }
        if self.format == Listing::Pretty && !survey.agents.iter().any(Surveyed::lives) {
            pretty::note("No agent runs here. `countersign agent start` starts them.");
        }
        Ok(Exit::Ok)
    }

    fn survey(&self) -> Result<Survey, Failure> {
        let config = self.store.operator_config()?;
        let agents = config.agents();
        let mailbox = self.store.mailbox();
        let filter = TaskFilter { status: Some(TaskStatus::InProgress), agent: None };
        let (held, paused, counts, now) = self.store.with_store_to_read(async |store| {
            let mut counts = BTreeMap::new();
            for agent in &agents {
                let waiting = files_that_wait(store, &mailbox, &agent.queue).await?;
                counts.insert(agent.queue.clone(), (store.counts(&agent.queue).await?, waiting));
            }
            let held = store.list(&filter, None, MOST_HELD).await?.tasks;
            Ok((held, store.paused().await?, counts, store.now().await?))
        })?;
        let beats = store::mailbox::heartbeats(&mailbox)
            .map_err(|error| Failure::new(error, "make `.agent-communication` a plain folder"))?;
        let judge = Judge {
            now: Timestamp::now(),
            gone_after: Duration::from_secs(config.safeguards.heartbeat_timeout.into()),
            host: &store::mailbox::host_name(),
            runs: &runs,
            paused: &paused,
        };
        let surveyed = agents.iter().map(|agent| {
            let counted = counts.get(&agent.queue).copied().unwrap_or_default();
            Surveyed::new(agent, counted, judge.replicas(agent, &beats, &held), &paused)
        });
        Ok(Survey { now, agents: surveyed.collect(), others: strangers(&agents, &held) })
    }
}

impl Surveyed {
    fn new(
        agent: &AgentConfig,
        (counts, waiting_files): (QueueCounts, usize),
        replicas: Vec<Replica>,
        paused: &[String],
    ) -> Surveyed {
        let own = |name: &&String| **name == agent.queue || agent.goes_by(name);
        let mut surveyed = Surveyed {
            id: agent.id.clone(),
            name: agent.name.clone(),
            queue: agent.queue.clone(),
            enabled: agent.enabled,
            state: "not running",
            paused: paused.iter().filter(own).cloned().collect(),
            counts,
            waiting_files,
            missing: (Equipment::of(agent) == Equipment::Nothing).then(|| what_is_missing(agent)),
            replicas,
        };
        let whole = surveyed.paused.iter().any(|name| *name == agent.id || *name == agent.queue);
        surveyed.state = match (agent.enabled, whole, surveyed.lives()) {
            (false, _, false) => "disabled",
            (_, true, _) => "paused",
            (_, false, true) => "running",
            (true, false, false) => "not running",
        };
        surveyed
    }

    fn remarks(&self) -> Vec<String> {
        let Surveyed { queue, waiting_files, missing, .. } = self;
        let waiting = match waiting_files {
            0 => None,
            1 => Some(format!("1 file waits in queues/{queue} to be taken in.")),
            many => Some(format!("{many} files wait in queues/{queue} to be taken in.")),
        };
        waiting.into_iter().chain(missing.clone()).collect()
    }

    fn lives(&self) -> bool {
        self.replicas.iter().any(|replica| match replica.state {
            State::Alive | State::Paused | State::Silent | State::Elsewhere => true,
            State::Gone | State::Stopped => false,
        })
    }
}

/// Files that the store has no task for under their name. Of very many, the first are counted.
async fn files_that_wait(store: &Store, mailbox: &Path, queue: &str) -> Result<usize, StoreError> {
    let mut waiting = 0;
    for id in store::mailbox::queued_files(mailbox, queue) {
        if store.get(&id).await?.is_none() {
            waiting += 1;
        }
    }
    Ok(waiting)
}

/// Whether there is a process with this id. One that may not be asked is there.
fn runs(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}
