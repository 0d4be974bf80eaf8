use std::ops::AddAssign;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a review cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    pub calls: u32,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// In millionths of a US dollar; absent if no price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_micro_usd: Option<u64>,
}

impl AddAssign for Usage {
    /// A sum with an unknown price is known as far as it goes.
    fn add_assign(&mut self, other: Usage) {
        self.calls = self.calls.saturating_add(other.calls);
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
        self.cost_micro_usd = match (self.cost_micro_usd, other.cost_micro_usd) {
            (Some(own), Some(others)) => Some(own.saturating_add(others)),
            (own, others) => own.or(others),
        };
    }
}
