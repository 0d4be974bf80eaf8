use std::collections::HashSet;
use std::ffi::OsString;
use std::ops::Range;

use domain::ports::{StoreError, TaskStore};
use domain::tasks::{NewTask, Refusal};

use super::error::Result;
use super::folder::{Folder, Identity};
use super::malformed::Why;
use super::take_in::{FullQueue, Look};

const MOST_TASKS: usize = 200;
/// Of files. A batch is held in memory, more than once.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

/// A file that may become a task.
pub(super) struct Candidate {
    pub(super) file: CandidateFile,
    pub(super) task: NewTask,
}

pub(super) struct CandidateFile {
    pub(super) name: OsString,
    pub(super) identity: Identity,
}

/// Files of one queue that are added in one transaction.
#[derive(Default)]
pub(super) struct Batch {
    files: Vec<CandidateFile>,
    tasks: Vec<NewTask>,
    bytes: u64,
}

/// Whether the queue of an agent takes more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    Left,
    Full,
}

impl Batch {
    pub(super) fn push(&mut self, candidate: Candidate) {
        self.bytes += candidate.file.identity.size();
        self.files.push(candidate.file);
        self.tasks.push(candidate.task);
    }

    pub(super) fn is_full(&self) -> bool {
        self.tasks.len() >= MOST_TASKS || self.bytes >= MOST_BYTES
    }
}

impl<S: TaskStore> Look<'_, S> {
    /// All of them in one transaction, if the store has nothing against any.
    pub(super) async fn add(&mut self, folder: &Folder, agent: &str, batch: Batch) -> Result<Room> {
        match self.store.add(&batch.tasks, self.limit).await {
            Ok(_) => self.added(folder, &batch, 0..batch.tasks.len()).await,
            Err(StoreError::Refused(Refusal::Duplicate(_))) => {
                let batch = self.without_known(folder, agent, batch).await?;
                self.add_in_parts(folder, agent, &batch).await
            }
            Err(StoreError::Refused(_)) => self.add_in_parts(folder, agent, &batch).await,
            Err(error) => Err(error.into()),
        }
    }

    /// Where one task is known there are often many, as after a restart: each is looked at beside what the
    /// store has of it, and what is new is left.
    async fn without_known(&mut self, folder: &Folder, agent: &str, batch: Batch) -> Result<Batch> {
        let mut new = Batch::default();
        for file in batch.files {
            let Some(entry) = folder.look(&file.name)? else { continue };
            if let Some(candidate) = self.judge_beside_store(folder, agent, file.name, entry).await? {
                new.push(candidate);
            }
        }
        Ok(new)
    }

    /// What is refused is halved until the guilty are alone: the others are added, in few transactions if the
    /// guilty are few.
    async fn add_in_parts(&mut self, folder: &Folder, agent: &str, batch: &Batch) -> Result<Room> {
        let mut parts: Vec<Range<usize>> = std::iter::once(0..batch.tasks.len()).collect();
        while let Some(part) = parts.pop().filter(|part| !part.is_empty()) {
            match self.store.add(&batch.tasks[part.clone()], self.limit).await {
                Ok(_) => {
                    self.added(folder, batch, part).await?;
                }
                Err(StoreError::Refused(refusal)) if part.len() == 1 => {
                    if self.refused(folder, agent, &batch.files[part.start], refusal).await? == Room::Full {
                        self.taken.waiting += parts.iter().map(ExactSizeIterator::len).sum::<usize>();
                        return Ok(Room::Full);
                    }
                }
                Err(StoreError::Refused(_)) => {
                    let middle = part.start + part.len() / 2;
                    parts.extend([middle..part.end, part.start..middle]);
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Room::Left)
    }

    /// Each shows before the file it came in goes.
    async fn added(&mut self, folder: &Folder, batch: &Batch, part: Range<usize>) -> Result<Room> {
        let tasks = &batch.tasks[part.clone()];
        let ids: HashSet<_> = tasks.iter().map(|new| &new.task().id).collect();
        self.mailbox.show_newest(self.state, self.layout, self.store, &ids).await?;
        for (file, new) in batch.files[part].iter().zip(tasks) {
            let id = &new.task().id;
            self.remove_source(folder, &file.name, id, &file.identity)?;
            self.state.shown_when_added.insert(id.clone());
            self.taken.added.push(id.clone());
        }
        Ok(Room::Left)
    }

    async fn refused(
        &mut self,
        folder: &Folder,
        agent: &str,
        file: &CandidateFile,
        refusal: Refusal,
    ) -> Result<Room> {
        let name = &file.name;
        match refusal {
            Refusal::QueueFull { .. } => {
                self.taken.waiting += 1;
                if !self.taken.full.iter().any(|full| full.queue == agent) {
                    let file = domain::text::short_line(&name.to_string_lossy());
                    self.taken.full.push(FullQueue { queue: agent.to_owned(), file });
                }
                return Ok(Room::Full);
            }
            // Another file, or another process, was faster. The file is looked at beside that task.
            Refusal::Duplicate(_) => {
                if let Some(entry) = folder.look(name)? {
                    self.judge_beside_store(folder, agent, name.clone(), entry).await?;
                }
            }
            refusal @ (Refusal::UnknownDependency { .. }
            | Refusal::DependencyCycle(_)
            | Refusal::StaleLease { .. }
            | Refusal::Illegal(_)
            | Refusal::NotFound(_)
            | Refusal::Invalid(_)) => self.refuse(folder, name, &Why::Refused(refusal.to_string()))?,
        }
        Ok(Room::Left)
    }
}
