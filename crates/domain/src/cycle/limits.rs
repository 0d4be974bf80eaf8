use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How often anything may be tried. Set per project and, since every [`Cycle`](super::Cycle) carries its
/// own, per item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Tickets: revisions after the original attempt.
    pub max_revisions: u32,
    /// Assignments and tasks: reviews before a rejection goes to a human.
    pub max_review_cycles: u32,
    /// Stories: review rounds before remaining findings go to a human.
    pub max_rounds: u32,
    /// No item is reviewed conclusively more often than this, whatever a human grants.
    pub hard_cap: u32,
    /// How often an inconclusive review is repeated before a human is told.
    pub inconclusive_retries: u32,
    /// Tickets: how often in a row failed validation sends the work back to its builder; and how often in all a
    /// merge that failed does.
    pub max_validation_failures: u32,
    /// How often in a row work that crashed or timed out is started again.
    pub max_retries: u32,
    /// Assignments: after this many rejections another reviewer looks. 0 keeps the reviewer.
    pub change_reviewer_after: u32,
    /// The wait before anything is tried again.
    pub backoff: Backoff,
}

/// A wait that doubles with every try, up to a ceiling.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Backoff {
    #[schemars(range(max = 86_400))]
    pub first_seconds: u32,
    #[schemars(range(max = 86_400))]
    pub ceiling_seconds: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadLimits {
    #[error("limits.{0} is 0: at least one review is needed")]
    NoReview(&'static str),
    #[error("limits.{name} allows {reviews} reviews, but limits.hard_cap is {hard_cap}")]
    AboveHardCap { name: &'static str, reviews: u32, hard_cap: u32 },
    #[error("limits.{name} is {value}: use {most} at most")]
    TooLarge { name: &'static str, value: u32, most: u32 },
    #[error("limits.backoff.first_seconds is {first}, more than its ceiling of {ceiling} seconds")]
    BackoffAboveCeiling { first: u32, ceiling: u32 },
}

/// Nothing that calls itself a limit is larger than this.
const MOST_TRIES: u32 = 100;
const MOST_BACKOFF_SECONDS: u32 = 24 * 60 * 60;

impl Default for Limits {
    fn default() -> Self {
        Limits {
            max_revisions: 2,
            max_review_cycles: 3,
            max_rounds: 3,
            hard_cap: 5,
            inconclusive_retries: 3,
            max_validation_failures: 3,
            max_retries: 5,
            change_reviewer_after: 2,
            backoff: Backoff::default(),
        }
    }
}

impl Default for Backoff {
    fn default() -> Self {
        Backoff { first_seconds: 30, ceiling_seconds: 240 }
    }
}

impl Limits {
    pub fn validate(&self) -> Result<(), BadLimits> {
        let tries = [
            ("hard_cap", self.hard_cap),
            ("max_revisions", self.max_revisions),
            ("inconclusive_retries", self.inconclusive_retries),
            ("max_validation_failures", self.max_validation_failures),
            ("max_retries", self.max_retries),
            ("change_reviewer_after", self.change_reviewer_after),
        ];
        if let Some((name, value)) = tries.into_iter().find(|(_, value)| *value > MOST_TRIES) {
            return Err(BadLimits::TooLarge { name, value, most: MOST_TRIES });
        }
        let reviews = [
            ("max_revisions", self.max_revisions + 1),
            ("max_review_cycles", self.max_review_cycles),
            ("max_rounds", self.max_rounds),
        ];
        for (name, reviews) in reviews {
            if reviews == 0 {
                return Err(BadLimits::NoReview(name));
            }
            if reviews > self.hard_cap {
                return Err(BadLimits::AboveHardCap { name, reviews, hard_cap: self.hard_cap });
            }
        }
        self.backoff.validate()
    }
}

impl Backoff {
    /// Before try `tries + 1`: the first wait, doubled for each try already made again.
    pub fn delay_seconds(&self, tries: u32) -> u32 {
        let doubled =
            1u32.checked_shl(tries).map_or(u32::MAX, |factor| self.first_seconds.saturating_mul(factor));
        if self.first_seconds == 0 { 0 } else { doubled.min(self.ceiling_seconds) }
    }

    fn validate(&self) -> Result<(), BadLimits> {
        if self.ceiling_seconds > MOST_BACKOFF_SECONDS {
            return Err(BadLimits::TooLarge {
                name: "backoff.ceiling_seconds",
                value: self.ceiling_seconds,
                most: MOST_BACKOFF_SECONDS,
            });
        }
        if self.first_seconds > self.ceiling_seconds {
            return Err(BadLimits::BackoffAboveCeiling {
                first: self.first_seconds,
                ceiling: self.ceiling_seconds,
            });
        }
        Ok(())
    }
}
