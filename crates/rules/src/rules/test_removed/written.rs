//! What a change writes instead of a test that is gone.

use std::collections::HashMap;

use domain::change::RepoPath;

use super::super::assertion::{Pairing, Strength, Unit, called};

/// How much the strictest assertion of a test asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Asks {
    Nothing,
    /// That something is there, or on one side of a value.
    Little,
    Much,
}

impl Asks {
    pub(super) fn of(unit: &Unit<'_>) -> Self {
        let asks = unit.assertions.iter().map(|assertion| match assertion.strength {
            Strength::Presence | Strength::Order => Asks::Little,
            _ => Asks::Much,
        });
        asks.max().unwrap_or(Asks::Nothing)
    }
}

/// What stands for a test that is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Instead {
    /// A new test calls the same, and asks for no less of it.
    Equal,
    /// New tests that call the same ask for less.
    Weaker,
    /// New tests of the same file call something else, and ask for no less: it may be the same from further away.
    Other,
    Nothing,
}

/// The tests that the change brings, by what they call and by where they are.
#[derive(Debug, Default)]
pub(super) struct Written<'p> {
    by_call: HashMap<String, Asks>,
    by_file: HashMap<&'p RepoPath, Asks>,
}

impl<'p> Written<'p> {
    pub(super) fn of(pairing: &'p Pairing<'_>) -> Self {
        let mut written = Written::default();
        for (file, unit) in pairing.new.iter().filter(|(_, unit)| unit.is_test) {
            let asks = Asks::of(unit);
            let most = |known: &mut Asks| *known = asks.max(*known);
            for name in called(unit) {
                written.by_call.entry(name).and_modify(most).or_insert(asks);
            }
            written.by_file.entry(file.change.path()).and_modify(most).or_insert(asks);
        }
        written
    }

    pub(super) fn instead_of(&self, path: &RepoPath, unit: &Unit<'_>) -> Instead {
        let wanted = Asks::of(unit);
        let called = called(unit);
        let of_the_same = called.iter().filter_map(|name| self.by_call.get(name)).max();
        let beside = self.by_file.get(path).is_some_and(|asks| *asks >= wanted);
        match of_the_same {
            Some(asks) if *asks >= wanted => Instead::Equal,
            // Nothing is known of what it was about.
            None if called.is_empty() && !self.by_file.is_empty() => Instead::Equal,
            Some(_) => Instead::Weaker,
            None if beside => Instead::Other,
            None => Instead::Nothing,
        }
    }
}
