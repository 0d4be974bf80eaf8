//! Missions on this machine: a ticket asks for a review, and is told how it went.

mod diff_sources;
mod escalations;
mod journal;
mod port_tools;
mod reviewing;
mod said;
mod world;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use connect::adapters::{Docs, Vcs};
use domain::forge::IssueKey;
use domain::mission::MissionMode;
use domain::ports::PortError;
use engine::mission::{Ended, Forge, Halt, Mission, MissionPorts};
use jiff::Timestamp;
use sha2::{Digest, Sha256};

use crate::failure::Failure;
use crate::outward::Outward;
use crate::requests;
use crate::reviewers::{Heard, variable};
use crate::store::StoreArgs;

pub(crate) use escalations::MissionsAt;
pub(crate) use journal::Journal;
use said::Said;
use world::Desk;

/// What is asked of a mission.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) key: IssueKey,
    /// From a webhook; empty if the ticket has to be asked.
    pub(crate) description: String,
    pub(crate) mode: Option<MissionMode>,
}

/// How it came out.
#[derive(Debug)]
pub(crate) struct Came {
    pub(crate) mission: Mission,
    pub(crate) ended: Result<Ended, Halt>,
}

/// Goes on with a mission that was broken off, or begins a new one. On a runtime with more than one thread.
pub(crate) async fn run(
    asked: Asked,
    store: &StoreArgs,
    stop: Arc<AtomicBool>,
    heard: Heard,
) -> Result<Came, Failure> {
    let outward = Outward::of(store)?;
    let journal = Journal::open(&store.mailbox_made()?, &asked.key)?;
    let mut mission = match journal.load()?.filter(|last| !last.is_over()) {
        Some(unfinished) => unfinished,
        None => begun(asked),
    };
    let tracker = Arc::new(outward.tracker()?);
    let vcs = outward.vcs().map(Arc::new);
    let docs = docs(&outward)?.map(Arc::new);
    let mirror = match (&vcs, outward.config.connect.mirror) {
        // What keeps the forge from being used at all is told to the ticket before anything is reviewed.
        (Ok(vcs), true) => requests::Forge::by_way_of(Arc::clone(vcs), Outward::of(store)?).ok(),
        (Ok(_), false) | (Err(_), _) => None,
    };
    let desk = Desk {
        said: Arc::new(Said::of(&journal, &mission.id)),
        mirror,
        journal,
        policy: "the operator's countersign.yaml".to_owned(),
        stop,
        heard,
        vcs: vcs.as_ref().ok().cloned(),
        tracker: Arc::clone(&tracker),
        docs: docs.clone(),
        config: outward.config.clone(),
    };
    let ports = MissionPorts {
        forge: forge(&outward, vcs.as_deref().map_err(Clone::clone)),
        tracker: tracker.as_ref(),
        docs: docs.as_deref(),
    };
    let ended = engine::mission::run(&mut mission, &ports, &desk).await;
    Ok(Came { mission, ended })
}

fn begun(asked: Asked) -> Mission {
    let mut mission = Mission::begin(fresh_id(&asked.key), asked.key, Timestamp::now());
    mission.description = asked.description;
    mission.asked = asked.mode;
    mission
}

/// A name that nobody can guess before it is seen on the ticket.
fn fresh_id(key: &IssueKey) -> String {
    let mut seed = Sha256::new();
    seed.update(key.as_str());
    seed.update(Timestamp::now().as_nanosecond().to_le_bytes());
    seed.update(std::process::id().to_le_bytes());
    let mut random = [0u8; 16];
    if let Ok(mut source) = std::fs::File::open("/dev/urandom") {
        let _ = std::io::Read::read_exact(&mut source, &mut random);
    }
    seed.update(random);
    seed.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

fn forge<'a>(outward: &Outward, vcs: Result<&'a Vcs, PortError>) -> Result<Forge<'a, Vcs>, PortError> {
    let vcs = vcs?;
    let provider = outward.provider()?;
    Ok(Forge {
        vcs,
        provider,
        base: outward.base_url(provider)?,
        policy: outward.config.connect.publishing(),
        key: outward.publish_key(),
        patience: outward.patience(),
    })
}

/// Without an address of a wiki there is none, and nobody misses it.
fn docs(outward: &Outward) -> Result<Option<Docs>, Failure> {
    let named = !outward.config.connect.docs.server.is_empty();
    let set = |name: &str| variable(name).is_some_and(|value| !value.trim().is_empty());
    match named || set("CONFLUENCE_URL") || set("CONFLUENCE_BASE_URL") {
        true => Ok(Some(outward.docs()?)),
        false => Ok(None),
    }
}
