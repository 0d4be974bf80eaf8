//! Missions on this machine: a ticket asks for a review, and is told how it went.

mod diff_sources;
mod escalations;
mod interrupted;
mod journal;
mod port_tools;
mod reviewing;
mod said;
mod world;

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use connect::adapters::{Docs, Vcs};
use domain::forge::IssueKey;
use domain::mission::MissionMode;
use domain::ports::{Effect, PortError};
use domain::review::Review;
use engine::mission::{Ended, Forge, Halt, Mission, MissionPorts};
use engine::once::alone;
use engine::publish::Patience;
use jiff::Timestamp;
use store::Store;

use crate::failure::Failure;
use crate::outward::Outward;
use crate::requests;
use crate::reviewers::{Heard, variable};
use crate::store::{StoreArgs, random};

pub(crate) use escalations::MissionsAt;
pub(crate) use interrupted::{report_interrupted, report_interruption};
pub(crate) use journal::Journal;
use said::Said;
use world::Desk;

/// What is asked of a mission.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) key: IssueKey,
    /// From a webhook; empty if the ticket has to be asked.
    pub(crate) description: String,
    pub(crate) mode: Option<MissionMode>,
    pub(crate) repeat: Repeat,
}

/// What becomes of a mission that was done before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// It is known how it ended.
    Known,
    /// It is another one.
    Again,
}

/// How it came out.
#[derive(Debug)]
pub(crate) struct Came {
    pub(crate) mission: Mission,
    pub(crate) ended: Result<Ended, Halt>,
}

/// Goes on with a mission that was broken off here, or begins one. Of those who share a store or a folder, one works on a
/// ticket at a time; the others wait, and find it done. On a runtime with more than one thread.
pub(crate) async fn run(
    asked: Asked,
    store: &StoreArgs,
    stop: Arc<AtomicBool>,
    heard: Heard,
) -> Result<Came, Failure> {
    let outward = Outward::of(store)?.telling(Arc::clone(&heard));
    let mut queue =
        Queue { key: asked.key.clone(), stop: Arc::clone(&stop), heard: Arc::clone(&heard), said: false };
    let Some(journal) = queue.journal(&store.mailbox_made()?).await? else {
        return Ok(Came { mission: begun(asked), ended: Err(Halt::Stopped) });
    };
    let effects = store.open().await?;
    let (holder, key) = (journal.holder().to_owned(), format!("the mission of {}", asked.key));
    let turn = Effect { key: &key, holder: &holder };
    let stopped = begun(asked.clone());
    let work = alone_with(asked, store, outward, journal, effects.clone(), stop, heard);
    match alone(&effects, turn, || queue.waits(), work).await.map_err(crate::store::failure)? {
        ControlFlow::Continue(came) => came,
        ControlFlow::Break(()) => Ok(Came { mission: stopped, ended: Err(Halt::Stopped) }),
    }
}

/// Whoever has to wait for somebody else at work on the same ticket.
struct Queue {
    key: IssueKey,
    stop: Arc<AtomicBool>,
    heard: Heard,
    said: bool,
}

impl Queue {
    fn waits(&mut self) -> ControlFlow<()> {
        if self.stop.load(Ordering::SeqCst) {
            return ControlFlow::Break(());
        }
        if !std::mem::replace(&mut self.said, true) {
            (self.heard)(&format!("{}: another process works on it, waiting until it is done", self.key));
        }
        ControlFlow::Continue(())
    }

    /// Nothing if somebody stops us first.
    async fn journal(&mut self, mailbox: &Path) -> Result<Option<Journal>, Failure> {
        const BETWEEN_LOOKS: Duration = Duration::from_millis(100);
        loop {
            if let Some(journal) = Journal::open_if_free(mailbox, &self.key)? {
                return Ok(Some(journal));
            }
            if self.waits().is_break() {
                return Ok(None);
            }
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
    }
}

async fn alone_with(
    asked: Asked,
    store: &StoreArgs,
    outward: Outward,
    journal: Journal,
    effects: Store,
    stop: Arc<AtomicBool>,
    heard: Heard,
) -> Result<Came, Failure> {
    let last = journal.load()?;
    let mut mission = match last.clone().filter(|last| !last.is_over()) {
        Some(unfinished) => unfinished,
        None => {
            let unposted = last.clone().filter(|_| asked.repeat == Repeat::Known);
            Mission { unposted: unposted.and_then(Mission::into_unposted), ..begun(asked) }
        }
    };
    let tracker = Arc::new(outward.tracker()?);
    let vcs = outward.vcs().map(Arc::new);
    let docs = docs(&outward)?.map(Arc::new);
    let mirror = match (&vcs, outward.config.connect.mirror) {
        // What keeps the forge from being used at all is told to the ticket before anything is reviewed.
        (Ok(vcs), true) => {
            requests::Forge::by_way_of(Arc::clone(vcs), Outward::of(store)?.telling(Arc::clone(&heard))).ok()
        }
        (Ok(_), false) | (Err(_), _) => None,
    };
    let desk = Desk {
        said: Arc::new(Said::of(&journal, &mission.started_at.to_string())),
        mirror,
        journal,
        effects,
        seal: outward.publish_key(),
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
    Ok(remembered(Came { mission, ended }, last))
}

/// What the ticket does not show (yet), the last mission here may know.
fn remembered(came: Came, last: Option<Mission>) -> Came {
    let same = |last: &Mission| last.params == came.mission.params && last.head == came.mission.at_start;
    match (came.ended, last.filter(same)) {
        (Ok(Ended::Known(verdict)), Some(mission)) => {
            let verdict = verdict.or(mission.review.as_ref().map(Review::verdict));
            Came { mission, ended: Ok(Ended::Known(verdict)) }
        }
        (ended, _) => Came { mission: came.mission, ended },
    }
}

fn begun(asked: Asked) -> Mission {
    let mut mission = Mission::begin(asked.key, Timestamp::now());
    mission.again = match asked.repeat {
        Repeat::Known => String::new(),
        Repeat::Again => random(),
    };
    mission.description = asked.description;
    mission.asked = asked.mode;
    mission
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
        patience: Patience::of_a_mission(),
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
