use std::collections::BTreeSet;

use domain::config::{AgentConfig, is_replica_of};
use domain::cycle::TaskStatus;
use domain::ports::{StoreError, TaskStore};
use domain::tasks::TaskFilter;
use domain::text::nearest;
use store::Store;
use store::mailbox::{Mailbox, SetAside};

use super::status::MOST_HELD;
use crate::failure::Failure;
use crate::output::{self, Exit, Listing};
use crate::pretty;
use crate::store::{StoreArgs, not_shown};

/// Keep an agent, or one replica of it, from taking new tasks. What it holds it may finish.
#[derive(Debug, clap::Args)]
pub(crate) struct Pause {
    /// An agent or its queue (qa), or one replica as `agent status` shows it (qa-2).
    #[arg(value_name = "ID")]
    id: String,

    #[command(flatten)]
    store: StoreArgs,

    #[arg(long, default_value = "pretty")]
    format: Listing,
}

/// Let a paused agent work again.
#[derive(Debug, clap::Args)]
pub(crate) struct Resume {
    /// What was paused: an agent or its queue (qa), or one replica (qa-2).
    #[arg(value_name = "ID")]
    id: String,

    #[command(flatten)]
    store: StoreArgs,

    #[arg(long, default_value = "pretty")]
    format: Listing,
}

impl Pause {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let agents = self.store.operator_config()?.agents();
        let name = self.store.with_store(async |store| {
            let pauses = PauseFiles::at(&self.store);
            let name = match Names::seen(store, &agents, &self.store).await?.find(&self.id) {
                Ok(name) => name,
                Err(unknown) => return Ok(Err(unknown)),
            };
            store.pause(&name, &self.store.actor()).await?;
            pauses.agree(store).await;
            Ok(Ok(name))
        })??;
        answer(&name, State::Paused, self.format)
    }
}

impl Resume {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let agents = self.store.operator_config()?.agents();
        let (name, state) = self.store.with_store(async |store| {
            let pauses = PauseFiles::at(&self.store);
            // A file that was put there while no agent ran is a pause that the store does not have yet.
            pauses.agree(store).await;
            let paused = store.paused().await?;
            let mut names = Names::seen(store, &agents, &self.store).await?;
            names.0.extend(paused.iter().cloned());
            let name = match names.find(&self.id) {
                Ok(name) => name,
                Err(unknown) => return Ok(Err(unknown)),
            };
            store.resume(&name, &self.store.actor()).await?;
            pauses.agree(store).await;
            let state = if paused.contains(&name) { State::Working } else { State::NeverPaused };
            Ok(Ok((name, state)))
        })??;
        answer(&name, state, self.format)
    }
}

/// `pause/` of the mailbox, where there is one.
struct PauseFiles(Option<Mailbox>);

impl PauseFiles {
    fn at(store: &StoreArgs) -> PauseFiles {
        // A mailbox that cannot be opened is reported when the command ends.
        PauseFiles(Mailbox::open(store.mailbox()).ok())
    }

    async fn agree(&self, store: &Store) {
        let Some(mailbox) = &self.0 else { return };
        match mailbox.agree_on_pauses(store).await {
            Ok(odd) => odd.iter().for_each(|SetAside { was, name, reason }| {
                pretty::note(&format!("{was} was moved to malformed/{name}: {reason}"));
            }),
            Err(error) => pretty::note(&not_shown(&error)),
        }
    }
}

/// Everything that can be paused: agents, queues, and the replicas that are seen here.
struct Names(BTreeSet<String>);

impl Names {
    async fn seen(store: &Store, agents: &[AgentConfig], args: &StoreArgs) -> Result<Names, StoreError> {
        let held = TaskFilter { status: Some(TaskStatus::InProgress), agent: None };
        let holders = store.list(&held, None, MOST_HELD).await?.tasks.into_iter();
        let holders = holders.filter_map(|stored| Some(stored.held?.holder));
        let beats = store::mailbox::heartbeats(&args.mailbox()).unwrap_or_default();
        let configured = agents.iter().flat_map(|agent| [agent.id.clone(), agent.queue.clone()]);
        let beating = beats.into_iter().map(|beat| beat.agent);
        Ok(Names(configured.chain(store.queues().await?).chain(holders).chain(beating).collect()))
    }

    /// The name that was meant. Where several mailboxes share a store, `qa-1` stands for the one `qa-1-3f2a` that
    /// is seen.
    fn find(&self, id: &str) -> Result<String, Failure> {
        if self.0.contains(id) {
            return Ok(id.to_owned());
        }
        let agent = id.rsplit_once('-').map_or(id, |(agent, _)| agent);
        let is_meant = |name: &&String| {
            is_replica_of(agent, name) && name.strip_prefix(id).is_some_and(|end| end.starts_with('-'))
        };
        let meant: Vec<&str> = self.0.iter().filter(is_meant).map(String::as_str).collect();
        match meant[..] {
            [one] => Ok(one.to_owned()),
            [] => Err(self.unknown(id)),
            _ => Err(Failure::new(
                format!("several replicas are called {id}"),
                format!("name one of them: {}", meant.join(", ")),
            )),
        }
    }

    fn unknown(&self, id: &str) -> Failure {
        let names = || self.0.iter().map(String::as_str);
        let hint = match nearest(id, names()) {
            Some(name) => format!("did you mean {name}?"),
            None => format!("there are {}", names().collect::<Vec<_>>().join(", ")),
        };
        Failure::new(
            format!("no agent, queue or replica is called {id}"),
            format!("{hint}; `countersign agent status` lists those that run"),
        )
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Paused,
    Working,
    NeverPaused,
}

fn answer(id: &str, state: State, format: Listing) -> Result<Exit, Failure> {
    match (format, state) {
        (Listing::Json, _) => {
            let paused = state == State::Paused;
            output::print(&output::json(&serde_json::json!({ "id": id, "paused": paused }))?)?;
        }
        (Listing::Pretty, State::Paused) => pretty::note(&format!("{id} is paused.")),
        (Listing::Pretty, State::Working) => pretty::note(&format!("{id} works again.")),
        (Listing::Pretty, State::NeverPaused) => pretty::note(&format!("{id} was not paused.")),
    }
    Ok(Exit::Ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(names: &[&str], id: &str) -> Result<String, String> {
        let names = Names(names.iter().map(|name| (*name).to_owned()).collect());
        names.find(id).map_err(|failure| format!("{}; {}", failure.what(), failure.hint()))
    }

    #[test]
    fn a_replica_is_found_by_the_part_of_its_name_that_tells_it_apart() {
        let names = ["qa", "qa-1-defd", "qa-2-defd", "qa-10-defd"];
        assert_eq!(find(&names, "qa-1").as_deref(), Ok("qa-1-defd"));
        assert_eq!(find(&names, "qa-2-defd").as_deref(), Ok("qa-2-defd"));
        assert_eq!(find(&names, "qa").as_deref(), Ok("qa"));
        let several = find(&["qa-1-defd", "qa-1-0a0b"], "qa-1").unwrap_err();
        assert_eq!(several, "several replicas are called qa-1; name one of them: qa-1-0a0b, qa-1-defd");
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest_one() {
        let unknown = find(&["qa", "engineer"], "enginer").unwrap_err();
        assert!(unknown.starts_with("no agent, queue or replica is called enginer; did you mean engineer?"));
        assert!(find(&["qa", "engineer"], "zzzzzz").unwrap_err().contains("there are engineer, qa"));
    }
}
