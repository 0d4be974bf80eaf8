use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::folder::Identity;

/// Of files waited for at a time. Those beyond wait for their turn.
const MOST: usize = 10_000;
/// Of our own files that need not be read again.
const MOST_KNOWN: usize = 200_000;

/// What is remembered of files from one look to the next. Forgetting costs time, never a file.
#[derive(Debug, Default)]
pub(super) struct Memory {
    look: u64,
    known: HashMap<PathBuf, (Identity, u64)>,
    waiting: HashMap<PathBuf, Waiting>,
}

#[derive(Debug)]
struct Waiting {
    identity: Identity,
    since: Instant,
    look: u64,
}

/// Whether a file has rested long enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    Wait,
    Over,
}

impl Memory {
    pub(super) fn begin_look(&mut self) {
        self.look += 1;
    }

    /// What was not met in this look is gone.
    pub(super) fn end_look(&mut self) {
        let look = self.look;
        self.waiting.retain(|_, waiting| waiting.look == look);
        self.known.retain(|_, (_, seen)| *seen == look);
    }

    pub(super) fn remember(&mut self, path: PathBuf, identity: Identity) {
        if self.known.len() < MOST_KNOWN || self.known.contains_key(&path) {
            self.known.insert(path, (identity, self.look));
        }
    }

    /// We wrote it, and nobody touched it since.
    pub(super) fn knows(&mut self, path: &Path, identity: &Identity) -> bool {
        match self.known.get_mut(path) {
            Some((known, look)) if known == identity => {
                *look = self.look;
                true
            }
            Some(_) | None => false,
        }
    }

    /// Over when the file has stayed as it is for so long.
    pub(super) fn rested(&mut self, path: PathBuf, identity: Identity, long: Duration) -> Patience {
        let look = self.look;
        if self.waiting.len() >= MOST && !self.waiting.contains_key(&path) {
            return Patience::Wait;
        }
        let now = Instant::now();
        let waiting = self.waiting.entry(path).or_insert(Waiting { identity, since: now, look });
        waiting.look = look;
        if waiting.identity != identity {
            *waiting = Waiting { identity, since: now, look };
        }
        if now.duration_since(waiting.since) >= long { Patience::Over } else { Patience::Wait }
    }

    pub(super) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }
}
