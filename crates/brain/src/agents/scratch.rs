use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use tempfile::TempDir;

/// A directory that nobody holds is being made, or what a crash left. The next run after this time removes it.
const STALE: Duration = Duration::from_secs(60);
const PREFIX: &str = "run-";

/// A directory for one run of an agent: its home, its temporary files and what is exchanged with it. It is the only
/// place a reviewer can write, and is removed at the end.
#[derive(Debug)]
pub struct Scratch {
    directory: TempDir,
    /// Locked for as long as we live, and by nobody after that.
    _held: File,
}

/// Below the user's cache, since Codex cannot have its home below the directory for temporary files.
/// `variable` looks up the environment.
pub fn default_scratch_root(variable: impl Fn(&str) -> Option<std::ffi::OsString>) -> PathBuf {
    let absolute = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")));
    cache.unwrap_or_else(std::env::temp_dir).join("countersign").join("scratch")
}

impl Scratch {
    pub fn create(root: &Path) -> io::Result<Scratch> {
        std::fs::create_dir_all(root)?;
        remove_stale(root);
        let private = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        let mut builder = tempfile::Builder::new();
        let directory = builder.prefix(PREFIX).permissions(private).tempdir_in(root.canonicalize()?)?;
        let held = File::open(directory.path())?;
        flock(&held, FlockOperation::NonBlockingLockExclusive)?;
        for part in ["home", "tmp", "run", "files"] {
            std::fs::create_dir(directory.path().join(part))?;
        }
        Ok(Scratch { directory, _held: held })
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    pub fn files(&self) -> PathBuf {
        self.path().join("files")
    }

    /// Whether it is below the directory for temporary files.
    pub fn is_temporary(&self) -> bool {
        let temporary = std::env::temp_dir();
        let temporary = temporary.canonicalize().unwrap_or(temporary);
        self.path().starts_with(temporary) || self.path().starts_with("/tmp")
    }

    /// Puts a copy of a file below the home of the user at the same place below this one.
    pub(super) fn copy_from_home(&self, home: &Path, file: &str) -> io::Result<()> {
        let (from, to) = (home.join(file), self.path().join("home").join(file));
        if !from.is_file() {
            return Ok(());
        }
        if let Some(directory) = to.parent() {
            std::fs::create_dir_all(directory)?;
        }
        std::fs::copy(from, to).map(drop)
    }
}

/// As far as it can be done: what cannot be removed harms nobody.
fn remove_stale(root: &Path) {
    let Ok(entries) = std::fs::read_dir(root) else { return };
    for entry in entries.flatten() {
        let ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        let modified = entry.metadata().and_then(|data| data.modified());
        let old = modified.is_ok_and(|then| then.elapsed().is_ok_and(|age| age > STALE));
        if ours && old && entry.file_type().is_ok_and(|kind| kind.is_dir()) && !is_held(&entry.path()) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

fn is_held(directory: &Path) -> bool {
    let Ok(file) = File::open(directory) else { return true };
    flock(&file, FlockOperation::NonBlockingLockExclusive).is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scratch_is_below_the_cache_of_the_user() {
        let root = |name: &'static str, value: &'static str| {
            default_scratch_root(move |asked| (asked == name).then(|| value.into()))
        };
        assert_eq!(root("HOME", "/home/me"), Path::new("/home/me/.cache/countersign/scratch"));
        assert_eq!(root("XDG_CACHE_HOME", "/c"), Path::new("/c/countersign/scratch"));
    }

    #[test]
    fn what_a_crash_left_goes_and_what_is_in_use_stays() {
        let root = tempfile::tempdir().unwrap();
        let (used, left) = (Scratch::create(root.path()).unwrap(), root.path().join("run-left"));
        std::fs::create_dir(&left).unwrap();
        let long_ago = std::time::SystemTime::now() - STALE * 2;
        for directory in [used.path(), &left] {
            File::open(directory).unwrap().set_modified(long_ago).unwrap();
        }
        Scratch::create(root.path()).unwrap();
        assert_eq!((used.path().exists(), left.exists()), (true, false));
    }

    #[test]
    fn scratch_is_private_and_goes_away() {
        use std::os::unix::fs::PermissionsExt;
        let root = tempfile::tempdir().unwrap();
        let scratch = Scratch::create(root.path()).unwrap();
        let path = scratch.path().to_owned();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o077, 0);
        drop(scratch);
        assert!(!path.exists());
    }
}
