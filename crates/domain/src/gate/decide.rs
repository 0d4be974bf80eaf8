use std::ops::RangeInclusive;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::GatePolicy;
use crate::review::{Finding, NOTES_RULE, Scores, Trouble, Verdict, at_most, score};
use crate::words::{Dimension, Severity, Weight};

/// What the gate says and everything it rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    pub verdict: Verdict,
    pub overall_score: u8,
    pub dimension_scores: Vec<DimensionScore>,
    /// All criteria, met or not, in the order they are checked.
    pub criteria: Vec<Criterion>,
    pub fail_on: Severity,
    /// Set if the reviewer claimed another outcome than its own evidence supports, or if what it says does not add up
    /// otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrected: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DimensionScore {
    pub dimension: Dimension,
    pub score: u8,
    pub weight: Weight,
    pub minimum: u8,
}

/// One thing that had to hold, with the number that decided it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Criterion {
    /// `requirement_adherence`, `blocking_issues`, `overall_score`, `conclusive`, ...
    pub name: String,
    pub required: String,
    pub actual: String,
    pub met: bool,
}

impl Decision {
    pub fn unmet(&self) -> impl Iterator<Item = &Criterion> {
        self.criteria.iter().filter(|criterion| !criterion.met)
    }

    pub fn all_critical_dimensions_pass(&self) -> bool {
        self.dimension_scores.iter().filter(|d| d.weight == Weight::Critical).all(|d| d.score >= d.minimum)
    }

    pub fn is_met(&self, name: &str) -> bool {
        self.criteria.iter().filter(|criterion| criterion.name == name).all(|criterion| criterion.met)
    }
}

/// Decides by `policy`. A pass needs every criterion; trouble makes the review inconclusive whatever the
/// numbers say. A dimension without a score counts as 0: silence is not consent.
pub fn decide(
    policy: &GatePolicy,
    findings: &[Finding],
    scores: &Scores,
    troubles: &[Trouble],
    claimed: Option<Verdict>,
) -> Decision {
    let dimension_scores = dimension_scores(policy, scores);
    let overall_score = overall(policy, &dimension_scores);
    let blocking = findings.iter().filter(|finding| finding.blocks(policy.fail_on)).count();

    let mut criteria: Vec<_> = dimension_scores
        .iter()
        .filter(|d| d.minimum > 0)
        .map(|d| at_least(d.dimension.as_str(), d.minimum, d.score))
        .collect();
    criteria.push(Criterion {
        name: "blocking_issues".into(),
        required: "0".into(),
        actual: blocking.to_string(),
        met: blocking == 0,
    });
    criteria.push(at_least("overall_score", policy.overall, overall_score));
    criteria.push(Criterion {
        name: "conclusive".into(),
        required: "everything seen".into(),
        actual: troubles.first().map_or_else(|| "everything seen".into(), |trouble| trouble.message.clone()),
        met: troubles.is_empty(),
    });

    let verdict = if !troubles.is_empty() {
        Verdict::Inconclusive
    } else if criteria.iter().all(|criterion| criterion.met) {
        Verdict::Pass
    } else {
        Verdict::Fail
    };
    let corrected = claimed
        .filter(|claimed| *claimed != verdict)
        .map(|claimed| format!("the reviewer said {}, the gate says {}", claimed.as_str(), verdict.as_str()));
    Decision { verdict, overall_score, dimension_scores, criteria, fail_on: policy.fail_on, corrected }
}

/// What a reviewer's own word that a change is not good enough rests on. Correcting a report never opens the gate:
/// whoever objects is either followed or asked again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Objection {
    /// It does not object.
    None,
    /// A finding that blocks, or a score that is too low.
    Evidence,
    /// Only what it wants to have done, in its own words: that blocks.
    Notes,
    /// Nothing anybody could act on. Such a claim is neither believed nor ignored: something is wrong with the review.
    Nothing,
}

impl Objection {
    /// `findings` are all that the reviewer made, also those that somebody has accepted since.
    pub fn of(
        policy: &GatePolicy,
        claimed: Option<Verdict>,
        findings: &[Finding],
        scores: Option<&Scores>,
        notes: &[String],
    ) -> Objection {
        match claimed {
            None | Some(Verdict::Pass) => return Objection::None,
            Some(Verdict::Fail | Verdict::Inconclusive) => {}
        }
        let scores = scores_in_force(policy, findings, scores.cloned());
        if decide(policy, findings, &scores, &[], None).verdict == Verdict::Fail {
            Objection::Evidence
        } else if notes.iter().any(|note| !note.trim().is_empty()) {
            Objection::Notes
        } else {
            Objection::Nothing
        }
    }
}

/// The scores the gate decides on: those that follow from the findings, or the reviewer's own where they are lower. What
/// stands for the notes of a reviewer blocks by itself, and leaves its scores as it gave them.
pub fn scores_in_force(policy: &GatePolicy, findings: &[Finding], given: Option<Scores>) -> Scores {
    let dimensions: Vec<_> = policy.dimensions().into_iter().map(|(name, ..)| name).collect();
    let Some(given) = given else { return score(&dimensions, findings, policy.fail_on) };
    let found: Vec<_> = findings.iter().filter(|finding| finding.rule != NOTES_RULE).cloned().collect();
    at_most(given, &score(&dimensions, &found, policy.fail_on))
}

/// The overall scores that follow from these, rounded one way or the other.
pub fn overall_scores(policy: &GatePolicy, scores: &Scores) -> RangeInclusive<u8> {
    let (points, weights) = points(policy, &dimension_scores(policy, scores));
    let up = points.checked_add(weights.saturating_sub(1)).and_then(|sum| sum.checked_div(weights));
    points.checked_div(weights).unwrap_or(0).min(100) as u8..=up.unwrap_or(0).min(100) as u8
}

fn dimension_scores(policy: &GatePolicy, scores: &Scores) -> Vec<DimensionScore> {
    policy
        .dimensions()
        .into_iter()
        .map(|(dimension, weight, minimum)| {
            let score = scores.get(&dimension).copied().unwrap_or(0).min(100);
            DimensionScore { dimension, score, weight, minimum }
        })
        .collect()
}

fn at_least(name: &str, minimum: u8, score: u8) -> Criterion {
    Criterion {
        name: name.into(),
        required: format!(">= {minimum}"),
        actual: score.to_string(),
        met: score >= minimum,
    }
}

/// Rounded down, so that the number shown and the number decided on are the same and 74.9 is not 75.
fn overall(policy: &GatePolicy, scores: &[DimensionScore]) -> u8 {
    let (points, weights) = points(policy, scores);
    points.checked_div(weights).unwrap_or(0).min(100) as u8
}

fn points(policy: &GatePolicy, scores: &[DimensionScore]) -> (u32, u32) {
    let points = scores.iter().map(|d| policy.weights.of(d.weight) * u32::from(d.score)).sum();
    (points, scores.iter().map(|d| policy.weights.of(d.weight)).sum())
}
