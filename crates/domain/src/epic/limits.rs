use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::cycle::{Backoff, BadLimits, Limits};

/// How often, how long and for how much. What is `None` is for `countersign.yaml` to say, or unlimited.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct EpicLimits {
    #[serde(flatten)]
    pub tries: Tries,
    /// For one review of one ticket; then it is cut off and counts as inconclusive.
    #[schemars(default = "default_review_seconds", range(min = 1, max = 604_800))]
    pub review_seconds: u32,
    /// For one attempt of a builder.
    #[schemars(default = "default_builder_seconds", range(min = 1, max = 604_800))]
    pub builder_seconds: u32,
    /// For the epic as a whole.
    #[schemars(range(min = 1, max = 1_000_000_000_000_000_u64))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epic_seconds: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ticket_budget_usd: Option<Usd>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epic_budget_usd: Option<Usd>,
    #[schemars(range(min = 1, max = 1_000_000_000_000_000_u64))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ticket_tokens: Option<u64>,
    #[schemars(range(min = 1, max = 1_000_000_000_000_000_u64))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epic_tokens: Option<u64>,
}

/// The limits of the review cycle that an epic or a ticket may set for itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Tries {
    #[schemars(range(max = 100))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_revisions: Option<u32>,
    #[schemars(range(max = 100))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inconclusive_retries: Option<u32>,
    #[schemars(range(max = 100))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_validation_failures: Option<u32>,
    #[schemars(range(max = 100))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_retries: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backoff: Option<Backoff>,
}

/// Limits of one ticket, where they differ from those of its epic.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TicketLimits {
    #[serde(flatten)]
    pub tries: Tries,
    #[schemars(range(min = 1, max = 604_800))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review_seconds: Option<u32>,
    #[schemars(range(min = 1, max = 604_800))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub builder_seconds: Option<u32>,
}

/// What one ticket may cost, where that differs from its epic's `ticket_budget_usd` and `ticket_tokens`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TicketBudget {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd: Option<Usd>,
    #[schemars(range(min = 1, max = 1_000_000_000_000_000_u64))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
}

/// US dollars, kept in millionths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Usd {
    micros: u64,
}

/// The limits that hold for one ticket, everything considered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TicketBounds {
    pub cycle: Limits,
    pub review_seconds: u32,
    pub builder_seconds: u32,
    pub budget_micro_usd: Option<u64>,
    pub tokens: Option<u64>,
}

pub(super) const MOST_SECONDS: u32 = 7 * 24 * 60 * 60;
/// Of tokens, and of seconds for an epic: more than anybody has, and exact in every reader of JSON.
pub(super) const MOST: u64 = 1_000_000_000_000_000;

pub(super) fn default_review_seconds() -> u32 {
    120
}

pub(super) fn default_builder_seconds() -> u32 {
    1800
}

impl Default for EpicLimits {
    fn default() -> Self {
        EpicLimits {
            tries: Tries::default(),
            review_seconds: default_review_seconds(),
            builder_seconds: default_builder_seconds(),
            epic_seconds: None,
            ticket_budget_usd: None,
            epic_budget_usd: None,
            ticket_tokens: None,
            epic_tokens: None,
        }
    }
}

impl Tries {
    /// `base` where nothing is said here.
    pub fn over(&self, base: &Limits) -> Limits {
        Limits {
            max_revisions: self.max_revisions.unwrap_or(base.max_revisions),
            inconclusive_retries: self.inconclusive_retries.unwrap_or(base.inconclusive_retries),
            max_validation_failures: self.max_validation_failures.unwrap_or(base.max_validation_failures),
            max_retries: self.max_retries.unwrap_or(base.max_retries),
            backoff: self.backoff.clone().unwrap_or_else(|| base.backoff.clone()),
            ..base.clone()
        }
    }
}

impl EpicLimits {
    /// The ticket's own limits, then the epic's, then the project's. An error if together they make no sense, as
    /// more revisions than the project's hard cap allows.
    pub fn bounds(&self, ticket: &super::TicketEntry, project: &Limits) -> Result<TicketBounds, BadLimits> {
        let cycle = ticket.limits.tries.over(&self.tries.over(project));
        cycle.validate()?;
        Ok(TicketBounds {
            cycle,
            review_seconds: ticket.limits.review_seconds.unwrap_or(self.review_seconds),
            builder_seconds: ticket.limits.builder_seconds.unwrap_or(self.builder_seconds),
            budget_micro_usd: ticket.budget.usd.or(self.ticket_budget_usd).map(Usd::micros),
            tokens: ticket.budget.tokens.or(self.ticket_tokens),
        })
    }
}

impl TicketLimits {
    pub fn is_empty(&self) -> bool {
        *self == TicketLimits::default()
    }
}

impl TicketBudget {
    pub fn is_empty(&self) -> bool {
        *self == TicketBudget::default()
    }
}

impl Usd {
    const LEAST: f64 = 0.000_001;
    pub(super) const MOST: f64 = 1_000_000.0;

    /// More than nothing and at most a million dollars.
    pub fn from_dollars(dollars: f64) -> Option<Usd> {
        let micros = (dollars * 1e6).round();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range was looked at")]
        (Usd::LEAST..=Usd::MOST).contains(&dollars).then_some(Usd { micros: micros as u64 })
    }

    pub fn micros(self) -> u64 {
        self.micros
    }
}

impl Serialize for Usd {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[allow(clippy::cast_precision_loss, reason = "a million dollars in millionths is exact")]
        serializer.serialize_f64(self.micros as f64 / 1e6)
    }
}

impl JsonSchema for Usd {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Usd".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "number", "minimum": Usd::LEAST, "maximum": Usd::MOST })
    }
}
