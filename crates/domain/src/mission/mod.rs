//! A mission: a ticket asks for the review of a merge request, and is told how it went.
//!
//! What a ticket says is found in whatever its editor made of it ([`find_params`]), validated field by field, and held
//! against the configured forge before anything is asked of anybody. The texts that go back to the ticket are here, too;
//! the steps themselves are the engine's.

mod block;
mod identity;
mod order;
mod params;
mod texts;
mod webhook;

pub use identity::{MissionIdentity, MissionNews};
pub use order::{Mismatch, MissionOrder, Refused};
pub use params::{CodeReviewParams, MissionMode, ParamsProblem, find_params};
pub use texts::{delayed, failed, finished, interrupted, started, unpublished};
pub use webhook::{BadWebhook, JiraWebhook};
