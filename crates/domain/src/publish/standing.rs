use std::collections::BTreeMap;

use super::finder::{Finder, Found};
use crate::review::{Trouble, Verdict};

/// What is still open of those who did not look this time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Standing {
    must_fix: BTreeMap<Finder, usize>,
    advice: BTreeMap<Finder, usize>,
}

impl Standing {
    pub(super) fn add(&mut self, found: &Found) {
        let kind = if found.must_fix { &mut self.must_fix } else { &mut self.advice };
        *kind.entry(found.by.clone()).or_default() += 1;
    }

    pub(super) fn must_fix(&self) -> usize {
        self.must_fix.values().sum()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.must_fix.is_empty() && self.advice.is_empty()
    }

    /// Why a review that passes does not make the request pass.
    pub(super) fn trouble(&self, verdict: Verdict) -> Option<Trouble> {
        let in_the_way = verdict == Verdict::Pass && !self.must_fix.is_empty();
        in_the_way.then(|| Trouble { kind: STANDING.to_owned(), message: said(&self.must_fix, MUST) })
    }

    /// For people; nothing where nothing stands.
    pub(super) fn told(&self) -> Vec<String> {
        [(&self.must_fix, MUST), (&self.advice, "of advice")]
            .into_iter()
            .filter(|(kind, _)| !kind.is_empty())
            .map(|(kind, what)| said(kind, what))
            .collect()
    }
}

/// The kind of trouble.
pub(super) const STANDING: &str = "standing";
const MUST: &str = "that must be fixed";

fn said(kind: &BTreeMap<Finder, usize>, what: &str) -> String {
    let of = |(finder, count): (&Finder, &usize)| format!("{count} by {finder}");
    let whose: Vec<_> = kind.iter().map(of).collect();
    let count: usize = kind.values().sum();
    let findings = if count == 1 { "1 finding" } else { &format!("{count} findings") };
    let is = if count == 1 { "is" } else { "are" };
    format!(
        "{findings} {what} {is} still open from earlier reviews, and nobody of that kind looked again: {}",
        whose.join(", ")
    )
}
