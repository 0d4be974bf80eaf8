use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

const KILLS: &str = "COUNTERSIGN_CRASH_KILLS";
const SEED: &str = "COUNTERSIGN_CRASH_SEED";
/// In the normal test run.
const FEW_KILLS: u32 = 20;

/// How much is done to the workers, and by which dice.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) kills: u32,
    pub(crate) seed: u64,
}

impl Plan {
    pub(crate) fn from_environment() -> Plan {
        let number = |name: &str| {
            let text = std::env::var(name).ok()?;
            Some(text.parse::<u64>().unwrap_or_else(|_| panic!("{name} is not a number: {text}")))
        };
        let chosen = || RandomState::new().build_hasher().finish() % 1_000_000;
        let kills = number(KILLS).map_or(FEW_KILLS, |kills| u32::try_from(kills).expect("fewer kills"));
        Plan { kills, seed: number(SEED).unwrap_or_else(chosen) }
    }

    /// Chains of tasks, enough to keep the workers busy while they are killed.
    pub(crate) fn chains(&self) -> u32 {
        self.kills.max(10) * 3 / 2
    }

    pub(crate) fn dice(&self, purpose: u64) -> Dice {
        Dice(self.seed.wrapping_mul(1_000_003).wrapping_add(purpose))
    }
}

/// The same seed, the same choices. (The same moments nobody can promise.)
#[derive(Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).expect("small")
    }

    pub(crate) fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }

    pub(crate) fn milliseconds(&mut self, from: usize, to: usize) -> Duration {
        Duration::from_millis((from + self.below(to - from)) as u64)
    }
}
