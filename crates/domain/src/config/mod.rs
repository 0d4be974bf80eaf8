//! `countersign.yaml`: what a project asks of its changes.

mod error;
mod model;

pub use error::{ConfigError, from_yaml};
pub use model::{Config, FILE_NAME, RulesPolicy, TEMPLATE};

#[cfg(test)]
mod tests;
