use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Invalid;

const LONGEST_ID: usize = 128;
const LONGEST_AGENT: usize = 64;
const LONGEST_TYPE: usize = 32;

/// Names a task, its file and its lock. Holds nothing that a path could stumble over.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct TaskId(String);

impl TaskId {
    pub fn parse(text: &str) -> Result<TaskId, Invalid> {
        check("id", text, LONGEST_ID)?;
        Ok(TaskId(text.to_owned()))
    }

    /// `<type>-<agent>-<epoch ms>-<6 hex>`. Of `random` the lowest 24 bits are used.
    pub fn generate(kind: &str, agent: &str, epoch_ms: u64, random: u32) -> Result<TaskId, Invalid> {
        check_type(kind)?;
        check_agent_name("assigned_to", agent)?;
        TaskId::parse(&format!("{kind}-{agent}-{epoch_ms}-{:06x}", random & 0xff_ffff))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Agents and their queues are folders, locks and log files, so their names are held to the same rules.
pub fn check_agent_name(field: &str, name: &str) -> Result<(), Invalid> {
    check(field, name, LONGEST_AGENT)
}

pub(super) fn check_type(kind: &str) -> Result<(), Invalid> {
    check("type", kind, LONGEST_TYPE)
}

fn check(field: &str, text: &str, longest: usize) -> Result<(), Invalid> {
    let refuse = |reason: String| Err(Invalid::new(field, reason));
    if text.is_empty() {
        return refuse("is missing".to_owned());
    }
    if text.len() > longest {
        return refuse(format!("is longer than {longest} characters"));
    }
    if let Some(c) = text.chars().find(|c| !c.is_ascii_alphanumeric() && !"._-".contains(*c)) {
        return refuse(format!("holds {c:?}; use letters, digits, `.`, `_` and `-`"));
    }
    if text.starts_with(['.', '-']) || text.contains("..") {
        return refuse("may not begin with `.` or `-`, nor hold `..`".to_owned());
    }
    Ok(())
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for TaskId {
    /// Why not. Which field of what it was read from, the reader knows better.
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        TaskId::parse(&text).map_err(|invalid| invalid.reason)
    }
}

impl From<TaskId> for String {
    fn from(id: TaskId) -> String {
        id.0
    }
}
