//! Many answers made into one.

use std::collections::BTreeSet;

use domain::change::Change;
use domain::review::{Coverage, Finding, Scores, Told, Trouble, Verdict};

use super::ask::Outcome;
use super::similar::{Gist, merged};
use crate::answer::{Reading, lower};
use crate::packing::{self, Bundle};

/// How many of the findings nearby one is compared with: enough for honest reviewers, and hostile ones cannot
/// make us compare everything with everything.
const MAX_COMPARED: usize = 200;

/// A finding and the bundle it was made in.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) finding: Finding,
    pub(crate) bundle: usize,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Summary {
    pub(crate) text: String,
    /// Empty if that is not known.
    pub(crate) model: String,
}

impl Summary {
    pub(crate) fn of(reading: &Reading) -> Summary {
        Summary { text: reading.summary.clone(), model: reading.model.clone() }
    }
}

/// What one mind says of the whole change.
#[derive(Debug, Default)]
pub(crate) struct Opinion {
    pub(crate) found: Vec<Found>,
    pub(crate) unplaced: usize,
    /// See [`merged_scores`].
    pub(crate) scores: Option<Scores>,
    pub(crate) claimed: Option<Verdict>,
    pub(crate) troubles: Vec<Trouble>,
    /// What it says in its own words, of each part it was asked about, and which model says it. Those without any
    /// are empty.
    pub(crate) summaries: Vec<Summary>,
    /// How many bundles were more than it could take at once.
    pub(crate) splits: usize,
    pub(crate) told: Told,
}

/// One opinion out of the outcomes of all bundles, in their order.
pub(super) fn opinion(outcomes: &[Outcome]) -> Opinion {
    let readings = || outcomes.iter().flat_map(|outcome| &outcome.readings);
    let found = outcomes.iter().enumerate().flat_map(|(bundle, outcome)| {
        let findings = outcome.readings.iter().flat_map(|reading| &reading.findings);
        findings.map(move |finding| Found { finding: finding.clone(), bundle })
    });
    let mut told = Told::default();
    readings().for_each(|reading| told.add(reading.told.clone()));
    Opinion {
        found: without_duplicates(found.collect()),
        unplaced: readings().map(|reading| reading.unplaced).sum(),
        scores: merged_scores(readings()),
        claimed: merged_claims(readings()),
        troubles: merged_troubles(readings(), readings().count()),
        summaries: readings().map(Summary::of).collect(),
        splits: outcomes.iter().filter(|outcome| outcome.readings.len() > 1).count(),
        told,
    }
}

/// The lowest score of each dimension over all bundles, if every bundle was scored. A mean would let one bad
/// file hide in a large change.
fn merged_scores<'a>(mut readings: impl Iterator<Item = &'a Reading>) -> Option<Scores> {
    let first = readings.next()?.scores.clone()?;
    readings.try_fold(first, |scores, reading| Some(lower(scores, reading.scores.clone()?)))
}

/// A change passes if every part of it does.
fn merged_claims<'a>(readings: impl Iterator<Item = &'a Reading> + Clone) -> Option<Verdict> {
    if readings.clone().any(|reading| reading.claimed == Some(Verdict::Fail)) {
        return Some(Verdict::Fail);
    }
    let mut claims = readings.map(|reading| reading.claimed).peekable();
    (claims.peek().is_some() && claims.all(|claimed| claimed == Some(Verdict::Pass))).then_some(Verdict::Pass)
}

/// What troubled several calls is told once, with their number.
fn merged_troubles<'a>(readings: impl Iterator<Item = &'a Reading>, of: usize) -> Vec<Trouble> {
    let mut counted: Vec<(Trouble, usize)> = Vec::new();
    for trouble in readings.flat_map(|reading| &reading.troubles) {
        match counted.iter_mut().find(|(known, _)| known == trouble) {
            Some((_, times)) => *times += 1,
            None => counted.push((trouble.clone(), 1)),
        }
    }
    let told = |(mut trouble, times): (Trouble, usize)| {
        if of > 1 {
            trouble.message = format!("{times} of {of} calls: {}", trouble.message);
        }
        trouble
    };
    counted.into_iter().map(told).collect()
}

