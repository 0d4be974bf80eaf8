use std::ops::{Add, Sub};

use domain::config::Price;
use serde::{Deserialize, Serialize};

/// Tokens of both directions, and money.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Amount {
    pub(super) tokens: u64,
    pub(super) micro_usd: u64,
}

impl Add for Amount {
    type Output = Amount;

    fn add(self, other: Amount) -> Amount {
        Amount {
            tokens: self.tokens.saturating_add(other.tokens),
            micro_usd: self.micro_usd.saturating_add(other.micro_usd),
        }
    }
}

impl Sub for Amount {
    type Output = Amount;

    fn sub(self, other: Amount) -> Amount {
        Amount {
            tokens: self.tokens.saturating_sub(other.tokens),
            micro_usd: self.micro_usd.saturating_sub(other.micro_usd),
        }
    }
}

/// For one review, one task or one day. 0 sets no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Limits {
    pub(super) tokens: u64,
    pub(super) cents: u64,
}

const MICRO_USD_PER_CENT: u64 = 10_000;

impl Limits {
    pub(super) fn is_set(self) -> bool {
        self.tokens > 0 || self.cents > 0
    }

    /// `whose` completes "the budget of ...".
    pub(super) fn check(self, spent: Amount, wanted: Amount, whose: &str) -> Result<(), String> {
        let after = spent + wanted;
        if self.tokens > 0 && after.tokens > self.tokens {
            return Err(format!(
                "the budget of {whose} is {} tokens, {} are spent or set aside, and this call may take {}",
                self.tokens, spent.tokens, wanted.tokens
            ));
        }
        if self.cents > 0 && after.micro_usd > self.cents.saturating_mul(MICRO_USD_PER_CENT) {
            return Err(format!(
                "the budget of {whose} is {}, {} are spent or set aside, and this call may cost {}",
                dollars(self.cents.saturating_mul(MICRO_USD_PER_CENT)),
                dollars(spent.micro_usd),
                dollars(wanted.micro_usd)
            ));
        }
        Ok(())
    }
}

fn dollars(micro_usd: u64) -> String {
    format!("${}.{:04}", micro_usd / 1_000_000, micro_usd % 1_000_000 / 100)
}

/// In millionths of a dollar, rounded up. Prices are in cents for a million tokens.
pub(crate) fn micro_usd(price: Price, input_tokens: u64, output_tokens: u64) -> u64 {
    let hundredfold = u128::from(input_tokens) * u128::from(price.input_cents)
        + u128::from(output_tokens) * u128::from(price.output_cents);
    u64::try_from(hundredfold.div_ceil(100)).unwrap_or(u64::MAX)
}
