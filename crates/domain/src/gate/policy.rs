use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::review::SkipReason;
use crate::words::{Dimension, Severity, Weight};

/// What a change has to reach. The defaults are the product's standard; a project may be stricter or milder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GatePolicy {
    /// Findings at or above this severity are blocking issues.
    pub fail_on: Severity,
    /// The weighted mean of all dimensions has to reach this.
    pub overall: u8,
    /// What each dimension has to reach, by its weight.
    pub thresholds: Thresholds,
    /// How much a dimension counts in the mean, by its weight.
    pub weights: Weights,
    /// Changes to the built-in dimensions, and the project's own.
    pub dimensions: BTreeMap<Dimension, DimensionPolicy>,
    /// A change of nothing but files that are skipped for these reasons may pass without a review.
    pub allow_skipped: Vec<SkipReason>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Thresholds {
    pub critical: u8,
    pub important: u8,
    pub moderate: u8,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Weights {
    pub critical: u32,
    pub important: u32,
    pub moderate: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DimensionPolicy {
    pub weight: Weight,
    /// Overrides the threshold of the weight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum: Option<u8>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPolicy {
    #[error("gate.{0} is {1}, but scores end at 100")]
    Above100(String, u8),
    #[error("gate.weights.{0} is {1}: use 1000 at most")]
    Weight(&'static str, u32),
    #[error(
        "gate.weights makes every dimension count for nothing: at least one weight in use has to be above 0"
    )]
    NoWeight,
}

impl Default for GatePolicy {
    fn default() -> Self {
        GatePolicy {
            fail_on: Severity::Major,
            overall: 75,
            thresholds: Thresholds::default(),
            weights: Weights::default(),
            dimensions: BTreeMap::new(),
            allow_skipped: Vec::new(),
        }
    }
}

impl Default for Thresholds {
    fn default() -> Self {
        Thresholds { critical: 90, important: 70, moderate: 0 }
    }
}

impl Default for Weights {
    fn default() -> Self {
        Weights { critical: 3, important: 2, moderate: 1 }
    }
}

impl GatePolicy {
    /// Every dimension in force with its weight and minimum: the built-in ones, then the project's own.
    pub fn dimensions(&self) -> Vec<(Dimension, Weight, u8)> {
        let built_in = Dimension::BUILT_IN.map(|(dimension, weight)| {
            let policy = self.dimensions.get(&dimension);
            (
                dimension,
                policy.map_or(weight, |policy| policy.weight),
                policy.and_then(|policy| policy.minimum),
            )
        });
        let own = self
            .dimensions
            .iter()
            .filter(|(dimension, _)| Dimension::BUILT_IN.iter().all(|(known, _)| known != *dimension))
            .map(|(dimension, policy)| (dimension.clone(), policy.weight, policy.minimum));
        built_in
            .into_iter()
            .chain(own)
            .map(|(dimension, weight, minimum)| {
                (dimension, weight, minimum.unwrap_or(self.thresholds.of(weight)))
            })
            .collect()
    }

    pub fn validate(&self) -> Result<(), BadPolicy> {
        let scores = [
            ("overall", self.overall),
            ("thresholds.critical", self.thresholds.critical),
            ("thresholds.important", self.thresholds.important),
            ("thresholds.moderate", self.thresholds.moderate),
        ];
        let own = self.dimensions.iter().filter_map(|(dimension, policy)| {
            policy.minimum.map(|minimum| (format!("dimensions.{dimension}.minimum"), minimum))
        });
        if let Some((name, score)) = scores
            .map(|(name, score)| (name.to_owned(), score))
            .into_iter()
            .chain(own)
            .find(|(_, s)| *s > 100)
        {
            return Err(BadPolicy::Above100(name, score));
        }
        let weights = [Weight::Critical, Weight::Important, Weight::Moderate];
        if let Some(weight) = weights.into_iter().find(|weight| self.weights.of(*weight) > 1000) {
            return Err(BadPolicy::Weight(weight.as_str(), self.weights.of(weight)));
        }
        if self.dimensions().iter().all(|(_, weight, _)| self.weights.of(*weight) == 0) {
            return Err(BadPolicy::NoWeight);
        }
        Ok(())
    }
}

impl Thresholds {
    pub fn of(&self, weight: Weight) -> u8 {
        match weight {
            Weight::Critical => self.critical,
            Weight::Important => self.important,
            Weight::Moderate => self.moderate,
        }
    }
}

impl Weights {
    pub fn of(&self, weight: Weight) -> u32 {
        match weight {
            Weight::Critical => self.critical,
            Weight::Important => self.important,
            Weight::Moderate => self.moderate,
        }
    }
}
