use std::path::{Path, PathBuf};

use brain::agents::default_scratch_root;
use domain::epic::TicketId;
use git::Repository;

use crate::failure::Failure;
use crate::loops::{Lock, digest};

/// Where an epic's lock is, and where its agents work. As for a loop, the one is beside the repository's own state and
/// the other below the user's cache, where everything belongs to this run alone.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    folder: PathBuf,
    scratch: PathBuf,
}

impl Place {
    pub(crate) fn of(repository: &Repository, id: &TicketId) -> Place {
        let common = repository.common_dir();
        let whose = digest(real(common).as_os_str().as_encoded_bytes());
        let scratch = default_scratch_root(|name| std::env::var_os(name));
        Place {
            folder: common.join("countersign").join("epics").join(id.as_str()),
            scratch: scratch.with_file_name("epics").join(format!("{whose}-{id}")),
        }
    }

    /// The right to run the epic on this machine.
    pub(crate) fn lock(&self, id: &TicketId) -> Result<Lock, Failure> {
        let lock = Lock::at(&self.folder, |who| {
            Failure::new(
                format!("epic {id} is being run: {who}"),
                "wait until it is done, watch it with `countersign epic status --watch`, or stop it with Ctrl-C there",
            )
        });
        Ok(lock?)
    }

    /// Whether somebody runs the epic right now.
    pub(crate) fn is_at_work(&self) -> bool {
        Lock::is_held(&self.folder)
    }

    /// Where a ticket is built.
    pub(super) fn tree(&self, ticket: &TicketId) -> PathBuf {
        self.of_ticket(ticket).join("tree")
    }

    /// Where its work, or its merge, is validated.
    pub(super) fn check_tree(&self, ticket: &TicketId) -> PathBuf {
        self.of_ticket(ticket).join("check")
    }

    pub(super) fn of_ticket(&self, ticket: &TicketId) -> PathBuf {
        self.scratch.join(ticket.as_str())
    }

    /// Removes what a process that died has left. Only for whoever holds the lock.
    pub(crate) fn clear<'a>(
        &self,
        repository: &Repository,
        tickets: impl Iterator<Item = &'a TicketId>,
    ) -> Result<(), Failure> {
        if self.scratch.exists() {
            for ticket in tickets.filter(|ticket| self.of_ticket(ticket).exists()) {
                repository.clear_checkout(&self.tree(ticket))?;
                repository.clear_checkout(&self.check_tree(ticket))?;
            }
        }
        Ok(repository.clear_checkout(&self.scratch)?)
    }
}

pub(super) fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
