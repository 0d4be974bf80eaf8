//! The decision, made by rule from the evidence and explained criterion by criterion.

mod decide;
mod policy;
#[cfg(test)]
mod tests;

pub use decide::{Criterion, Decision, DimensionScore, Objection, decide, overall_scores, scores_in_force};
pub use policy::{BadPolicy, DimensionPolicy, GatePolicy, Thresholds, Weights};
