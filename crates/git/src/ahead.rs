use std::collections::HashMap;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use bytes::Bytes;
use domain::change::Oid;

use crate::objects::{Asked, Found, Process};
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
    reader: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug, Default)]
struct Shared {
    read: Mutex<HashMap<Oid, Bytes>>,
    is_over: AtomicBool,
}

impl Ahead {
    pub(crate) fn start(&self, program: &Program, oids: Vec<Oid>) {
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        if oids.len() < WORTH_IT || reader.is_some() {
            return;
        }
        let (shared, program) = (Arc::clone(&self.shared), program.clone());
        let read = move || shared.read(&program, &oids).unwrap_or_default();
        *reader = thread::Builder::new().name("read-ahead".into()).spawn(read).ok();
    }

    /// Whoever takes it keeps it.
    pub(crate) fn take(&self, oid: &Oid) -> Option<Bytes> {
        self.shared.read.lock().unwrap_or_else(PoisonError::into_inner).remove(oid)
    }
}

impl Shared {
    fn read(&self, program: &Program, oids: &[Oid]) -> Option<()> {
        let mut process = Process::start(program, Asked::AllAtOnce).ok()?;
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

impl Drop for Ahead {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
        if let Some(reader) = self.reader.get_mut().unwrap_or_else(PoisonError::into_inner).take() {
            let _ = reader.join();
        }
    }
}
