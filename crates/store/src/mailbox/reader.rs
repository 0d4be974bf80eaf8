//! Under which name a mailbox reads the outbox, and whether it shows what there is.
//!
//! Both are kept in the directory itself: whoever tends it, and after whatever crash, finds what was left to
//! do, and a directory that was deleted comes back as a new reader that has everything to catch up with.

use std::ffi::OsStr;
use std::hash::{BuildHasher, RandomState};

use domain::tasks::check_agent_name;

use super::error::Result;
use super::folder::{Content, Creation, Folder, Identity, unique};
use super::layout::Layout;
use super::malformed::{Why, set_aside};

/// Holds the name. Created once, never changed.
const READER: &str = ".reader";
/// Stands while everything has to be written again. Each demand is a file of its own: the end of one
/// rebuilding does not take away a demand that came after it had begun.
const REBUILD: &str = ".rebuild";
const LARGEST: u64 = 200;

pub(super) fn demand_rebuild(root: &Folder) -> Result<()> {
    root.write(OsStr::new(REBUILD), b"Everything will be written again.\n").map(|_| ())
}

impl Layout {
    pub(super) fn rebuild_demanded(&self) -> Result<Option<Identity>> {
        Ok(self.root.look(OsStr::new(REBUILD))?.map(|entry| entry.identity))
    }

    pub(super) fn has_rebuilt(&self, demand: &Identity) -> Result<()> {
        self.root.remove_if_same(OsStr::new(REBUILD), demand)
    }

    /// The name of this mailbox. One that has none yet has everything to catch up with.
    pub(super) fn reader(&self) -> Result<String> {
        if let Some(name) = self.find_reader()? {
            return Ok(name);
        }
        demand_rebuild(&self.root)?;
        let name = random_name();
        // Never there and empty: somebody else would take that for no name, and set it aside.
        match self.root.create_whole(OsStr::new(READER), name.as_bytes())? {
            Creation::Done => Ok(name),
            Creation::SomebodyWasFaster => Ok(self.find_reader()?.unwrap_or(name)),
        }
    }

    fn find_reader(&self) -> Result<Option<String>> {
        let file = OsStr::new(READER);
        if self.root.look(file)?.is_none() {
            return Ok(None);
        }
        if let Content::Whole(bytes, _) = self.root.read(file, LARGEST)
            && let Ok(name) = String::from_utf8(bytes)
            && check_agent_name("reader", name.trim()).is_ok()
        {
            return Ok(Some(name.trim().to_owned()));
        }
        set_aside(self, &self.root, file, &Why::NotAReader)?;
        Ok(None)
    }
}

/// The keys of a `RandomState` come from the system's source of randomness.
fn random_name() -> String {
    let half = || RandomState::new().hash_one(unique());
    format!("mailbox-{:016x}{:016x}", half(), half())
}
