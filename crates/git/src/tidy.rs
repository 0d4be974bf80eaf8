//! Keeps mirrors from growing for ever. Everything in one can be fetched again, so whatever nobody has asked for in a while
//! goes; what somebody reads stays, and so does a mirror that somebody holds.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::error::GitError;
use crate::locks;
use crate::mirror::{Mirror, Wanted};
use crate::program::Call;

const SEEN: &str = "countersign.seen";
const TIDIED: &str = "countersign.tidied";
const GONE: &str = ".gone-";
/// Each fetch leaves a pack.
const MOST_PACKS: usize = 20;

/// For how long things are kept that nobody asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// Between two looks at the same mirror.
    pub between: Duration,
    /// Refs, and whole mirrors.
    pub unused: Duration,
}

impl Default for Keep {
    fn default() -> Self {
        const DAY: Duration = Duration::from_secs(24 * 60 * 60);
        Keep { between: DAY, unused: DAY * 30 }
    }
}

/// What came of tidying.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tidied {
    /// It is not time yet.
    NotDue,
    /// Somebody reads it.
    InUse,
    Done {
        /// Those that nobody had asked for.
        refs: usize,
    },
}

impl Mirror {
    /// Remembers when these were asked for.
    pub(crate) fn seen(&self, wanted: &[Wanted]) -> Result<(), GitError> {
        let mut seen = self.when_seen();
        let now = seconds(SystemTime::now());
        seen.extend(wanted.iter().map(|one| (one.ours.clone(), now)));
        self.remember(&seen)
    }

    /// Drops the refs that nobody has asked for in a while, and with them the commits that nothing leads to any more.
    /// Does nothing while somebody reads.
    pub fn tidy(&self, keep: Keep) -> Result<Tidied, GitError> {
        let last = fs::metadata(self.folder.join(TIDIED)).and_then(|file| file.modified());
        if last.is_ok_and(|last| last.elapsed().is_ok_and(|since| since < keep.between)) {
            return Ok(Tidied::NotDue);
        }
        let Some(_alone) = locks::try_alone(&self.folder).map_err(|error| self.unwritable(&error))? else {
            return Ok(Tidied::InUse);
        };
        let refs = self.drop_refs(keep.unused)?;
        if refs > 0 || self.packs() > MOST_PACKS {
            let config = [("gc.writeCommitGraph".to_owned(), "false".to_owned())];
            self.program.output(&Call::new(["gc", "--quiet", "--prune=now"]).config(&config))?;
        }
        fs::write(self.folder.join(TIDIED), "").map_err(|error| self.unwritable(&error))?;
        Ok(Tidied::Done { refs })
    }

    fn drop_refs(&self, unused: Duration) -> Result<usize, GitError> {
        let listed = self.program.output(&Call::new(["for-each-ref", "--format=%(refname)"]))?;
        let listed = String::from_utf8_lossy(&listed).into_owned();
        let now = seconds(SystemTime::now());
        let known = self.when_seen();
        // What we know nothing about counts as asked for now.
        let seen: BTreeMap<String, u64> =
            listed.lines().map(|name| (name.to_owned(), known.get(name).copied().unwrap_or(now))).collect();
        let (kept, old): (BTreeMap<_, _>, BTreeMap<_, _>) =
            seen.into_iter().partition(|(_, at)| now.saturating_sub(*at) <= unused.as_secs());
        if !old.is_empty() {
            let orders: String = old.keys().map(|name| format!("delete {name}\n")).collect();
            self.program.output(&Call::new(["update-ref", "--stdin"]).input(orders.into_bytes()))?;
        }
        self.remember(&kept)?;
        Ok(old.len())
    }

    fn packs(&self) -> usize {
        let Ok(entries) = fs::read_dir(self.folder.join("objects/pack")) else { return 0 };
        entries
            .flatten()
            .filter(|entry| entry.path().extension().is_some_and(|ending| ending == "pack"))
            .count()
    }

    /// Lines of a time and a name. What cannot be read is forgotten.
    fn when_seen(&self) -> BTreeMap<String, u64> {
        let text = fs::read_to_string(self.folder.join(SEEN)).unwrap_or_default();
        let line = |line: &str| {
            let (at, name) = line.split_once(' ')?;
            Some((name.to_owned(), at.parse().ok()?))
        };
        text.lines().filter_map(line).collect()
    }

    fn remember(&self, seen: &BTreeMap<String, u64>) -> Result<(), GitError> {
        let text: String = seen.iter().map(|(name, at)| format!("{at} {name}\n")).collect();
        let (path, new) = (self.folder.join(SEEN), self.folder.join(format!("{SEEN}.new")));
        let write = || {
            let mut file = fs::File::create(&new)?;
            file.write_all(text.as_bytes())?;
            fs::rename(&new, &path)
        };
        write().map_err(|error| self.unwritable(&error))
    }

    fn unwritable(&self, error: &io::Error) -> GitError {
        GitError::Unwritable { path: self.folder.clone(), reason: error.to_string() }
    }
}

/// Removes mirrors in `folder` that nobody has held for a while, and says how many. One that somebody holds or reads stays.
/// Whoever waits for one that is removed makes it anew.
pub fn tidy_mirrors(folder: &Path, keep: Keep) -> usize {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let paths = entries.flatten().map(|entry| entry.path());
    paths
        .filter_map(|path| remove_if_unused(&path, keep).ok())
        .filter(|removed| *removed == Removed::Yes)
        .count()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Removed {
    Yes,
    No,
}

fn remove_if_unused(mirror: &Path, keep: Keep) -> io::Result<Removed> {
    let name = mirror.file_name().unwrap_or_default().to_string_lossy();
    if name.starts_with(GONE) {
        // Of somebody who was killed while removing it.
        fs::remove_dir_all(mirror)?;
        return Ok(Removed::Yes);
    }
    let unused =
        || locks::last_held(mirror).map(|last| last.elapsed().is_ok_and(|since| since > keep.unused));
    if !unused()? {
        return Ok(Removed::No);
    }
    let Some(_held) = locks::try_hold(mirror)? else { return Ok(Removed::No) };
    let Some(_alone) = locks::try_alone(mirror)? else { return Ok(Removed::No) };
    if !unused()? {
        return Ok(Removed::No);
    }
    // Away in one step: nobody ever finds half of one.
    let gone = mirror.with_file_name(format!("{GONE}{name}-{}", std::process::id()));
    fs::rename(mirror, &gone)?;
    fs::remove_dir_all(&gone)?;
    Ok(Removed::Yes)
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
