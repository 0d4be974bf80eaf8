use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::time::{Duration, Instant};

use domain::ports::TaskStore;
use domain::tasks::{AuditEvent, check_agent_name};

use super::error::Result;
use super::folder::{Content, Identity, Kind, unique};
use super::layout::Layout;
use super::malformed::{SetAside, Why, set_aside};
use super::{Mailbox, State};

/// A pause file that is gone for less may be part of a directory that is being deleted.
const GONE_FOR_GOOD: Duration = Duration::from_millis(250);
const MOST_FILES: usize = 10_000;
const MARK: &str = ".mark";
const LARGEST_MARK: u64 = 200;
const ACTOR: &str = "mailbox";
/// File systems date files by a clock that ticks this seldom.
const FILE_CLOCK_TICK_MS: i128 = 20;

/// What files and store agreed on last. Where they differ, the one that departed from it has changed.
#[derive(Debug, Default)]
pub(super) struct Agreed {
    /// The pause files that stand for a pause in the store. Another file of that name is a new request.
    paused: BTreeMap<String, Identity>,
    /// The mark in the folder. Another mark means that files are missing because all of it was deleted.
    mark: Option<Vec<u8>>,
    gone_since: HashMap<String, Instant>,
}

impl Agreed {
    pub(super) fn is_waiting(&self) -> bool {
        !self.gone_since.is_empty()
    }
}

impl Mailbox {
    /// The agents for which there is a pause file.
    pub fn paused(&self) -> Result<Vec<String>> {
        let layout = Layout::open(&self.root)?;
        Ok(pause_files(&layout)?.0.into_keys().collect())
    }

    /// Brings `pause/` and the store into agreement: a file that appears pauses, one that is removed resumes,
    /// and a pause or resumption by command creates or removes the file. Where nothing was agreed on before,
    /// paused wins.
    pub async fn agree_on_pauses(&self, store: &impl TaskStore) -> Result<Vec<SetAside>> {
        let mut state = self.state.lock().await;
        let layout = Layout::open(&self.root)?;
        let set_aside = self.agree_in(&mut state, &layout, store).await;
        self.note_unsettled(&state);
        set_aside
    }

    pub(super) async fn agree_in(
        &self,
        state: &mut State,
        layout: &Layout,
        store: &impl TaskStore,
    ) -> Result<Vec<SetAside>> {
        let agreed = &mut state.agreed;
        let mark = folder_mark(layout)?;
        if agreed.mark != mark {
            *agreed = Agreed { mark, ..Agreed::default() };
        }
        let (files, odd) = pause_files(layout)?;
        let stored: BTreeSet<String> = store.paused().await?.into_iter().collect();
        let mut paused = BTreeMap::new();
        for (agent, file) in &files {
            let is_agreed = agreed.paused.get(agent) == Some(file);
            if !stored.contains(agent) && is_agreed {
                layout.pause.remove_if_same(OsStr::new(agent), file)?;
                continue;
            }
            if !stored.contains(agent) {
                store.pause(agent, ACTOR).await?;
            }
            paused.insert(agent.clone(), *file);
        }
        let mut gone_since = HashMap::new();
        for agent in stored.into_iter().filter(|agent| !files.contains_key(agent)) {
            let Some(file) = agreed.paused.get(&agent) else {
                let file = layout.pause.write(OsStr::new(&agent), b"paused by command\n")?;
                paused.insert(agent, file);
                continue;
            };
            let since = agreed.gone_since.get(&agent).copied().unwrap_or_else(Instant::now);
            if since.elapsed() >= GONE_FOR_GOOD {
                store.resume(&agent, ACTOR).await?;
            } else {
                paused.insert(agent.clone(), *file);
                gone_since.insert(agent, since);
            }
        }
        agreed.paused = paused;
        agreed.gone_since = gone_since;
        Ok(odd)
    }

    /// A resumption while nothing tended the mailbox left a file behind that would pause the agent again. A
    /// file that was put there since is a new request. Where nothing was agreed on, its date tells.
    pub(super) async fn show_resumed(
        &self,
        state: &mut State,
        layout: &Layout,
        store: &impl TaskStore,
        event: &AuditEvent,
    ) -> Result<()> {
        let Some(agent) = event.detail.get("agent").and_then(|agent| agent.as_str()) else { return Ok(()) };
        if check_agent_name("agent", agent).is_err() || store.paused().await?.iter().any(|name| name == agent)
        {
            return Ok(());
        }
        let name = OsStr::new(agent);
        let Some(entry) = layout.pause.look(name)?.filter(|entry| entry.kind == Kind::File) else {
            return Ok(());
        };
        let resumed = i128::from(event.at.as_millisecond());
        let is_left = match state.agreed.paused.get(agent) {
            Some(agreed) => *agreed == entry.identity,
            None => entry.identity.modified_ms() + FILE_CLOCK_TICK_MS < resumed,
        };
        if !is_left {
            return Ok(());
        }
        state.agreed.paused.remove(agent);
        layout.pause.remove_if_same(name, &entry.identity)
    }
}

/// Tells this folder from one that was deleted. An inode would not: it is used again at once.
fn folder_mark(layout: &Layout) -> Result<Option<Vec<u8>>> {
    let name = OsStr::new(MARK);
    match layout.pause.read(name, LARGEST_MARK) {
        Content::Whole(mark, _) => return Ok(Some(mark)),
        Content::TooLarge | Content::Unreadable(_) | Content::Gone => {}
    }
    let mark = unique().into_bytes();
    layout.pause.write(name, &mark)?;
    Ok(Some(mark))
}

/// The names in `pause/` that are agents, and what had to be moved away.
fn pause_files(layout: &Layout) -> Result<(BTreeMap<String, Identity>, Vec<SetAside>)> {
    let (mut files, mut odd) = (BTreeMap::new(), Vec::new());
    for name in layout.pause.names()?.take(MOST_FILES) {
        if name.as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let Some(entry) = layout.pause.look(&name)? else { continue };
        match name.to_str() {
            Some(agent) if entry.kind == Kind::File && check_agent_name("agent", agent).is_ok() => {
                files.insert(agent.to_owned(), entry.identity);
            }
            Some(_) | None => odd.extend(set_aside(layout, &layout.pause, &name, &Why::NotAPause)?),
        }
    }
    Ok((files, odd))
}
