//! The use cases. Everything outside comes in through the traits of [`domain::ports`], and for the loop and for epics through
//! [`story::World`] and [`epic::World`].

pub mod assignments;
pub mod epic;
pub mod escalation;
mod informed;
pub mod kept;
mod lines;
pub mod mission;
pub mod once;
mod patience;
pub mod publish;
mod review;
pub mod stop;
pub mod story;
pub mod ticket;
mod told_once;
pub mod watchdog;
mod with_tools;
pub mod worker;

pub use informed::Informed;
pub use review::{ReviewOrder, review};
pub use with_tools::WithTools;
