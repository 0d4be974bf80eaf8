use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Config;
use crate::tasks::check_agent_name;

/// Somebody who may call the MCP server, as `countersign.yaml` names them. Tokens are never here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallerEntry {
    pub name: String,
    pub role: CallerRole,
}

/// What a caller may do with assignments. Tasks and reviews are open to all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallerRole {
    /// Accepts work and hands it in.
    Coder,
    /// Says whether it is good.
    Reviewer,
    /// Decides where the others could not agree.
    Person,
}

impl CallerRole {
    pub fn as_str(self) -> &'static str {
        match self {
            CallerRole::Coder => "coder",
            CallerRole::Reviewer => "reviewer",
            CallerRole::Person => "person",
        }
    }
}

impl Config {
    /// The configured callers or, if there are none, one of each role.
    pub fn callers(&self) -> Vec<CallerEntry> {
        if !self.callers.is_empty() {
            return self.callers.clone();
        }
        let built_in =
            [("engineer", CallerRole::Coder), ("qa", CallerRole::Reviewer), ("person", CallerRole::Person)];
        built_in.map(|(name, role)| CallerEntry { name: name.to_owned(), role }).into()
    }

    pub(super) fn check_callers(&self) -> Result<(), String> {
        let mut names = BTreeSet::new();
        for caller in &self.callers {
            check_agent_name("callers.name", &caller.name).map_err(|invalid| invalid.to_string())?;
            if !names.insert(caller.name.as_str()) {
                return Err(format!("callers: there are two with the name {}", caller.name));
            }
        }
        Ok(())
    }
}
