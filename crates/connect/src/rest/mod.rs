//! One way to speak to a REST service, and the only one in the product.
//!
//! What is promised:
//! - **A token goes to its own host and nowhere else.** It comes from the environment, it is masked in everything that
//!   is said about a call, and a redirect to another host is refused.
//! - **Nothing is done twice by accident.** A request is repeated only if it changes nothing further, or if the service
//!   cannot have taken it: the connection was never made, or a rate limit turned it away. Otherwise the [`Trouble`] says
//!   that it may have happened.
//! - **Everything ends**: waiting, pages and bodies have limits.

mod cache;
mod client;
mod fields;
mod pages;
mod path;
mod patience;
mod reply;
mod request;
mod secret;
mod send;
mod throttle;
mod trouble;

pub(crate) use client::{Auth, Rest, RestSetup, Waits};
pub(crate) use fields::Fields;
pub(crate) use pages::{Listed, MOST_ENTRIES};
pub(crate) use path::{Path, path_of};
pub use patience::Patience;
pub(crate) use request::{Accept, Ask};
pub(crate) use secret::Secret;
pub(crate) use trouble::{Kind, Trouble};
