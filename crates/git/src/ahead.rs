use std::collections::HashMap;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use bytes::Bytes;
use domain::change::Oid;

use crate::objects::{Asked, Found, Process, Running};
use crate::program::Program;

/// Below this, one at a time is as fast.
const WORTH_IT: usize = 50;

/// How much is kept for later, and how large one may be.
const MOST: usize = 64 << 20;
const LARGEST: u64 = 1 << 20;

/// Objects that will be asked for soon, read while git is busy with the diff. Nothing depends on it: what is not there
/// when it is wanted is read then, and an error is told to whoever meets it again.
#[derive(Debug, Default)]
pub(crate) struct Ahead {
    shared: Arc<Shared>,
    is_started: AtomicBool,
}

#[derive(Debug, Default)]
struct Shared {
    read: Mutex<HashMap<Oid, Bytes>>,
    is_over: AtomicBool,
    /// The git that is being read from.
    running: Mutex<Option<Running>>,
}

impl Ahead {
    pub(crate) fn start(&self, program: &Program, oids: Vec<Oid>) {
        if oids.len() < WORTH_IT || self.is_started.swap(true, Ordering::Relaxed) {
            return;
        }
        let (shared, program) = (Arc::clone(&self.shared), program.clone());
        let read = move || shared.read(&program, &oids).unwrap_or_default();
        let _ = thread::Builder::new().name("read-ahead".into()).spawn(read);
    }

    /// Whoever takes it keeps it.
    pub(crate) fn take(&self, oid: &Oid) -> Option<Bytes> {
        self.shared.read.lock().unwrap_or_else(PoisonError::into_inner).remove(oid)
    }
}

impl Shared {
    fn read(&self, program: &Program, oids: &[Oid]) -> Option<()> {
        let mut process = Process::start(program, Asked::AllAtOnce).ok()?;
        self.announce(&process)?;
        let mut stdin = process.stdin.take()?;
        let names: String = oids.iter().flat_map(|oid| [oid.as_str(), "\n"]).collect();
        thread::scope(|scope| {
            scope.spawn(move || stdin.write_all(names.as_bytes()).ok());
            self.keep(&mut process, oids);
            // Whatever is still to come is not wanted, and neither is a wait for it.
            drop(process);
        });
        Some(())
    }

    /// `None` if nobody is interested any more.
    fn announce(&self, process: &Process) -> Option<()> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_over.load(Ordering::Relaxed) {
            return None;
        }
        *running = Some(process.running());
        Some(())
    }

    fn keep(&self, process: &mut Process, oids: &[Oid]) {
        let mut room = MOST;
        for oid in oids {
            let Ok(found) = process.answer(LARGEST) else { return };
            if self.is_over.load(Ordering::Relaxed) {
                return;
            }
            if let Found::Object(object) = found {
                let Some(left) = room.checked_sub(object.content.len()) else { return };
                room = left;
                let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
                read.insert(oid.clone(), object.content);
            }
        }
    }
}

/// The reader may be waiting for a git that says nothing more. It is not waited for in turn: it ends when git has ended, or
/// whatever holds the other end of the pipe.
impl Drop for Ahead {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
        let running = self.shared.running.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(running) = running {
            running.stop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::tests::Script;

    #[test]
    fn nobody_waits_for_a_git_that_says_nothing() {
        let git = Script::new("(sleep 20; touch over) & touch ready; wait");
        let ahead = Ahead::default();
        ahead.start(&git.program(), vec![Oid::parse(&"a1".repeat(20)).unwrap(); WORTH_IT]);
        git.wait_for("ready");
        drop(ahead);
        assert!(!git.has("over"));
    }
}
