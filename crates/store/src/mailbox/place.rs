use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;

use domain::cycle::TaskStatus;
use domain::ports::TaskStore;
use domain::tasks::{Cursor, StoredTask, TaskFilter, TaskId};

use super::error::Result;
use super::folder::{Content, Folder, Identity, Kind};
use super::layout::Layout;
use super::malformed::{Why, set_aside};
use super::version::{LARGEST_FILE, Parsed, Version, assigned_by_folder, compare, file_name, parse, render};
use super::{Mailbox, State};

/// How often a task is looked at again because it changed while its file was written.
const MOST_LOOKS: usize = 10;

/// What stands where a task shows.
enum Standing {
    Nothing,
    /// A version of the task that the store has, or had. Safe to replace.
    Replaceable(Identity),
    Exact(Identity),
    Edited(Identity),
    /// Something else altogether.
    NotThisTask,
    NotAFile,
}

/// Whether a task shows as it was asked to.
enum Placed {
    Done,
    /// The file looks edited. Or it is newer than what we know: the store has to be asked again.
    Doubtful(Identity),
}

impl Mailbox {
    /// Brings the files of a task up to date.
    ///
    /// Two processes may do so at once, and the slower one may write what is no longer true. So whoever has
    /// written looks again, and stops when nothing has changed in between.
    pub(super) async fn show(
        &self,
        state: &mut State,
        layout: &Layout,
        store: &impl TaskStore,
        id: &TaskId,
    ) -> Result<()> {
        let Some(mut stored) = store.get(id).await? else { return Ok(()) };
        let mut doubted = None;
        for _ in 0..MOST_LOOKS {
            let placed = self.place(state, layout, &stored, doubted)?;
            let Some(now) = store.get(id).await? else { return Ok(()) };
            let unchanged = shows_the_same(&now, &stored);
            stored = now;
            doubted = match placed {
                Placed::Done if unchanged => return Ok(()),
                Placed::Doubtful(identity) if unchanged => Some(identity),
                Placed::Done | Placed::Doubtful(_) => None,
            };
        }
        Ok(())
    }

    /// As [`Mailbox::show`], for a page of tasks at a time, with two questions to the store and not two for
    /// each. Says where the next page begins.
    pub(super) async fn show_page(
        &self,
        state: &mut State,
        layout: &Layout,
        store: &impl TaskStore,
        after: Option<Cursor>,
        size: u32,
    ) -> Result<Option<Cursor>> {
        let page = store.list(&TaskFilter::default(), after, size).await?;
        self.show_listed(state, layout, store, &page.tasks, after).await?;
        Ok(page.next)
    }

    /// Shows those of these tasks, which are new, that the store lists first: with nobody else adding, all.
    pub(super) async fn show_newest(
        &self,
        state: &mut State,
        layout: &Layout,
        store: &impl TaskStore,
        ids: &HashSet<&TaskId>,
    ) -> Result<()> {
        let size = u32::try_from(ids.len()).unwrap_or(u32::MAX);
        let mut tasks = store.list(&TaskFilter::default(), None, size).await?.tasks;
        tasks.retain(|stored| ids.contains(&stored.task.id));
        self.show_listed(state, layout, store, &tasks, None).await?;
        let listed: HashSet<&TaskId> = tasks.iter().map(|stored| &stored.task.id).collect();
        for id in ids.difference(&listed) {
            self.show(state, layout, store, id).await?;
        }
        Ok(())
    }

    async fn show_listed(
        &self,
        state: &mut State,
        layout: &Layout,
        store: &impl TaskStore,
        tasks: &[StoredTask],
        after: Option<Cursor>,
    ) -> Result<()> {
        let mut placed = Vec::with_capacity(tasks.len());
        for stored in tasks {
            placed.push(self.place(state, layout, stored, None)?);
        }
        let size = u32::try_from(tasks.len()).unwrap_or(u32::MAX);
        let now = store.list(&TaskFilter::default(), after, size).await?.tasks;
        let now: HashMap<&TaskId, &StoredTask> = now.iter().map(|stored| (&stored.task.id, stored)).collect();
        for (stored, placed) in tasks.iter().zip(placed) {
            let unchanged = now.get(&stored.task.id).is_some_and(|now| shows_the_same(now, stored));
            match placed {
                Placed::Done if unchanged => {}
                Placed::Done | Placed::Doubtful(_) => {
                    self.show(state, layout, store, &stored.task.id).await?;
                }
            }
        }
        Ok(())
    }

