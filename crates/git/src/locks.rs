//! The two locks of a mirror. Both are files in it; a mirror that is removed takes them along.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;
use std::time::SystemTime;

const HELD: &str = "countersign.lock";
const READ: &str = "countersign.read";

/// Whoever takes longer to find a folder that stays is up against somebody who deletes it on purpose.
const TRIES: u32 = 100;

/// For whoever fetches or tidies: one at a time. Makes the folder, and waits.
pub(crate) fn hold(folder: &Path) -> io::Result<File> {
    let path = folder.join(HELD);
    for _ in 0..TRIES {
        fs::create_dir_all(folder)?;
        let lock = match open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            opened => opened?,
        };
        lock.lock()?;
        // While we waited, somebody may have removed the mirror and our lock with it.
        if is_at(&lock, &path) {
            lock.set_modified(SystemTime::now())?;
            return Ok(lock);
        }
    }
    Err(io::Error::other("the folder is removed again and again"))
}

/// As [`hold`], of a mirror that is there, unless somebody has it.
pub(crate) fn try_hold(folder: &Path) -> io::Result<Option<File>> {
    let path = folder.join(HELD);
    let lock = File::options().write(true).open(&path)?;
    Ok(attempt(lock)?.filter(|lock| is_at(lock, &path)))
}

/// When somebody last held it.
pub(crate) fn last_held(folder: &Path) -> io::Result<SystemTime> {
    fs::metadata(folder.join(HELD))?.modified()
}

/// For whoever reads, together with others who read. Taken while the mirror is held.
pub(crate) fn share(folder: &Path) -> io::Result<File> {
    let shared = open(&folder.join(READ))?;
    shared.lock_shared()?;
    Ok(shared)
}

/// Nobody reads while this is kept. Taken while the mirror is held.
pub(crate) fn try_alone(folder: &Path) -> io::Result<Option<File>> {
    attempt(open(&folder.join(READ))?)
}

fn open(path: &Path) -> io::Result<File> {
    File::options().create(true).truncate(false).write(true).open(path)
}

fn attempt(lock: File) -> io::Result<Option<File>> {
    match lock.try_lock() {
        Ok(()) => Ok(Some(lock)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

#[cfg(unix)]
fn is_at(lock: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let (ours, theirs) = (lock.metadata(), fs::metadata(path));
    matches!((ours, theirs), (Ok(a), Ok(b)) if (a.dev(), a.ino()) == (b.dev(), b.ino()))
}

/// An open file cannot be removed there.
#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}
