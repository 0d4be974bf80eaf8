//! Whether two findings are about the same thing.

use domain::change::RepoPath;
use domain::review::{Confidence, Finding, Wording};

/// Findings further apart than this are about different code.
const NEAR: u32 = 3;

/// What makes a finding comparable, worked out once.
#[derive(Debug, Clone)]
pub(super) struct Gist {
    path: Option<RepoPath>,
    line: Option<u32>,
    wording: Wording,
}

impl Gist {
    pub(super) fn of(finding: &Finding) -> Gist {
        Gist { path: finding.path().cloned(), line: finding.line(), wording: Wording::of(&finding.message) }
    }

    /// Same file, nearly the same line, much the same words, and not about different names: that `a` is unused
    /// is another finding than that `b` is.
    pub(super) fn resembles(&self, other: &Gist) -> bool {
        self.path == other.path && self.is_near(other) && self.wording.resembles(&other.wording)
    }

    pub(super) fn likeness(&self, other: &Gist) -> usize {
        self.wording.likeness(&other.wording)
    }

    fn is_near(&self, other: &Gist) -> bool {
        match (self.line, other.line) {
            (Some(one), Some(other)) => one.abs_diff(other) <= NEAR,
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        }
    }
}

/// The worse of two findings that are the same. The surer, if they are equally bad.
pub(super) fn worse(one: Finding, other: Finding) -> Finding {
    let rank =
        |finding: &Finding| (finding.confidence > Confidence::Low, finding.severity, finding.confidence);
    if rank(&other) > rank(&one) { other } else { one }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scripted::finding;

    fn same(one: (u32, &str), other: (u32, &str)) -> bool {
        let gist = |(line, message): (u32, &str)| Gist::of(&finding("src/a.rs", line, message));
        gist(one).resembles(&gist(other))
    }

    #[test]
    fn other_words_for_the_same_thing_are_recognised() {
        assert!(same(
            (10, "The user id is not checked for null"),
            (11, "`userId` is never checked for null")
        ));
        assert!(same((3, "Missing error handling"), (3, "Error handling is missing here")));
    }

    #[test]
    fn other_places_other_names_and_other_troubles_are_told_apart() {
        assert!(!same((10, "Missing error handling"), (20, "Missing error handling")));
        assert!(!same((10, "`first` is unused"), (11, "`second` is unused")));
        assert!(!same((10, "user_id is unused"), (10, "order_id is unused")));
        assert!(!same((10, "The query is open to injection"), (10, "No test covers this")));
    }
}
