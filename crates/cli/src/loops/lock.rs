use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use super::Place;
use crate::failure::Failure;
use crate::store::system_user;

/// How often a lock is tried that another process only looks at.
const LOOKS: u32 = 2_000;
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

/// The right to work on a branch or an epic. The kernel takes it back from whoever dies, so no lock is ever stale; what the file says
/// only tells others who has it.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

/// Why it cannot be worked on.
#[derive(Debug)]
pub(crate) enum NotTaken {
    /// By somebody who is at it.
    Held(Failure),
    Unwritable(Failure),
}

impl From<NotTaken> for Failure {
    fn from(not_taken: NotTaken) -> Failure {
        match not_taken {
            NotTaken::Held(failure) | NotTaken::Unwritable(failure) => failure,
        }
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Holder {
    pid: u32,
    host: String,
    user: String,
    since: String,
}

/// A process that only looks whether the lock is held shares it for a moment, which may be long on a busy machine. As
/// long as the lock can be shared, no process holds it.
fn taken(file: &File) -> bool {
    for _ in 0..LOOKS {
        if flock(file, FlockOperation::NonBlockingLockExclusive).is_ok() {
            return true;
        }
        if flock(file, FlockOperation::NonBlockingLockShared).is_err() {
            return false;
        }
        let _ = flock(file, FlockOperation::Unlock);
        std::thread::sleep(BETWEEN_LOOKS);
    }
    false
}

impl Lock {
    pub(crate) fn take(place: &Place, branch: &str) -> Result<Lock, NotTaken> {
        Lock::at(&place.folder, |who| {
            Failure::new(
                format!("another loop works on branch `{branch}`: {who}"),
                "wait until it is done, or stop it with Ctrl-C there; then go on with `countersign loop --resume`",
            )
        })
    }

    /// Whether somebody has the lock in `folder`. Looked at without taking it from anybody.
    pub(crate) fn is_held(folder: &Path) -> bool {
        let Ok(file) = File::open(folder.join("lock")) else { return false };
        flock(&file, FlockOperation::NonBlockingLockShared).is_err()
    }

    /// The lock in `folder`, or what `held` makes of who has it.
    pub(crate) fn at(folder: &Path, held: impl FnOnce(&str) -> Failure) -> Result<Lock, NotTaken> {
        let path = folder.join("lock");
        let unwritable = |error: std::io::Error| {
            NotTaken::Unwritable(Failure::new(
                format!("cannot write {}: {error}", path.display()),
                "make the repository's .git writable",
            ))
        };
        std::fs::create_dir_all(folder).map_err(unwritable)?;
        let mut file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(unwritable)?;
        if !taken(&file) {
            return Err(NotTaken::Held(held(&holder(&mut file))));
        }
        let holder = Holder {
            pid: std::process::id(),
            host: rustix::system::uname().nodename().to_string_lossy().into_owned(),
            user: system_user(),
            since: Timestamp::now().round(jiff::Unit::Second).map(|now| now.to_string()).unwrap_or_default(),
        };
        let text = serde_json::to_vec(&holder).unwrap_or_default();
        file.set_len(0).and_then(|()| file.write_all(&text)).map_err(unwritable)?;
        Ok(Lock { _file: file })
    }
}

fn holder(file: &mut File) -> String {
    let mut text = String::new();
    let _ = file.take(4096).read_to_string(&mut text);
    let Holder { pid, host, user, since } = serde_json::from_str(&text).unwrap_or_default();
    match pid {
        0 => "another process".to_owned(),
        pid => format!("process {pid} of {user} on {host}, since {since}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(folder: &Path) -> Result<Lock, NotTaken> {
        Lock::at(folder, |who| Failure::new(who, ""))
    }

    #[test]
    fn whoever_only_looks_keeps_nobody_from_it_however_long_it_takes() {
        let folder = tempfile::tempdir().unwrap();
        drop(take(folder.path()).unwrap());
        let looker = File::open(folder.path().join("lock")).unwrap();
        flock(&looker, FlockOperation::NonBlockingLockShared).unwrap();
        let slow = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(500));
            drop(looker);
        });
        let lock = take(folder.path()).unwrap();
        slow.join().unwrap();
        assert!(Lock::is_held(folder.path()) && take(folder.path()).is_err());
        drop(lock);
        assert!(!Lock::is_held(folder.path()));
    }
}
