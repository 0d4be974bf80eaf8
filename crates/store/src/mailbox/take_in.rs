use std::ffi::{OsStr, OsString};
use std::time::Duration;

use domain::ports::TaskStore;
use domain::tasks::{Invalid, NewTask, QueueLimit, StoredTask, Task, TaskId, check_agent_name};

use super::add::{Batch, Candidate, CandidateFile, Room};
use super::error::{MailboxError, Result};
use super::folder::{Content, Entry, Folder, Identity, Kind, was_being_removed};
use super::layout::Layout;
use super::malformed::{SetAside, Why, set_aside};
use super::patience::Patience;
use super::version::{LARGEST_FILE, Parsed, Version, assigned_by_folder, compare, file_name, parse, render};
use super::{Mailbox, State};

/// A file that cannot be read as a task may still be written to.
const SETTLED: Duration = Duration::from_millis(500);
/// A file that breaks off is being written by somebody slow.
const THE_REST_COMES: Duration = Duration::from_secs(10);
/// A name that we do not know may be somebody's temporary file.
const STRANGE_NAME: Duration = Duration::from_secs(30);

/// What came of a look through the queues.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct TakenIn {
    pub added: Vec<TaskId>,
    pub set_aside: Vec<SetAside>,
    /// Files that stay for now: not whole yet, locked by another program, or their queue full.
    pub waiting: usize,
    /// Queues that take no more files for now.
    pub full: Vec<FullQueue>,
}

/// A queue with as many unfinished tasks as are allowed. Its files wait until there is room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FullQueue {
    pub queue: String,
    /// The first of those that wait, fit for a log line.
    pub file: String,
}

/// One look through all queues.
pub(super) struct Look<'a, S> {
    pub(super) mailbox: &'a Mailbox,
    pub(super) state: &'a mut State,
    pub(super) layout: &'a Layout,
    pub(super) store: &'a S,
    pub(super) limit: QueueLimit,
    pub(super) taken: TakenIn,
}

impl Mailbox {
    /// Hands the files that others put into `queues/<agent>/` to the store. Each shows as `<id>.json` before
    /// the file it came in goes.
    ///
    /// A crash anywhere leaves the file, and the next look finds its task in the store: it is there once.
    pub async fn take_in(&self, store: &impl TaskStore, limit: QueueLimit) -> Result<TakenIn> {
        let mut state = self.state.lock().await;
        let layout = Layout::open(&self.root)?;
        let taken = self.take_in_in(&mut state, &layout, store, limit).await;
        self.note_unsettled(&state);
        taken
    }

    pub(super) async fn take_in_in(
        &self,
        state: &mut State,
        layout: &Layout,
        store: &impl TaskStore,
        limit: QueueLimit,
    ) -> Result<TakenIn> {
        let mut look = Look { mailbox: self, state, layout, store, limit, taken: TakenIn::default() };
        look.state.memory.begin_look();
        look.through_queues().await?;
        look.state.memory.end_look();
        let Look { state, mut taken, .. } = look;
        taken.set_aside.append(&mut state.set_aside);
        Ok(taken)
    }
}