/// Each finding once. What one answer lists twice counts once where it says the same of the same place; all else that one
/// answer lists stays apart, however alike it sounds: a reviewer that saw both tells them apart. Of several answers, what
/// resembles each other is merged: the worst stays, in the place of the first, and says what was merged with it.
pub(crate) fn without_duplicates(found: Vec<Found>) -> Vec<Found> {
    let mut kept: Vec<Group> = Vec::new();
    for candidate in found {
        let gist = Gist::of(&candidate.finding);
        let from = kept.len().saturating_sub(MAX_COMPARED);
        let twin = kept
            .iter_mut()
            .skip(from)
            .filter(|group| group.takes(&candidate, &gist))
            .max_by_key(|group| (group.gist.repeats(&gist), group.gist.likeness(&gist)));
        match twin {
            Some(group) => {
                group.bundles.insert(candidate.bundle);
                let bundle = group.found.bundle;
                group.found = merged(group.found.clone(), candidate);
                if group.found.bundle != bundle {
                    group.gist = gist;
                }
            }
            None => kept.push(Group { bundles: BTreeSet::from([candidate.bundle]), found: candidate, gist }),
        }
    }
    kept.into_iter().map(|group| group.found).collect()
}

/// Findings of several answers that are the same.
struct Group {
    found: Found,
    gist: Gist,
    bundles: BTreeSet<usize>,
}

impl Group {
    fn takes(&self, candidate: &Found, gist: &Gist) -> bool {
        self.gist.repeats(gist) || (!self.bundles.contains(&candidate.bundle) && self.gist.resembles(gist))
    }
}

/// Which call of which mind saw each hunk. A hunk whose parts went into several calls was seen only if all of
/// them were answered, and an answer that proves nothing does not count.
pub(super) fn see(
    coverage: &mut Coverage,
    change: &Change,
    bundles: &[Bundle],
    mind: &str,
    outcomes: &[Outcome],
) {
    let holders = packing::holders(change, bundles);
    let answered = |bundle: &usize| {
        outcomes
            .get(*bundle)
            .is_some_and(|outcome| outcome.readings.iter().all(|reading| reading.troubles.is_empty()))
    };
    for (file, holders) in coverage.files.iter_mut().zip(holders) {
        for (hunk, holders) in file.hunks.iter_mut().zip(holders) {
            if holders.iter().all(answered) {
                let name = |bundle: &usize| format!("{mind} {}/{}", bundle + 1, bundles.len());
                hunk.seen_by.extend(holders.iter().map(name));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scripted::finding;

    fn lines_of(found: &[(usize, u32)]) -> Vec<Option<u32>> {
        let found = found.iter().map(|(bundle, line)| Found {
            finding: finding("src/a.rs", *line, "Missing error handling"),
            bundle: *bundle,
        });
        without_duplicates(found.collect()).iter().map(|found| found.finding.line()).collect()
    }

    fn messages_of(found: &[(usize, &str)]) -> Vec<(String, String)> {
        let found = found
            .iter()
            .map(|(bundle, message)| Found { finding: finding("src/a.rs", 1, message), bundle: *bundle });
        let kept = without_duplicates(found.collect()).into_iter().map(|found| found.finding);
        kept.map(|finding| (finding.message, finding.suggestion)).collect()
    }

    #[test]
    fn several_problems_of_one_line_stay_several() {
        let said = [
            (0, "Acceptance criterion of the story is not met for admins"),
            (0, "Acceptance criterion of the story is not met for guests"),
            (0, "Acceptance criterion of the story is not met"),
        ];
        assert_eq!(messages_of(&said).len(), 3);
    }

    #[test]
    fn what_was_merged_is_listed() {
        let said =
            [(0, "Missing error handling"), (1, "Error handling is missing here"), (2, "No error handling")];
        let [(message, listed)] = messages_of(&said).try_into().unwrap();
        assert_eq!(message, "Missing error handling");
        for other in [said[1].1, said[2].1] {
            assert!(listed.contains(&format!("at src/a.rs:1: {other}.")), "{listed}");
        }
    }

    #[test]
    fn what_one_answer_tells_apart_stays_apart() {
        assert_eq!(lines_of(&[(0, 1), (0, 3), (0, 3)]), [Some(1), Some(3)]);
        assert_eq!(lines_of(&[(0, 1), (1, 3)]), [Some(1)]);
    }
}
