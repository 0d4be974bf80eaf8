use std::sync::Arc;
use std::time::Duration;

use domain::config::Config;
use domain::ports::{ActivityLog, AssignmentStore, Branches, EpicStore, TaskStore};
use engine::assignments::{Desk, DeskRules};
use engine::escalation::{Escalations, Missions, Stories};
use engine::stop::{self, Stop, Stopper};
use engine::watchdog::run_watchdog;
use tokio::sync::Semaphore;

use crate::hand_ins::HandIns;
use crate::mirror::Mirror;
use crate::reviews::Reviews;

/// What an operator should know, in one line.
pub type Tell = Arc<dyn Fn(&str) + Send + Sync>;

/// More reviews than this do not run at once in one server; the next waits for its turn.
const MOST_REVIEWS: u32 = 4;

/// A store with everything the tools need.
pub trait Stores: TaskStore + AssignmentStore + EpicStore + Clone + 'static {}

impl<S: TaskStore + AssignmentStore + EpicStore + Clone + 'static> Stores for S {}

/// What the tools need beside a store.
#[derive(Clone)]
pub struct Surroundings {
    pub reviews: Arc<dyn Reviews>,
    pub branches: Arc<dyn Branches>,
    pub stories: Arc<dyn Stories>,
    pub missions: Arc<dyn Missions>,
    /// Tells the forge and the tracker of work that was handed in.
    pub hand_ins: Arc<dyn HandIns>,
    pub mirror: Arc<dyn Mirror>,
    pub log: Arc<dyn ActivityLog>,
    pub tell: Tell,
    /// By what the store knows the epics of this repository; nothing outside of a repository.
    pub repository: Option<String>,
}

/// What all tools work with. It holds nothing that a second server would not find in the store.
pub struct Workbench<S> {
    pub(crate) store: S,
    /// How this machine runs its queues.
    pub(crate) config: Config,
    pub(crate) assignments: Desk<S>,
    stories: Arc<dyn Stories>,
    missions: Arc<dyn Missions>,
    pub(crate) hand_ins: Arc<dyn HandIns>,
    pub(crate) mirror: Arc<dyn Mirror>,
    pub(crate) reviews: Arc<dyn Reviews>,
    pub(crate) tell: Tell,
    pub(crate) repository: Option<String>,
    pub(crate) running: Arc<Semaphore>,
    /// Asked of reviews that still run when the server has to go.
    pub(crate) stop: Stop,
    stopper: Stopper,
    log: Arc<dyn ActivityLog>,
}

impl<S: Stores> Workbench<S> {
    pub fn new(store: S, config: Config, around: Surroundings) -> Arc<Workbench<S>> {
        let Surroundings { reviews, branches, stories, missions, hand_ins, mirror, log, tell, repository } =
            around;
        let rules = DeskRules::of(&config);
        let assignments = Desk { store: store.clone(), branches, log: Arc::clone(&log), rules };
        let running = Arc::new(Semaphore::new(MOST_REVIEWS as usize));
        let (stopper, stop) = stop::channel();
        Arc::new(Workbench {
            store,
            config,
            assignments,
            stories,
            missions,
            hand_ins,
            mirror,
            reviews,
            tell,
            repository,
            running,
            stop,
            stopper,
            log,
        })
    }

    /// Whatever waits for a person.
    pub(crate) fn escalations(&self) -> Escalations<'_, S> {
        Escalations { desk: &self.assignments, stories: &self.stories, missions: &self.missions }
    }

    /// Frees what servers and workers that are gone held, and shows it, for as long as this one serves.
    pub(crate) async fn watch(&self) {
        let interval = Duration::from_secs(self.config.safeguards.watchdog_interval.into());
        let show = async {
            while !self.stop.is_requested() {
                self.mirror.update().await;
                self.stop.sleep(interval).await;
            }
        };
        tokio::join!(run_watchdog(&self.store, interval, &*self.log, self.stop.clone()), show);
    }

    /// Returns when no review is running any more. One that takes longer than `patience` is given up, and its task
    /// says so.
    pub(crate) async fn settle(&self, patience: Duration) {
        for _ in 0..2 {
            if tokio::time::timeout(patience, self.running.acquire_many(MOST_REVIEWS)).await.is_ok() {
                return;
            }
            self.stopper.stop();
        }
    }
}

impl<S> std::fmt::Debug for Workbench<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Workbench").finish_non_exhaustive()
    }
}
