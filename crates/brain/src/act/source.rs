use futures_util::future::BoxFuture;

use crate::call::{Tool, ToolCall};
use domain::tools::{DeniedCall, Effect};

/// Somebody who has tools: a forge, a tracker, a wiki.
pub trait ToolSource: Send + Sync {
    /// All it has. Which of them a model gets to see is for the policy to say.
    fn tools(&self) -> Vec<Offer>;

    /// Called only for one of its own tools that the policy permits, with arguments in which nothing is wrong under
    /// the tool's schema as far as we check it. The error is told to the model; neither it nor the result need be
    /// clean. Dropped when the time of the review is up.
    fn execute<'a>(&'a self, call: &'a ToolCall) -> BoxFuture<'a, Result<String, String>>;

    /// A model wanted one of its tools for what it may not do. For whoever keeps an account of that.
    fn denied(&self, _: &DeniedCall) {}
}

/// A tool and what its owner says of its effect.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    pub tool: Tool,
    pub effect: Effect,
}
