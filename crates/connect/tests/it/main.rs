//! The servers, called as clients call them, against a forge with the real rules.

mod confluence;
mod faults;
mod github;
mod github_reviews;
mod gitlab;
mod gitlab_discussions;
mod jira;
mod limits;
mod listing;
mod ports_architecture;
mod ports_client;
mod ports_publishing;
mod ports_stage;
mod ports_trackers;
mod secrecy;
mod table;
