//! What may be spent, and what has been.
//!
//! Every call is estimated before it is sent: its question counted, its answer taken to be as long as it may
//! be. That much is set aside, so that calls which run at the same time cannot overshoot together, and replaced
//! by the real cost afterwards. What cannot be known to be unspent counts as spent.

mod amount;
mod budgeted;
mod ledger;

#[cfg(test)]
mod tests;

pub use budgeted::{Budgeted, CountTokens};
pub use ledger::Ledger;

pub(crate) use amount::micro_usd;