    /// Lock before status, archive before unlock: at no moment does a task in work look free.
    fn place(
        &self,
        state: &mut State,
        layout: &Layout,
        stored: &StoredTask,
        doubted: Option<Identity>,
    ) -> Result<Placed> {
        let (home, other) = match Shelf::of(stored.task.status) {
            Shelf::Queue => (&layout.queues, &layout.completed),
            Shelf::Archive => (&layout.completed, &layout.queues),
        };
        if let Some(held) = &stored.held {
            self.show_lock(layout, &stored.task.id, held)?;
        }
        let agent = &stored.task.assigned_to;
        let folder = layout.agent(home, agent)?;
        if let Placed::Doubtful(identity) = write_mirror(state, layout, &folder, stored, doubted)? {
            return Ok(Placed::Doubtful(identity));
        }
        if let Ok(Some(folder)) = other.child(OsStr::new(agent)) {
            let name = file_name(&stored.task.id);
            match find(state, &folder, stored)? {
                Standing::Replaceable(seen) | Standing::Exact(seen) => {
                    folder.remove_if_same(OsStr::new(&name), &seen)?;
                }
                Standing::Nothing | Standing::Edited(_) | Standing::NotThisTask | Standing::NotAFile => {}
            }
        }
        if stored.held.is_none() {
            self.remove_lock(layout, &stored.task.id)?;
        }
        Ok(Placed::Done)
    }
}

/// The folder in which a task shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shelf {
    Queue,
    Archive,
}

impl Shelf {
    pub(super) fn of(status: TaskStatus) -> Shelf {
        match status {
            TaskStatus::Completed | TaskStatus::Cancelled => Shelf::Archive,
            TaskStatus::Pending | TaskStatus::InProgress | TaskStatus::Failed | TaskStatus::Escalated => {
                Shelf::Queue
            }
        }
    }
}

fn shows_the_same(one: &StoredTask, other: &StoredTask) -> bool {
    one.task == other.task && one.held.as_ref().map(|h| h.token) == other.held.as_ref().map(|h| h.token)
}

fn write_mirror(
    state: &mut State,
    layout: &Layout,
    folder: &Folder,
    stored: &StoredTask,
    doubted: Option<Identity>,
) -> Result<Placed> {
    let name = file_name(&stored.task.id);
    let name = OsStr::new(&name);
    match find(state, folder, stored)? {
        Standing::Exact(identity) => {
            state.memory.remember(folder.path().join(name), identity);
            return Ok(Placed::Done);
        }
        Standing::Nothing | Standing::Replaceable(_) => {}
        Standing::Edited(identity) if doubted != Some(identity) => return Ok(Placed::Doubtful(identity)),
        Standing::Edited(_) => {
            state.report(set_aside(layout, folder, name, &Why::Edited(stored.task.id.clone()))?);
        }
        Standing::NotThisTask if Shelf::of(stored.task.status) == Shelf::Queue => {
            folder.rename(name, folder, &folder.free_name(name))?;
        }
        Standing::NotThisTask | Standing::NotAFile => {
            state.report(set_aside(layout, folder, name, &Why::NotOurs(stored.task.id.clone()))?);
        }
    }
    // Somebody who was held up between asking the store and writing leaves no file that looks newer than the store.
    let identity = folder.write_as_of(name, &render(&stored.task)?, Some(stored.updated_at))?;
    state.memory.remember(folder.path().join(name), identity);
    Ok(Placed::Done)
}

fn find(state: &mut State, folder: &Folder, stored: &StoredTask) -> Result<Standing> {
    let name = file_name(&stored.task.id);
    let name = OsStr::new(&name);
    let Some(entry) = folder.look(name)? else { return Ok(Standing::Nothing) };
    if entry.kind != Kind::File {
        return Ok(Standing::NotAFile);
    }
    let (bytes, identity) = match folder.read(name, LARGEST_FILE) {
        Content::Whole(bytes, identity) => (bytes, identity),
        Content::Gone => return Ok(Standing::Nothing),
        Content::TooLarge | Content::Unreadable(_) => return Ok(Standing::NotThisTask),
    };
    if bytes == render(&stored.task)? {
        return Ok(Standing::Exact(identity));
    }
    if state.memory.knows(&folder.path().join(name), &identity) {
        return Ok(Standing::Replaceable(identity));
    }
    let Parsed::Task(task) = parse(&bytes) else { return Ok(Standing::NotThisTask) };
    if task.id != stored.task.id {
        return Ok(Standing::NotThisTask);
    }
    let task = assigned_by_folder(*task, &stored.task.assigned_to);
    Ok(match compare(&task, &identity, stored) {
        Version::Current | Version::Outdated => Standing::Replaceable(identity),
        Version::Edited => Standing::Edited(identity),
    })
}
