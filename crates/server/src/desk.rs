use std::sync::Arc;
use std::time::Duration;

use domain::config::Config;
use domain::ports::TaskStore;
use tokio::sync::Semaphore;

use crate::reviews::Reviews;

/// What an operator should know, in one line.
pub type Tell = Arc<dyn Fn(&str) + Send + Sync>;

/// More reviews than this do not run at once in one server; the next waits for its turn.
const MOST_REVIEWS: u32 = 4;

/// A store with everything the tools need.
pub trait Stores: TaskStore + Clone + 'static {}

impl<S: TaskStore + Clone + 'static> Stores for S {}

/// What all tools work with. It holds nothing that a second server would not find in the store.
pub struct Desk<S> {
    pub store: S,
    /// How this machine runs its queues.
    pub config: Config,
    pub reviews: Arc<dyn Reviews>,
    pub tell: Tell,
    pub(crate) running: Arc<Semaphore>,
}

impl<S: Stores> Desk<S> {
    pub fn new(store: S, config: Config, reviews: Arc<dyn Reviews>, tell: Tell) -> Arc<Desk<S>> {
        let running = Arc::new(Semaphore::new(MOST_REVIEWS as usize));
        Arc::new(Desk { store, config, reviews, tell, running })
    }

    /// Returns when no review is running any more, or after `patience`. One that is cut off then is given up when its
    /// lease runs out.
    pub async fn settle(&self, patience: Duration) {
        let _ = tokio::time::timeout(patience, self.running.acquire_many(MOST_REVIEWS)).await;
    }
}

impl<S> std::fmt::Debug for Desk<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Desk").finish_non_exhaustive()
    }
}
