use domain::review::{Finding, Fingerprint};
use domain::words::Severity;
use serde::{Deserialize, Serialize};

use super::{Claim, Ruling, Story};

/// What became of a finding from one review to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    New,
    StillThere,
    Fixed,
    BackAgain,
}

impl Standing {
    pub fn as_str(self) -> &'static str {
        match self {
            Standing::New => "new",
            Standing::StillThere => "still there",
            Standing::Fixed => "fixed",
            Standing::BackAgain => "back again",
        }
    }

    /// `seen` says of each conclusive review in turn whether it had the finding. Nothing for one that was never seen.
    pub(super) fn after(seen: &[bool]) -> Option<Standing> {
        let (now, before) = seen.split_last()?;
        match (*now, before.last().copied().unwrap_or_default(), before.contains(&true)) {
            (true, true, _) => Some(Standing::StillThere),
            (true, false, true) => Some(Standing::BackAgain),
            (true, false, false) => Some(Standing::New),
            (false, _, true) => Some(Standing::Fixed),
            (false, _, false) => None,
        }
    }
}

/// A finding through all rounds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct History {
    pub fingerprint: Fingerprint,
    pub severity: Severity,
    /// As it was seen last.
    pub location: String,
    pub message: String,
    /// After each conclusive review, with its round.
    pub standings: Vec<(u32, Standing)>,
    /// What the fixer said last about it.
    pub claimed: Option<Claim>,
    pub ruling: Option<Ruling>,
}

impl History {
    pub fn standing(&self) -> Option<Standing> {
        self.standings.last().map(|(_, standing)| *standing)
    }
}

/// Every finding that a conclusive review had, in the order they were first seen.
pub fn histories(story: &Story) -> Vec<History> {
    let mut order: Vec<&Fingerprint> = Vec::new();
    let mut known = std::collections::HashMap::new();
    for finding in story.conclusive().flat_map(|round| &round.review.findings) {
        if known.insert(&finding.fingerprint, finding).is_none() {
            order.push(&finding.fingerprint);
        }
    }
    order
        .into_iter()
        .filter_map(|fingerprint| Some(history(story, fingerprint, known.get(fingerprint)?)))
        .collect()
}

fn history(story: &Story, fingerprint: &Fingerprint, last: &Finding) -> History {
    let (mut seen, mut standings) = (Vec::new(), Vec::new());
    for round in story.conclusive() {
        seen.push(round.finding(fingerprint).is_some());
        standings.extend(Standing::after(&seen).map(|standing| (round.number, standing)));
    }
    let fixes = story.rounds.iter().flat_map(|round| &round.fixes);
    History {
        fingerprint: fingerprint.clone(),
        severity: last.severity,
        location: last.location(),
        message: last.message.clone(),
        standings,
        claimed: fixes.rev().find_map(|fix| fix.claims.get(fingerprint).cloned()),
        ruling: story.ruling(last).cloned(),
    }
}
