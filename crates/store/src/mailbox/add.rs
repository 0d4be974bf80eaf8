use std::ffi::OsString;
use std::time::Duration;

use domain::ports::{StoreError, TaskStore};
use domain::tasks::{NewTask, Refusal};

use super::error::Result;
use super::folder::{Folder, Identity};
use super::malformed::Why;
use super::take_in::Look;

/// A dependency may be on its way in another file.
const DEPENDENCY_COMES: Duration = Duration::from_secs(10);

/// A file that may become a task.
pub(super) struct Candidate {
    pub(super) name: OsString,
    pub(super) identity: Identity,
    pub(super) task: NewTask,
}

/// Whether the queue of an agent takes more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    Left,
    Full,
}

impl<S: TaskStore> Look<'_, S> {
    /// All of them in one transaction, if the store has nothing against any.
    pub(super) async fn add(&mut self, folder: &Folder, agent: &str, batch: Vec<Candidate>) -> Result<Room> {
        let tasks: Vec<NewTask> = batch.iter().map(|candidate| candidate.task.clone()).collect();
        match self.store.add(&tasks, self.limit).await {
            Ok(_) => {
                for candidate in batch {
                    self.added(folder, candidate).await?;
                }
                Ok(Room::Left)
            }
            Err(StoreError::Refused(_)) => self.add_singly(folder, agent, batch).await,
            Err(error) => Err(error.into()),
        }
    }

    /// One of them was refused, and with it all.
    async fn add_singly(&mut self, folder: &Folder, agent: &str, batch: Vec<Candidate>) -> Result<Room> {
        let mut room = Room::Left;
        for candidate in batch {
            if room == Room::Full {
                self.taken.waiting += 1;
                continue;
            }
            match self.store.add(std::slice::from_ref(&candidate.task), self.limit).await {
                Ok(_) => self.added(folder, candidate).await?,
                Err(StoreError::Refused(refusal)) => {
                    room = self.refused(folder, agent, &candidate, refusal).await?;
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(room)
    }

    async fn added(&mut self, folder: &Folder, candidate: Candidate) -> Result<()> {
        let id = candidate.task.task().id.clone();
        self.consume(folder, &candidate.name, &id, &candidate.identity).await?;
        self.taken.added.push(id);
        Ok(())
    }

    async fn refused(
        &mut self,
        folder: &Folder,
        agent: &str,
        candidate: &Candidate,
        refusal: Refusal,
    ) -> Result<Room> {
        let name = &candidate.name;
        match refusal {
            Refusal::QueueFull { .. } => {
                self.taken.waiting += 1;
                return Ok(Room::Full);
            }
            // Another file, or another process, was faster. The file is looked at beside that task.
            Refusal::Duplicate(_) => {
                if let Some(entry) = folder.look(name)? {
                    Box::pin(self.judge(folder, agent, name.clone(), entry)).await?;
                }
            }
            refusal @ Refusal::UnknownDependency { .. } => {
                self.missing_dependencies += 1;
                if let Some(entry) = folder.look(name)? {
                    let why = Why::Refused(refusal.to_string());
                    self.refuse_once_rested(folder, name, entry, DEPENDENCY_COMES, &why)?;
                }
            }
            refusal @ (Refusal::DependencyCycle(_)
            | Refusal::StaleLease { .. }
            | Refusal::Illegal(_)
            | Refusal::NotFound(_)
            | Refusal::Invalid(_)) => self.refuse(folder, name, &Why::Refused(refusal.to_string()))?,
        }
        Ok(Room::Left)
    }
}
