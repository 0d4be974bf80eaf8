use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::crew::{Crew, PROCESSES};
use super::plan::{Dice, Plan};

/// Longer than a lease: whoever comes back from this has lost what it held.
const FROZEN_FOR: Duration = Duration::from_millis(4500);

/// What everybody who disturbs the work knows of each other.
#[derive(Debug, Default)]
pub(crate) struct Unrest {
    pub(crate) kills: AtomicU32,
    pub(crate) is_over: AtomicBool,
}

/// Somebody that looks dead.
struct Frozen {
    id: u32,
    until: Instant,
}

/// Kills and freezes processes at random moments until it has killed enough.
pub(crate) struct Killer<'u> {
    plan: Plan,
    dice: Dice,
    unrest: &'u Unrest,
    frozen: Option<Frozen>,
    pub(crate) freezes: u32,
}

impl<'u> Killer<'u> {
    pub(crate) fn new(plan: Plan, unrest: &'u Unrest) -> Killer<'u> {
        Killer { plan, dice: plan.dice(1), unrest, frozen: None, freezes: 0 }
    }

    /// When it returns nobody is frozen any more.
    pub(crate) fn rage(&mut self, crew: &mut Crew<'_>) {
        while self.unrest.kills.load(Ordering::Relaxed) < self.plan.kills {
            std::thread::sleep(self.dice.milliseconds(20, 900));
            crew.replace_the_ended();
            self.thaw_whose_time_is_over(crew);
            let victim = self.choose(crew);
            if self.frozen.as_ref().is_some_and(|frozen| frozen.id == crew.id(victim)) {
                // It is to come back.
                continue;
            }
            if self.frozen.is_none() && self.dice.one_in(3) {
                self.frozen = Some(Frozen { id: crew.freeze(victim), until: Instant::now() + FROZEN_FOR });
                self.freezes += 1;
            } else {
                crew.kill(victim);
                self.unrest.kills.fetch_add(1, Ordering::Relaxed);
            }
        }
        self.unrest.is_over.store(true, Ordering::Relaxed);
        while self.frozen.is_some() {
            std::thread::sleep(Duration::from_millis(100));
            self.thaw_whose_time_is_over(crew);
        }
    }

    /// Anybody, or somebody who has something to lose.
    fn choose(&mut self, crew: &Crew<'_>) -> usize {
        let at_work = crew.at_work();
        match self.dice.one_in(2) || at_work.is_empty() {
            true => self.dice.below(PROCESSES),
            false => at_work[self.dice.below(at_work.len())],
        }
    }

    fn thaw_whose_time_is_over(&mut self, crew: &Crew<'_>) {
        self.frozen = self.frozen.take().filter(|frozen| {
            let over = Instant::now() >= frozen.until;
            if over {
                crew.thaw(frozen.id);
            }
            !over
        });
    }
}

/// Whatever happens to the killer, the others must not wait for it.
impl Drop for Killer<'_> {
    fn drop(&mut self) {
        self.unrest.is_over.store(true, Ordering::Relaxed);
    }
}
