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
mod secrecy;
mod table;
