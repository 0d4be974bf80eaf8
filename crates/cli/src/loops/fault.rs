use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::process::{Signal, getpid, kill_process};

/// Where a test wants this program to die: `before:3` or `after:3`, by the number of the save.
const VARIABLE: &str = "COUNTERSIGN_FAULT_SAVE";

/// Counts saves, and dies at the one that a test named.
#[derive(Debug)]
pub(crate) struct Fault {
    saves: AtomicUsize,
    at: Option<(Moment, usize)>,
}

/// The number of a save.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Save(usize);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    Before,
    After,
}

impl Fault {
    /// What the environment asks for, which is nothing outside of tests.
    pub(crate) fn wanted() -> Fault {
        Fault { saves: AtomicUsize::new(0), at: asked() }
    }

    pub(crate) fn before(&self) -> Save {
        let number = self.saves.fetch_add(1, Ordering::SeqCst);
        self.die_at(Moment::Before, number);
        Save(number)
    }

    pub(crate) fn after(&self, save: Save) {
        self.die_at(Moment::After, save.0);
    }

    fn die_at(&self, moment: Moment, number: usize) {
        if self.at == Some((moment, number)) {
            let _ = kill_process(getpid(), Signal::KILL);
        }
    }
}

fn asked() -> Option<(Moment, usize)> {
    let text = std::env::var(VARIABLE).ok()?;
    let (moment, number) = text.split_once(':')?;
    let moment = match moment {
        "before" => Moment::Before,
        "after" => Moment::After,
        _ => return None,
    };
    Some((moment, number.parse().ok()?))
}
