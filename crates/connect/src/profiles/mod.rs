//! How each server we know names its tools and shapes what it takes and gives: one file per server, and the only place
//! that knows. Adding a server is adding a file and a line in [`crate::adapters`].

mod atlassian;
mod confluence;
mod files;
mod github;
mod github_official;
mod gitlab;
mod gitlab_zereight;
mod jira;
mod merge_request;
mod position;
mod pull;
mod server;
mod shapes;

pub use atlassian::{AtlassianDocs, AtlassianTracker};
pub use confluence::Confluence;
pub use github::Github;
pub use github_official::GithubOfficial;
pub use gitlab::Gitlab;
pub use gitlab_zereight::GitlabZereight;
pub use jira::Jira;
pub use server::Server;
