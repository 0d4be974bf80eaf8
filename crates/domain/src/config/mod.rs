//! `countersign.yaml`: what a project asks of its changes.

mod agents;
mod brains;
mod callers;
mod connect;
mod error;
mod loops;
mod model;
mod safeguards;

pub use agents::{AgentConfig, AgentEntry, AgentRole, HandlerKind, is_replica_of};
pub use brains::{
    BrainKind, Budget, Linter, LinterFormat, ModelPolicy, Price, Protocol, ReviewMode, Sandbox,
};
pub use connect::{ConnectPolicy, ForkPolicy, ServerChoice, ServerProfile, Statuses};
pub(crate) use error::explained;
pub use error::{ConfigError, from_yaml};
pub use loops::{EarlyStop, LateFindings, LoopPolicy};
pub use model::{Config, FILE_NAME, RulesPolicy, TEMPLATE};
pub use safeguards::{Safeguards, TaskPolicy};

#[cfg(test)]
mod tests;
