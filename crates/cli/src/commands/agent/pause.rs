use domain::ports::TaskStore;
use domain::text::nearest;

use crate::failure::Failure;
use crate::output::{self, Exit, Listing};
use crate::pretty;
use crate::store::{StoreArgs, actor};

/// Keep an agent, or one replica of it, from taking new tasks. What it holds it may finish.
#[derive(Debug, clap::Args)]
pub(crate) struct Pause {
    /// An agent's queue (qa) or one replica (qa-2).
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
    /// What was paused: an agent's queue (qa) or one replica (qa-2).
    #[arg(value_name = "ID")]
    id: String,

    #[command(flatten)]
    store: StoreArgs,

    #[arg(long, default_value = "pretty")]
    format: Listing,
}

impl Pause {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        warn_of_strangers(&self.store, &self.id)?;
        self.store.with_store(async |store| store.pause(&self.id, &actor()).await)?;
        answer(&self.id, State::Paused, self.format)
    }
}

impl Resume {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let was_paused = self.store.with_store(async |store| {
            let paused = store.paused().await?;
            store.resume(&self.id, &actor()).await?;
            Ok(paused)
        })?;
        let state = match was_paused.contains(&self.id) {
            true => State::Working,
            false => {
                warn_of_strangers(&self.store, &self.id)?;
                State::NeverPaused
            }
        };
        answer(&self.id, state, self.format)
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

/// Other machines may have agents that this one does not know; more often, it is a slip of the fingers.
fn warn_of_strangers(store: &StoreArgs, id: &str) -> Result<(), Failure> {
    let agents = store.operator_config()?.agents();
    if agents.iter().any(|agent| agent.queue == id || agent.goes_by(id)) {
        return Ok(());
    }
    let names = agents.iter().flat_map(|agent| [agent.id.as_str(), agent.queue.as_str()]);
    let hint = nearest(id, names).map(|name| format!("; did you mean {name}?")).unwrap_or_default();
    pretty::note(&format!("No agent in countersign.yaml goes by {id}{hint}"));
    Ok(())
}
