use std::sync::Arc;

use domain::review::Review;

/// Told in one clean line each time what a reviewer is doing.
pub type Heard = Arc<dyn Fn(&str) + Send + Sync>;

/// Somebody who reviews a range of commits of the repository this server stands in. Blocking: it is called on a thread
/// of its own.
pub trait Reviews: Send + Sync {
    fn review(&self, ask: &ReviewAsk, heard: Heard) -> Result<Review, ReviewTrouble>;
}

/// What is to be reviewed, in the words of whoever asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReviewAsk {
    /// Any revision; the branch that the head is probably meant for, if left out.
    pub base: Option<String>,
    /// Any revision; what is checked out, if left out.
    pub head: Option<String>,
    /// `rules`, `model` or an agent of the policy; the rules, if left out.
    pub reviewer: Option<String>,
    /// The task the review is kept with.
    pub task: String,
}

/// Why there is no review, and what can be done about it. Clean text, and nothing about the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewTrouble {
    pub what: String,
    pub next: String,
}
