//! The use cases. Everything outside comes in through the traits of [`domain::ports`].

mod review;

pub use review::{ReviewOrder, review};
