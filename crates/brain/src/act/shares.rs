use domain::config::ModelPolicy;

use crate::linear::{Ground, Unplannable};

/// How the tokens that are left beside instructions and tools are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shares {
    /// The most that one result may have.
    pub(super) part: usize,
    /// All results of a turn together.
    pub(super) turn: usize,
    /// What the model says beside its calls.
    pub(super) words: usize,
}

/// With less than this left, nothing could be looked at.
const LEAST: usize = 1_000;
const LARGEST_PART: usize = 8_000;

impl Shares {
    /// `fixed` is what instructions and tools take of the tokens of a call.
    pub(super) fn of(ground: &Ground, policy: &ModelPolicy, fixed: usize) -> Result<Shares, Unplannable> {
        let free = ground.input.saturating_sub(fixed);
        if free < LEAST {
            return Err(Unplannable::no_room(policy, fixed));
        }
        Ok(Shares { part: (free * 2 / 5).min(LARGEST_PART), turn: free / 2, words: free / 8 })
    }

    pub(super) fn halved(self) -> Shares {
        Shares { part: self.part / 2, turn: self.turn / 2, words: self.words / 2 }
    }
}
