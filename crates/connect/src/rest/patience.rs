use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::Duration;

/// How long a call may take in all its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// For a connection to be made.
    pub connect: Duration,
    /// For the service to say the next thing.
    pub silence: Duration,
    /// For one answer, to its last byte.
    pub answer: Duration,
    /// What may be spent on waiting for a rate limit before the caller is told to come back later.
    pub limit: Duration,
    /// The same for what changes something. Whoever takes turns with others has to look again before it changes
    /// anything, once it has waited as long as others wait for a sign of life.
    pub limit_of_changes: Duration,
    /// How often a request that may be repeated is sent.
    pub tries: u32,
    /// Before the first repetition; it doubles from one to the next.
    pub backoff: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience {
            connect: Duration::from_secs(10),
            silence: Duration::from_secs(30),
            answer: Duration::from_secs(120),
            limit: Duration::from_secs(60),
            limit_of_changes: Duration::from_secs(60),
            tries: 4,
            backoff: Duration::from_millis(500),
        }
    }
}

impl Patience {
    /// Twice as long each time, and a little more at random, so that those who were turned away together do not come
    /// back together.
    pub(super) fn before_try(&self, tries: u32) -> Duration {
        let base = self.backoff.saturating_mul(1 << tries.saturating_sub(1).min(6)).min(self.limit);
        base + base.mul_f64(0.25 * random_share())
    }
}

/// Between 0 and 1.
fn random_share() -> f64 {
    let random = RandomState::new().build_hasher().finish();
    (random >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_stay_bounded() {
        let patience = Patience::default();
        assert!(patience.before_try(3) >= Duration::from_secs(2));
        assert!(patience.before_try(u32::MAX) <= patience.limit.mul_f64(1.25));
    }
}
