//! What keeps the lexer linear: a search that failed is not made again.

/// So many different delimiters may turn out to be missing; after that, none is looked for any more.
const MOST_MISSING: usize = 24;

/// Closing delimiters that do not occur in the rest of the text.
#[derive(Default)]
pub(super) struct Unclosed(Vec<Vec<u8>>);

impl Unclosed {
    pub(super) fn unless_known<T>(
        &mut self,
        delimiter: &[u8],
        search: impl FnOnce() -> Option<T>,
    ) -> Option<T> {
        if self.0.len() >= MOST_MISSING || self.0.iter().any(|known| known == delimiter) {
            return None;
        }
        let found = search();
        if found.is_none() {
            self.0.push(delimiter.to_vec());
        }
        found
    }
}

/// So many guesses may fail within the reach of one.
const MOST_FAILURES: usize = 8;

/// Guesses that look ahead and may turn out wrong, as regular expressions do.
#[derive(Default)]
pub(super) struct Guesses {
    /// How far failed guesses have looked.
    until: usize,
    failures: usize,
}

impl Guesses {
    pub(super) fn may_try(&mut self, at: usize) -> bool {
        if at >= self.until {
            self.failures = 0;
        }
        self.failures < MOST_FAILURES
    }

    pub(super) fn failed(&mut self, until: usize) {
        self.failures += 1;
        self.until = self.until.max(until);
    }
}
