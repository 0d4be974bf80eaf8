use std::sync::Arc;
use std::time::Duration;

use domain::config::Config;
use domain::ports::{ActivityLog, AssignmentStore, Branches, TaskStore};
use engine::assignments::{Desk, DeskRules, Handed};
use tokio::sync::Semaphore;

use crate::reviews::Reviews;

/// What an operator should know, in one line.
pub type Tell = Arc<dyn Fn(&str) + Send + Sync>;

/// More reviews than this do not run at once in one server; the next waits for its turn.
const MOST_REVIEWS: u32 = 4;

/// A store with everything the tools need.
pub trait Stores: TaskStore + AssignmentStore + Clone + 'static {}

impl<S: TaskStore + AssignmentStore + Clone + 'static> Stores for S {}

/// What the tools need beside a store.
#[derive(Clone)]
pub struct Surroundings {
    pub reviews: Arc<dyn Reviews>,
    pub branches: Arc<dyn Branches>,
    pub log: Arc<dyn ActivityLog>,
    pub tell: Tell,
}

/// What all tools work with. It holds nothing that a second server would not find in the store, but for
/// what reviewers were shown: that only saves them from mistakes.
pub struct Workbench<S> {
    pub(crate) store: S,
    /// How this machine runs its queues.
    pub(crate) config: Config,
    pub(crate) assignments: Desk<S>,
    pub(crate) reviews: Arc<dyn Reviews>,
    pub(crate) tell: Tell,
    pub(crate) running: Arc<Semaphore>,
}

impl<S: Stores> Workbench<S> {
    pub fn new(store: S, config: Config, around: Surroundings) -> Arc<Workbench<S>> {
        let Surroundings { reviews, branches, log, tell } = around;
        let assignments = Desk {
            store: store.clone(),
            branches,
            log,
            rules: DeskRules::of(&config),
            handed: Handed::default(),
        };
        let running = Arc::new(Semaphore::new(MOST_REVIEWS as usize));
        Arc::new(Workbench { store, config, assignments, reviews, tell, running })
    }

    /// Returns when no review is running any more, or after `patience`. One that is cut off then is given up when its
    /// lease runs out.
    pub(crate) async fn settle(&self, patience: Duration) {
        let _ = tokio::time::timeout(patience, self.running.acquire_many(MOST_REVIEWS)).await;
    }
}

impl<S> std::fmt::Debug for Workbench<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Workbench").finish_non_exhaustive()
    }
}
