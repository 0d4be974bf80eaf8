//! Agents through the Agent Client Protocol: JSON-RPC over the standard streams of a program. Fixers and builders, and
//! whoever speaks nothing else.
//!
//! An agent that is talked with says what it does while it does it, and asks before it changes or runs anything. The
//! answers come from [`permit()`], a pure function of the request and a policy. They are good manners, not the wall:
//! an agent that lies about what it does, or does not ask, is stopped by the kernel, as every agent is.
//!
//! We offer neither files nor terminals. The agent uses its own tools, inside its confinement; ours would act
//! outside of it, in its name.

mod author;
mod choose;
mod command;
mod converse;
mod heard;
mod permit;
mod session;
mod transport;
mod wish;

pub use author::AcpAuthor;
pub use choose::{Chosen, Spoken, Writer, author, spoken};
pub(super) use converse::ask;
pub use converse::greet;
pub use permit::{Execute, Permission, PermitPolicy, permit};
