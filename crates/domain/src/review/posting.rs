use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What publishing a review came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Posting {
    /// Of the pull or merge request.
    pub url: String,
    /// The commit that the verdict is for.
    pub commit: String,
    /// New comments at lines.
    pub comments_added: usize,
    /// Comments of earlier reviews that are done with.
    pub comments_settled: usize,
    /// Findings without a comment at a line, which are in the summary instead.
    pub only_in_summary: usize,
    pub summary: SummaryPosted,
    pub check: CheckPosted,
    /// What did not work out and matters little.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The one comment that says how it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SummaryPosted {
    Unchanged,
    Added,
    Edited,
}

/// The check run or commit status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckPosted {
    pub name: String,
    /// Whether it lets the commit pass.
    pub success: bool,
    pub title: String,
    pub outcome: CheckOutcome,
    /// Why it could not be set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CheckOutcome {
    /// It was there already.
    Unchanged,
    Set,
    Failed,
}
