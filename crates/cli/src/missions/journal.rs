use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use domain::forge::IssueKey;
use engine::mission::{Mission, VERSION};
use rustix::fs::{FlockOperation, flock};
use serde::Serialize;

use crate::failure::Failure;
use crate::loops::Fault;
use crate::store::random;

/// Where missions are kept: one file a ticket, which says how the last one went or goes.
#[derive(Debug)]
pub(crate) struct Journal {
    folder: PathBuf,
    key: IssueKey,
    fault: Fault,
    /// What we are called among those who share a store: the same for everybody who works on the ticket in this folder,
    /// who are one after the other.
    holder: String,
    /// The kernel takes it back from whoever dies.
    _lock: File,
}

impl Journal {
    /// Refused while somebody else is at work on the same ticket here.
    pub(crate) fn open(mailbox: &Path, key: &IssueKey) -> Result<Journal, Failure> {
        Journal::open_if_free(mailbox, key)?.ok_or_else(|| {
            Failure::new(
                format!("another process works on the mission of {key}"),
                "wait until it is done: it will report to the ticket",
            )
        })
    }

    /// Nothing while somebody else is at work on the same ticket here.
    pub(crate) fn open_if_free(mailbox: &Path, key: &IssueKey) -> Result<Option<Journal>, Failure> {
        let folder = mailbox.join("missions");
        let path = folder.join(format!("{key}.lock"));
        let unwritable = |error: std::io::Error| {
            Failure::new(format!("cannot write {}: {error}", path.display()), "check its permissions")
        };
        std::fs::create_dir_all(&folder).map_err(unwritable)?;
        let mut lock = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(unwritable)?;
        if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
            return Ok(None);
        }
        let holder = named(&mut lock).map_err(unwritable)?;
        Ok(Some(Journal { folder, key: key.clone(), fault: Fault::wanted(), holder, _lock: lock }))
    }

    /// Whether a process works on the ticket here. Nothing is written.
    pub(super) fn is_held(mailbox: &Path, key: &IssueKey) -> bool {
        let Ok(lock) = File::open(mailbox.join("missions").join(format!("{key}.lock"))) else { return false };
        flock(&lock, FlockOperation::NonBlockingLockShared).is_err()
    }

    pub(super) fn holder(&self) -> &str {
        &self.holder
    }

    fn path(&self) -> PathBuf {
        self.folder.join(format!("{}.json", self.key))
    }

    pub(crate) fn save(&self, mission: &Mission) -> Result<(), Failure> {
        let save = self.fault.before();
        let path = self.path();
        write_whole(&path, mission).map_err(|error| {
            let what = format!("cannot write {}: {error}", path.display());
            Failure::new(what, "make room there, and check its permissions; then start the mission again")
        })?;
        self.fault.after(save);
        Ok(())
    }

    /// Where else something about the missions of the ticket may be kept, by whoever holds the journal.
    pub(super) fn beside(&self, ending: &str) -> PathBuf {
        self.folder.join(format!("{}.{ending}", self.key))
    }

    /// The last mission of the ticket, over or not.
    pub(crate) fn load(&self) -> Result<Option<Mission>, Failure> {
        let path = self.path();
        let unreadable = |reason: String| {
            let what = format!("cannot read {}: {reason}", path.display());
            Failure::new(what, "move the file away to begin anew; what was reported stays reported")
        };
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unreadable(error.to_string())),
        };
        let mission: Mission =
            serde_json::from_slice(&bytes).map_err(|error| unreadable(error.to_string()))?;
        match mission.version {
            VERSION => Ok(Some(mission)),
            other => Err(unreadable(format!("it is of version {other}, and this program knows {VERSION}"))),
        }
    }
}

/// What the lock file says, which is made up once.
fn named(lock: &mut File) -> std::io::Result<String> {
    const LONGEST: u64 = 100;
    let mut name = String::new();
    lock.take(LONGEST).read_to_string(&mut name)?;
    if name.trim().is_empty() {
        name = random();
        lock.write_all(name.as_bytes())?;
        lock.sync_all()?;
    }
    Ok(name.trim().to_owned())
}

/// All of it or nothing, whoever pulls the plug.
pub(super) fn write_whole(path: &Path, content: &impl Serialize) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    serde_json::to_writer(&mut file, content)?;
    file.write_all(b"\n")?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    File::open(folder)?.sync_all()
}
