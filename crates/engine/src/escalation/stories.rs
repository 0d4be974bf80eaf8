use std::sync::Arc;

use domain::cycle::Resolution;

use crate::story::{Decided, Story};

/// Where the stories of loops are kept: beside the repository that each is about. Blocking. Where there is no
/// repository, there are none.
pub trait Stories: Send + Sync {
    /// Those that are not over, in any order.
    fn unfinished(&self) -> Result<Vec<Story>, StoryTrouble>;

    /// By its id, over or not. Any text may be asked for.
    fn find(&self, id: &str) -> Result<Option<Story>, StoryTrouble>;

    /// Has the story take a decision and stores both, or neither. The loop goes on when somebody resumes it. Refused
    /// while a loop is at work on it.
    fn resolve(
        &self,
        id: &str,
        resolution: Resolution,
        by: &str,
        reason: &str,
    ) -> Result<(Story, Decided), StoryTrouble>;
}

/// Why a story could not be read or decided about, for whoever sits at the machine: what it says may name its paths,
/// users and processes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoryTrouble {
    /// Somebody else holds it, for now.
    #[error("{what}")]
    Held { what: String, hint: String },
    #[error("{what}")]
    Unusable { what: String, hint: String },
}

/// Asks on a thread where it may block.
pub(super) async fn ask<P: ?Sized + Send + Sync + 'static, T: Send + 'static>(
    port: &Arc<P>,
    question: impl FnOnce(Arc<P>) -> Result<T, StoryTrouble> + Send + 'static,
) -> Result<T, StoryTrouble> {
    let port = Arc::clone(port);
    let answer = tokio::task::spawn_blocking(move || question(port)).await;
    answer.unwrap_or_else(|error| {
        Err(StoryTrouble::Unusable {
            what: format!("what is kept beside the repository could not be looked at: {error}"),
            hint: "try again".to_owned(),
        })
    })
}