impl<S: TaskStore> Look<'_, S> {
    /// A queue that cannot be looked through does not keep the others waiting.
    async fn through_queues(&mut self) -> Result<()> {
        let mut first_error = None;
        for name in self.layout.queues.names()? {
            if is_somebodys_temporary(&name) {
                continue;
            }
            match self.through_entry(&name).await {
                Ok(()) => {}
                Err(error @ MailboxError::Store(_)) => return Err(error),
                Err(error) => {
                    first_error.get_or_insert(error);
                }
            }
        }
        first_error.map_or(Ok(()), Err)
    }

    async fn through_entry(&mut self, name: &OsStr) -> Result<()> {
        let queues = &self.layout.queues;
        let Some(entry) = queues.look(name)? else { return Ok(()) };
        match (entry.kind, check_agent_name("the folder's name", &name.to_string_lossy())) {
            (Kind::Folder, Ok(())) => match queues.child(name) {
                Ok(Some(folder)) => self.through_queue(&folder, &name.to_string_lossy()).await,
                Ok(None) | Err(MailboxError::NotAFolder(_)) => Ok(()),
                Err(error) => Err(error),
            },
            (Kind::Folder, Err(invalid)) => self.refuse(queues, name, &Why::BadAgent(invalid)),
            (Kind::File, _) => self.refuse_once_rested(queues, name, entry, SETTLED, &Why::NoAgent),
            (Kind::Link, _) => self.refuse(queues, name, &Why::Link),
            (Kind::Special, _) => self.refuse(queues, name, &Why::Special),
        }
    }

    async fn through_queue(&mut self, folder: &Folder, agent: &str) -> Result<()> {
        let mut batch = Batch::default();
        let mut room = Room::Left;
        for name in folder.names()? {
            if was_being_removed(&name) {
                self.bring_back(folder, &name)?;
                continue;
            }
            if is_somebodys_temporary(&name) {
                continue;
            }
            let Some(entry) = folder.look(&name)? else { continue };
            if self.state.memory.knows(&folder.path().join(&name), &entry.identity) {
                continue;
            }
            if room == Room::Full {
                self.taken.waiting += 1;
                continue;
            }
            if let Some(candidate) = self.judge(folder, agent, name, entry).await? {
                batch.push(candidate);
            }
            if batch.is_full() {
                room = self.add(folder, agent, std::mem::take(&mut batch)).await?;
            }
        }
        self.add(folder, agent, batch).await.map(|_| ())
    }

    /// After a crash: the file is judged again, under a name that shows.
    fn bring_back(&mut self, folder: &Folder, name: &OsStr) -> Result<()> {
        let Some(entry) = folder.look(name)? else { return Ok(()) };
        self.taken.waiting += 1;
        match self.state.memory.rested(folder.path().join(name), entry.identity, SETTLED) {
            Patience::Over => folder.rename(name, folder, &folder.free_name(name)).map(|_| ()),
            Patience::Wait => Ok(()),
        }
    }

    /// What is to be done with a file; a candidate if it may be a new task. The store, which will refuse one
    /// that it knows, is asked only where it matters.
    async fn judge(
        &mut self,
        folder: &Folder,
        agent: &str,
        name: OsString,
        entry: Entry,
    ) -> Result<Option<Candidate>> {
        let Some((task, _, identity)) = self.read(folder, agent, &name, entry)? else { return Ok(None) };
        if !self.mailbox.is_locked_by_others(self.layout, &task.id)?
            && let Ok(task) = self.new_task(task, agent)
        {
            return Ok(Some(Candidate { file: CandidateFile { name, identity }, task }));
        }
        self.judge_beside_store(folder, agent, name, entry).await
    }

    /// What is to be done with a file, which may be of a task that the store has.
    pub(super) async fn judge_beside_store(
        &mut self,
        folder: &Folder,
        agent: &str,
        name: OsString,
        entry: Entry,
    ) -> Result<Option<Candidate>> {
        let Some((task, bytes, identity)) = self.read(folder, agent, &name, entry)? else { return Ok(None) };
        if let Some(stored) = self.store.get(&task.id).await? {
            return self.meet(folder, &name, (&task, &bytes, identity), &stored).await.map(|()| None);
        }
        if self.mailbox.is_locked_by_others(self.layout, &task.id)? {
            self.taken.waiting += 1;
            return Ok(None);
        }
        match self.new_task(task, agent) {
            Ok(task) => Ok(Some(Candidate { file: CandidateFile { name, identity }, task })),
            Err(invalid) => self.refuse(folder, &name, &Why::NotATask(invalid)).map(|()| None),
        }
    }

    /// What it depends on may be in a file that comes later.
    fn new_task(&self, task: Task, agent: &str) -> std::result::Result<NewTask, Invalid> {
        NewTask::new(task, self.mailbox.limits_of(agent)).map(NewTask::waiting_for_missing)
    }

    /// The task in a file, unless there is none: then the file waits, or is set aside.
    fn read(
        &mut self,
        folder: &Folder,
        agent: &str,
        name: &OsStr,
        entry: Entry,
    ) -> Result<Option<(Task, Vec<u8>, Identity)>> {
        match entry.kind {
            Kind::File => {}
            Kind::Folder => return self.refuse(folder, name, &Why::Folder).map(|()| None),
            Kind::Link => return self.refuse(folder, name, &Why::Link).map(|()| None),
            Kind::Special => return self.refuse(folder, name, &Why::Special).map(|()| None),
        }
        if !name.as_encoded_bytes().ends_with(b".json") {
            return self.refuse_once_rested(folder, name, entry, STRANGE_NAME, &Why::NotJson).map(|()| None);
        }
        let (bytes, identity) = match folder.read(name, LARGEST_FILE) {
            Content::Whole(bytes, identity) => (bytes, identity),
            Content::Gone => return Ok(None),
            Content::TooLarge => {
                let why = Why::TooLarge { largest: LARGEST_FILE };
                return self.refuse_once_rested(folder, name, entry, SETTLED, &why).map(|()| None);
            }
            Content::Unreadable(error) => {
                let why = Why::Unreadable(error);
                return self.refuse_once_rested(folder, name, entry, SETTLED, &why).map(|()| None);
            }
        };
        match parse(&bytes) {
            Parsed::Task(task) => Ok(Some((assigned_by_folder(*task, agent), bytes, identity))),
            Parsed::Incomplete(invalid) => {
                let why = Why::NotATask(invalid);
                self.refuse_once_rested(folder, name, entry, THE_REST_COMES, &why).map(|()| None)
            }
            Parsed::Unreadable(invalid) => {
                let why = Why::NotATask(invalid);
                self.refuse_once_rested(folder, name, entry, SETTLED, &why).map(|()| None)
            }
            Parsed::Wrong(invalid) => self.refuse(folder, name, &Why::NotATask(invalid)).map(|()| None),
        }
    }

    /// A file of a task that the store has already: our own, one left behind, or somebody's idea of it.
    async fn meet(
        &mut self,
        folder: &Folder,
        name: &OsStr,
        (task, bytes, identity): (&Task, &[u8], Identity),
        stored: &StoredTask,
    ) -> Result<()> {
        let in_place =
            name == OsStr::new(&file_name(&task.id)) && task.assigned_to == stored.task.assigned_to;
        match compare(task, &identity, stored) {
            Version::Current if in_place && bytes == render(&stored.task)? => {
                self.state.memory.remember(folder.path().join(name), identity);
                return Ok(());
            }
            Version::Current | Version::Outdated => {}
            Version::Edited if in_place => self.refuse(folder, name, &Why::Edited(task.id.clone()))?,
            Version::Edited => self.refuse(folder, name, &Why::Taken(task.id.clone()))?,
        }
        self.mailbox.show(self.state, self.layout, self.store, &task.id).await?;
        self.remove_source(folder, name, &task.id, &identity)
    }

    /// The task shows in its place; the file it came in, if that is another, may go.
    pub(super) fn remove_source(
        &self,
        folder: &Folder,
        name: &OsStr,
        id: &TaskId,
        seen: &Identity,
    ) -> Result<()> {
        if name == OsStr::new(&file_name(id)) {
            return Ok(());
        }
        match folder.look(name)? {
            Some(entry) if entry.identity.is_content_of(seen) => folder.remove_if_same(name, seen),
            Some(_) | None => Ok(()),
        }
    }

    pub(super) fn refuse(&mut self, folder: &Folder, name: &OsStr, why: &Why) -> Result<()> {
        self.taken.set_aside.extend(set_aside(self.layout, folder, name, why)?);
        Ok(())
    }

    pub(super) fn refuse_once_rested(
        &mut self,
        folder: &Folder,
        name: &OsStr,
        entry: Entry,
        long: Duration,
        why: &Why,
    ) -> Result<()> {
        match self.state.memory.rested(folder.path().join(name), entry.identity, long) {
            Patience::Over => self.refuse(folder, name, why),
            Patience::Wait => {
                self.taken.waiting += 1;
                Ok(())
            }
        }
    }
}

/// What editors and careful writers call a file that is not there yet.
fn is_somebodys_temporary(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.starts_with(b".") || [&b"~"[..], b".tmp", b".swp", b".part"].iter().any(|end| name.ends_with(end))
}
