use serde_json::Value;

use super::account::User;

/// GitHub's check run.
#[derive(Debug, Clone)]
pub struct CheckRun {
    pub id: u64,
    pub name: String,
    pub head_sha: String,
    pub status: String,
    pub conclusion: Option<String>,
    pub external_id: Option<String>,
    pub details_url: Option<String>,
    /// `title`, `summary`, `text` and `annotations`, as they were given.
    pub output: Value,
    pub started_at: u64,
    pub completed_at: Option<u64>,
    pub(in crate::forge) hidden_for: u32,
}

/// A commit status, GitHub's `context` being GitLab's `name`.
#[derive(Debug, Clone)]
pub struct CommitStatus {
    pub id: u64,
    pub sha: String,
    /// In the words of the API it was made with.
    pub state: String,
    pub context: String,
    pub description: Option<String>,
    pub target_url: Option<String>,
    pub ref_name: Option<String>,
    pub creator: User,
    pub created_at: u64,
    pub updated_at: u64,
    pub(in crate::forge) hidden_for: u32,
}
