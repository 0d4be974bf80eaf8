//! How much memory this program may take.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Even where that is more than half of what there is: a review takes a few hundred megabytes, and what is set aside
/// without being used counts as well.
const LEAST: u64 = 4 << 30;

/// Half of the machine's memory and no more. Parsers have texts for which one step, which nobody can stop, takes all there
/// is; those that are known are refused before, and of any other this program alone dies, without an approval. What runs in
/// a sandbox has limits of its own instead.
pub(crate) fn limit() {
    let before = getrlimit(Resource::Data);
    let current = Some(most(total(), before.current));
    // Where it is not to be had, nothing is worse than it was.
    let _ = setrlimit(Resource::Data, Rlimit { current, maximum: before.maximum });
}

fn total() -> u64 {
    let known = rustix::system::sysinfo();
    known.totalram.saturating_mul(known.mem_unit.into())
}

/// Never more than was allowed before.
fn most(total: u64, before: Option<u64>) -> u64 {
    before.unwrap_or(u64::MAX).min(LEAST.max(total / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_memory_is_enough_unless_there_is_little() {
        const GIB: u64 = 1 << 30;
        assert_eq!(most(32 * GIB, None), 16 * GIB);
        assert_eq!(most(2 * GIB, None), 4 * GIB);
        assert_eq!(most(32 * GIB, Some(GIB)), GIB);
        assert!(total() > 0);
    }
}
