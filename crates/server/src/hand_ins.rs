use crate::reviews::ReviewTrouble;

/// Somebody who tells forge and tracker of work that was handed in. Blocking: it is called on a thread of its own.
pub trait HandIns: Send + Sync {
    /// Makes sure that the request is there, its ticket linked, moved and told, and its review queued. Asked again, it
    /// does what is missing.
    fn hand_in(&self, ask: &HandInAsk) -> Result<HandedIn, ReviewTrouble>;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandInAsk {
    pub branch: String,
    pub which: WhichRequest,
    /// The ticket; what the branch is called after, if left out.
    pub jira_key: Option<String>,
    /// Who hands in.
    pub by: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhichRequest {
    Numbered(u64),
    /// The open one from the branch.
    OfBranch,
    /// The same, made if there is none.
    Created,
}

/// What is there now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandedIn {
    /// Where the request is read.
    pub url: String,
    /// The task of its review.
    pub task: String,
    /// One line each.
    pub notes: Vec<String>,
}
