//! Whether two findings are about the same thing.

use domain::change::RepoPath;
use domain::review::{Confidence, Finding, Place, Wording};
use domain::words::Category;

use super::merge::Found;

/// Findings further apart than this are about different code.
const NEAR: u32 = 3;

/// What makes a finding comparable, worked out once.
#[derive(Debug, Clone)]
pub(super) struct Gist {
    path: Option<RepoPath>,
    line: Option<u32>,
    place: Place,
    category: Category,
    wording: Wording,
}

impl Gist {
    pub(super) fn of(finding: &Finding) -> Gist {
        Gist {
            path: finding.path().cloned(),
            line: finding.line(),
            place: finding.place.clone(),
            category: finding.category,
            wording: Wording::of(&finding.message),
        }
    }

    /// Same file, nearly the same line, much the same words, and not about different names: that `a` is unused
    /// is another finding than that `b` is.
    pub(super) fn resembles(&self, other: &Gist) -> bool {
        self.path == other.path && self.is_near(other) && self.wording.resembles(&other.wording)
    }

    /// Says the same of the very same place.
    pub(super) fn repeats(&self, other: &Gist) -> bool {
        (&self.place, self.category) == (&other.place, other.category) && self.wording.repeats(&other.wording)
    }

    /// About the same code, in the same respect.
    pub(super) fn is_at_the_code_of(&self, other: &Gist) -> bool {
        match (&self.place, &other.place) {
            (Place::Lines(one), Place::Lines(two)) => {
                self.category == other.category
                    && (&one.path, one.side, one.text.trim()) == (&two.path, two.side, two.text.trim())
            }
            (_, _) => false,
        }
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

/// The worse of two findings that are the same, and what it was merged with. The surer, if they are equally bad.
pub(super) fn merged(one: Found, other: Found) -> Found {
    let rank = |found: &Found| {
        let finding = &found.finding;
        (finding.confidence > Confidence::Low, finding.severity, finding.confidence)
    };
    let (stays, goes) = if rank(&other) > rank(&one) { (other, one) } else { (one, other) };
    Found { finding: stays.finding.merged_with(&goes.finding), bundle: stays.bundle }
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
