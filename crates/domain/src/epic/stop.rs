use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why work on a ticket or an epic came to a halt before its good end. Every one of them can be resumed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Stop {
    pub reason: StopReason,
    /// In words, for people.
    #[serde(default)]
    pub detail: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// Revisions, retries or failed validations are used up.
    Limit,
    /// The money or the tokens are spent.
    Budget,
    /// The time is over.
    Time,
    /// Something it depends on cannot be completed.
    Dependency,
    /// Somebody stopped it.
    Human,
}

impl StopReason {
    pub fn as_str(self) -> &'static str {
        match self {
            StopReason::Limit => "limit",
            StopReason::Budget => "budget",
            StopReason::Time => "time",
            StopReason::Dependency => "dependency",
            StopReason::Human => "human",
        }
    }
}
