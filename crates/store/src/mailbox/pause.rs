use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::time::{Duration, Instant};

use domain::ports::TaskStore;
use domain::tasks::{AuditEvent, check_agent_name};

use super::error::Result;
use super::folder::{Content, Kind, unique};
use super::layout::Layout;
use super::malformed::{SetAside, Why, set_aside};
use super::{Mailbox, State};

/// A pause file that is gone for less may be part of a directory that is being deleted.
const GONE_FOR_GOOD: Duration = Duration::from_millis(250);
const MOST_FILES: usize = 10_000;
const MARK: &str = ".mark";
const LARGEST_MARK: u64 = 200;
const ACTOR: &str = "mailbox";

/// What files and store agreed on last. Where they differ, whoever departed from it has spoken.
#[derive(Debug, Default)]
pub(super) struct Agreed {
    paused: BTreeSet<String>,
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
        Ok(pause_files(&layout)?.0.into_iter().collect())
    }

    /// Brings `pause/` and the store into agreement: a file that appears pauses, one that is removed resumes,
    /// and a pause or resumption by command creates or removes the file. Nobody having seen either before,
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
        for agent in files.difference(&stored) {
            if agreed.paused.contains(agent) {
                layout.pause.remove(OsStr::new(agent))?;
            } else {
                store.pause(agent, ACTOR).await?;
            }
        }
        let mut gone_since = HashMap::new();
        for agent in stored.difference(&files) {
            if !agreed.paused.contains(agent) {
                layout.pause.write(OsStr::new(agent), b"paused by command\n")?;
                continue;
            }
            let since = agreed.gone_since.get(agent).copied().unwrap_or_else(Instant::now);
            if since.elapsed() >= GONE_FOR_GOOD {
                store.resume(agent, ACTOR).await?;
            } else {
                gone_since.insert(agent.clone(), since);
            }
        }
        agreed.paused = store.paused().await?.into_iter().collect();
        agreed.gone_since = gone_since;
        Ok(odd)
    }

    /// A resumption while nobody tended the mailbox left a file behind that would pause the agent again. A
    /// file that is younger than the event has been put there since, and means it.
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
        match layout.pause.look(name)? {
            Some(entry)
                if entry.kind == Kind::File
                    && entry.identity.modified_ms() <= i128::from(event.at.as_millisecond()) =>
            {
                state.agreed.paused.remove(agent);
                layout.pause.remove(name)
            }
            Some(_) | None => Ok(()),
        }
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
fn pause_files(layout: &Layout) -> Result<(BTreeSet<String>, Vec<SetAside>)> {
    let (mut files, mut odd) = (BTreeSet::new(), Vec::new());
    for name in layout.pause.names()?.take(MOST_FILES) {
        if name.as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let Some(entry) = layout.pause.look(&name)? else { continue };
        match name.to_str() {
            Some(agent) if entry.kind == Kind::File && check_agent_name("agent", agent).is_ok() => {
                files.insert(agent.to_owned());
            }
            Some(_) | None => odd.extend(set_aside(layout, &layout.pause, &name, &Why::NotAPause)?),
        }
    }
    Ok((files, odd))
}
