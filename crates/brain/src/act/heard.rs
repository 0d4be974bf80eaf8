//! What came of explorations, as it is weighed and told.

use domain::review::Coverage;

use super::lint::Runs;
use super::run::Outcome;
use super::toolbox::Equipment;
use crate::answer::Reading;
use crate::call::Mind;
use crate::linear::{Choice, Found, Heard, Mode, Opinion, Summary, who_answered, without_duplicates};

pub(super) fn reviewed(choice: Choice) -> String {
    let mode = match choice.mode {
        Mode::Linear => "LINEAR_DETERMINISTIC",
        Mode::Agentic => "AGENTIC_ACT_LOOP",
    };
    format!("Reviewed in mode {mode} {}", choice.why.in_words())
}

/// What each mind made of its exploration, as one hearing.
pub(super) fn heard<M: Mind>(
    choice: Choice,
    minds: &[M],
    outcomes: Vec<Outcome>,
    equipment: &Equipment,
) -> Heard {
    let mut heard = Heard { remarks: vec![reviewed(choice)], ..Heard::default() };
    let several = minds.len() > 1;
    let mut runs = Runs::new();
    let mut coverages = Vec::new();
    for (mind, outcome) in minds.iter().zip(outcomes) {
        let Outcome { reading, coverage, usage, stop, turns, cut, lint_runs } = outcome;
        let turns = if turns == 1 { "1 turn".to_owned() } else { format!("{turns} turns") };
        let who = if several { mind.name() } else { "The model".to_owned() };
        heard.remarks.push(format!("{who} explored in {turns}; {}", stop.in_words()));
        heard.remarks.extend(cut.into_iter().filter(|_| coverages.is_empty()));
        heard.usage += usage;
        coverages.push(coverage);
        lint_runs.into_iter().for_each(|(name, times)| *runs.entry(name).or_default() += times);
        let name = who_answered(mind, std::iter::once(&reading));
        heard.opinions.push((name, opinion(reading)));
    }
    heard.coverage = seen_by_all(coverages);
    heard.remarks.extend(linted(&runs));
    heard.remarks.extend(equipment.linters.iter().flat_map(|linters| linters.notes.iter().cloned()));
    heard
}

fn opinion(reading: Reading) -> Opinion {
    let summary = Summary::of(&reading);
    let found = reading.findings.into_iter().map(|finding| Found { finding, bundle: 0 }).collect();
    Opinion {
        found: without_duplicates(found),
        unplaced: reading.unplaced,
        scores: reading.scores,
        claimed: reading.claimed,
        troubles: reading.troubles,
        summaries: vec![summary],
        splits: 0,
        told: reading.told,
    }
}

/// What counts as seen by several: a hunk that one of them passed over has not had its vote.
fn seen_by_all(coverages: Vec<Coverage>) -> Coverage {
    let mut coverages = coverages.into_iter();
    let mut all = coverages.next().unwrap_or_default();
    for other in coverages {
        for (file, other) in all.files.iter_mut().zip(other.files) {
            for (hunk, mut other) in file.hunks.iter_mut().zip(other.hunks) {
                if hunk.seen_by.is_empty() || other.seen_by.is_empty() {
                    hunk.seen_by.clear();
                } else {
                    hunk.seen_by.append(&mut other.seen_by);
                }
            }
        }
    }
    all
}

fn linted(runs: &Runs) -> Option<String> {
    let told = |(name, times): (&String, &usize)| match times {
        1 => name.clone(),
        times => format!("{name} ({times} times)"),
    };
    let told: Vec<_> = runs.iter().map(told).collect();
    (!told.is_empty()).then(|| format!("Linters run for the model: {}", told.join(", ")))
}
