use std::fmt;
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

impl Usage {
    /// Whether somebody who was asked said what that used.
    pub fn is_metered(&self) -> bool {
        self.calls == 0 || self.input_tokens > 0 || self.output_tokens > 0 || self.cost_micro_usd.is_some()
    }
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

/// `3 calls, 12,345 tokens in, 678 out, $0.05`. What is not known is left out.
impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.calls, if self.calls == 1 { "call" } else { "calls" })?;
        if self.input_tokens > 0 || self.output_tokens > 0 {
            write!(f, ", {} tokens in, {} out", grouped(self.input_tokens), grouped(self.output_tokens))?;
        }
        match self.cost_micro_usd {
            Some(1..10_000) => f.write_str(", less than $0.01"),
            Some(cost) => {
                let cents = cost.div_ceil(10_000);
                write!(f, ", ${}.{:02}", grouped(cents / 100), cents % 100)
            }
            None => Ok(()),
        }
    }
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut shown = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_is_told_as_far_as_it_is_known() {
        let usage = |calls, input_tokens, output_tokens, cost_micro_usd| {
            Usage { calls, input_tokens, output_tokens, cost_micro_usd }.to_string()
        };
        assert_eq!(usage(3, 12_345, 678, Some(50_000)), "3 calls, 12,345 tokens in, 678 out, $0.05");
        assert_eq!(usage(1, 5, 1, Some(3)), "1 call, 5 tokens in, 1 out, less than $0.01");
        assert_eq!(usage(1, 0, 0, None), "1 call");
    }
}
