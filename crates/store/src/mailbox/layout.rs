use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::Path;

use super::error::{MailboxError, Result};
use super::folder::Folder;
use super::malformed::{Why, set_aside};
use super::reader::demand_rebuild;

/// The folders of the mailbox, opened anew for every piece of work: somebody may have deleted them.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) root: Folder,
    pub(super) queues: Folder,
    pub(super) completed: Folder,
    pub(super) locks: Folder,
    pub(super) heartbeats: Folder,
    pub(super) pause: Folder,
    pub(super) malformed: Folder,
}

impl Layout {
    pub(super) fn open(root: &Path) -> Result<Layout> {
        let root = open_root(root)?;
        let folder = |name: &str| match root.child(OsStr::new(name))? {
            Some(folder) => Ok(folder),
            None => {
                demand_rebuild(&root)?;
                root.make_child(OsStr::new(name))
            }
        };
        let (queues, completed, locks) = (folder("queues")?, folder("completed")?, folder("locks")?);
        let (heartbeats, pause, malformed) = (folder("heartbeats")?, folder("pause")?, folder("malformed")?);
        let ignore = OsStr::new(".gitignore");
        if root.look(ignore)?.is_none() {
            root.write(ignore, b"*\n")?;
        }
        Ok(Layout { root, queues, completed, locks, heartbeats, pause, malformed })
    }

    /// Nothing where a folder is missing: whoever tends the mailbox makes it, and must notice that it was.
    pub(super) fn standing(root: &Path) -> Result<Option<Layout>> {
        let root = match Folder::open(root) {
            Err(MailboxError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => return Ok(None),
            opened => opened?,
        };
        let folder = |name: &str| root.child(OsStr::new(name));
        let shelves = (folder("queues")?, folder("completed")?, folder("locks")?);
        let others = (folder("heartbeats")?, folder("pause")?, folder("malformed")?);
        let (Some(queues), Some(completed), Some(locks)) = shelves else { return Ok(None) };
        let (Some(heartbeats), Some(pause), Some(malformed)) = others else { return Ok(None) };
        Ok(Some(Layout { root, queues, completed, locks, heartbeats, pause, malformed }))
    }

    /// The folder of an agent in `queues` or `completed`. What stands in its place is set aside.
    pub(super) fn agent(&self, within: &Folder, agent: &str) -> Result<Folder> {
        let name = OsStr::new(agent);
        match within.child(name) {
            Ok(Some(folder)) => Ok(folder),
            Ok(None) => within.make_child(name),
            Err(MailboxError::NotAFolder(_)) => {
                set_aside(self, within, name, &Why::InTheWay)?;
                within.make_child(name)
            }
            Err(error) => Err(error),
        }
    }
}

fn open_root(path: &Path) -> Result<Folder> {
    match Folder::open(path) {
        Err(MailboxError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {
            std::fs::create_dir_all(path).map_err(|source| MailboxError::Io {
                action: "create",
                path: path.to_owned(),
                source,
            })?;
            Folder::open(path)
        }
        opened => opened,
    }
}
