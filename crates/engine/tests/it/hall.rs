//! A store in a file or on a server, agents with short times and scripted handlers.

use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use domain::config::{AgentConfig, Config};
use domain::cycle::{Backoff, Limits, TaskStatus};
use domain::ports::{ActivityLog, LogLine, NoLocks, TaskLocks, TaskStore};
use domain::tasks::{NewTask, QueueLimit, StoredTask, Task, TaskFilter, TaskId};
use engine::stop::{self, Stopper};
use engine::worker::{Handled, Handlers, Handling, Job, TaskHandler, run_agent};
use jiff::Timestamp;
use serde_json::{Value, json};
use store::Store;
use tempfile::TempDir;
use testkit::postgres::Server;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// What a scripted handler does with a task.
pub(crate) enum Step {
    Give(Handled),
    After(Duration, Handled),
    /// Not before it is told to.
    WhenTold(Arc<Notify>, Handled),
    Hang,
    Panic,
}

/// Whoever takes longer hangs, however busy the machine is.
const HANGS: Duration = Duration::from_secs(60);

type Script = dyn Fn(&Task) -> Step + Send + Sync;

#[derive(Clone)]
pub(crate) struct Scripted {
    script: Arc<Script>,
    /// Ids in the order in which they were begun.
    begun: Arc<Mutex<Vec<String>>>,
}

impl Scripted {
    pub(crate) fn new(script: impl Fn(&Task) -> Step + Send + Sync + 'static) -> Scripted {
        Scripted { script: Arc::new(script), begun: Arc::default() }
    }

    pub(crate) fn begun(&self) -> Vec<String> {
        self.begun.lock().unwrap().clone()
    }
}

impl TaskHandler for Scripted {
    fn handle<'a>(&'a self, job: Job<'a>) -> Handling<'a> {
        Box::pin(async move {
            self.begun.lock().unwrap().push(job.task.id.to_string());
            match (self.script)(job.task) {
                Step::Give(handled) => handled,
                Step::After(wait, handled) => {
                    tokio::time::sleep(wait).await;
                    handled
                }
                Step::WhenTold(told, handled) => {
                    told.notified().await;
                    handled
                }
                Step::Hang => std::future::pending().await,
                Step::Panic => panic!("out of ideas"),
            }
        })
    }
}

impl Handlers for Scripted {
    fn handler(&self, _: &AgentConfig, _: &Task) -> &dyn TaskHandler {
        self
    }
}

#[derive(Clone, Default)]
pub(crate) struct Heard(Arc<Mutex<Vec<String>>>);

impl ActivityLog for Heard {
    fn write(&self, line: &LogLine) {
        self.0.lock().unwrap().push(line.at(jiff::Timestamp::UNIX_EPOCH));
    }
}

impl Heard {
    pub(crate) fn holds(&self, part: &str) -> bool {
        self.0.lock().unwrap().iter().any(|line| line.contains(part))
    }

    pub(crate) fn all(&self) -> String {
        self.0.lock().unwrap().join("\n")
    }
}

/// Makes a SQLite test of every scenario, and a list of them for PostgreSQL.
macro_rules! scenarios {
    ($($name:ident),+ $(,)?) => {
        pub(crate) fn all() -> Vec<crate::hall::Scenario> {
            vec![$((stringify!($name), |house| Box::pin($name(house)))),+]
        }

        mod on_sqlite {
            $(#[tokio::test]
            async fn $name() {
                super::$name(crate::hall::House::Sqlite).await;
            })+
        }
    };
}

pub(crate) type Scenario = (&'static str, fn(House) -> Pin<Box<dyn Future<Output = ()>>>);

/// Where halls are had, each with an empty store.
#[derive(Clone)]
pub(crate) enum House {
    Sqlite,
    Postgres(Arc<Server>),
}

impl House {
    pub(crate) async fn hall(&self) -> Hall {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let directory = tempfile::tempdir().unwrap();
        let url = match self {
            House::Sqlite => directory.path().join("tasks.db").display().to_string(),
            House::Postgres(server) => {
                server.create_database(&format!("hall_{}", NEXT.fetch_add(1, Ordering::Relaxed)))
            }
        };
        let store = Arc::new(Store::open(&url).await.unwrap());
        Hall { store, log: Heard::default(), _directory: directory }
    }
}

pub(crate) struct Hall {
    pub(crate) store: Arc<Store>,
    pub(crate) log: Heard,
    _directory: TempDir,
}

/// A worker that was started. Dropped, it is gone at once, as if its machine had been switched off.
pub(crate) struct Started {
    stopper: Stopper,
    worker: JoinHandle<()>,
}

impl Drop for Started {
    fn drop(&mut self) {
        self.worker.abort();
    }
}

impl Started {
    pub(crate) async fn stop(self) {
        self.stop_and(|| {}).await;
    }

    /// Does `then` when the worker has been asked to stop.
    pub(crate) async fn stop_and(mut self, then: impl FnOnce()) {
        self.stopper.stop();
        then();
        (&mut self.worker).await.unwrap();
    }

    /// Gone in the middle of whatever it does.
    pub(crate) async fn kill(mut self) {
        self.worker.abort();
        assert!((&mut self.worker).await.unwrap_err().is_cancelled());
    }
}

impl Hall {
    pub(crate) async fn add(&self, tasks: impl IntoIterator<Item = Task>) {
        let new = |task| NewTask::new(task, impatient()).unwrap();
        let tasks: Vec<_> = tasks.into_iter().map(new).collect();
        self.store.add(&tasks, QueueLimit::Unlimited).await.unwrap();
    }

    pub(crate) fn start(&self, agent: &AgentConfig, replica: &str, handlers: &Scripted) -> Started {
        self.start_on(self.store.clone(), agent, replica, handlers)
    }

    pub(crate) fn start_with_locks(
        &self,
        agent: &AgentConfig,
        replica: &str,
        handlers: &Scripted,
        locks: Arc<impl TaskLocks + 'static>,
    ) -> Started {
        self.start_worker(self.store.clone(), agent, replica, handlers, locks)
    }

    pub(crate) fn start_on<S: TaskStore + 'static>(
        &self,
        store: Arc<S>,
        agent: &AgentConfig,
        replica: &str,
        handlers: &Scripted,
    ) -> Started {
        self.start_worker(store, agent, replica, handlers, Arc::new(NoLocks))
    }

    fn start_worker<S: TaskStore + 'static>(
        &self,
        store: Arc<S>,
        agent: &AgentConfig,
        replica: &str,
        handlers: &Scripted,
        locks: Arc<impl TaskLocks + 'static>,
    ) -> Started {
        let (stopper, stop) = stop::channel();
        let (agent, handlers, log) = (agent.clone(), handlers.clone(), self.log.clone());
        let replica = replica.to_owned();
        let worker = tokio::spawn(async move {
            run_agent(&*store, &agent, &replica, &handlers, &*locks, &log, stop).await;
        });
        Started { stopper, worker }
    }

    pub(crate) async fn get(&self, id: &str) -> StoredTask {
        self.store.get(&TaskId::parse(id).unwrap()).await.unwrap().unwrap()
    }

    /// The newest last.
    pub(crate) async fn all(&self) -> Vec<StoredTask> {
        let mut tasks = self.store.list(&TaskFilter::default(), None, 1000).await.unwrap().tasks;
        tasks.reverse();
        tasks
    }

    pub(crate) async fn of_kind(&self, kind: &str) -> Vec<StoredTask> {
        self.all().await.into_iter().filter(|stored| stored.task.kind == kind).collect()
    }

    /// What the last event of a task was and what was kept with it.
    pub(crate) async fn last_event(&self, id: &TaskId) -> (&'static str, Value) {
        let event = self.store.events(id).await.unwrap().pop().unwrap();
        (event.kind.as_str(), event.detail)
    }

    pub(crate) async fn until(&self, id: &str, status: TaskStatus) -> StoredTask {
        let begun = Instant::now();
        while begun.elapsed() < HANGS {
            let stored = self.get(id).await;
            if stored.task.status == status {
                return stored;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{id} is {:?}, not {status:?}\n{}", self.get(id).await.task.status, self.log.all());
    }

    /// Until the lease ends later than it did.
    pub(crate) async fn until_held_beyond(&self, id: &str, end: Timestamp) -> Timestamp {
        let begun = Instant::now();
        while begun.elapsed() < HANGS {
            if let Some(held) = self.get(id).await.held.filter(|held| held.until > end) {
                return held.until;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("the lease of {id} is not renewed\n{}", self.log.all());
    }

    /// Until nothing is pending or held any more.
    pub(crate) async fn quiet(&self) {
        let begun = Instant::now();
        while begun.elapsed() < HANGS {
            let open = [TaskStatus::Pending, TaskStatus::InProgress];
            if !self.all().await.iter().any(|stored| open.contains(&stored.task.status)) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("there is still work\n{}", self.log.all());
    }

    pub(crate) async fn hears(&self, part: &str) {
        let begun = Instant::now();
        while begun.elapsed() < HANGS {
            if self.log.holds(part) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("nobody said {part:?}:\n{}", self.log.all());
    }
}

/// Everything at once, and two retries.
pub(crate) fn impatient() -> Limits {
    let backoff = Backoff { first_seconds: 0, ..Backoff::default() };
    Limits { max_retries: 2, backoff, ..Limits::default() }
}

pub(crate) fn agent(id: &str) -> AgentConfig {
    let agents = Config::default().agents();
    let mut agent = agents.into_iter().find(|agent| agent.id == id).unwrap();
    agent.poll_interval = Duration::from_millis(50);
    agent.timeout = Duration::from_secs(120);
    agent.heartbeat_timeout = Duration::from_secs(120);
    agent.grace = Duration::from_millis(100);
    agent
}

pub(crate) fn task(id: &str, kind: &str, queue: &str) -> Task {
    let mut task = Task::new(TaskId::parse(id).unwrap(), kind, queue, "Review PR #456 - Add authentication");
    task.context = json!({
        "jira_key": "PROJ-123", "github_repo": "owner/repo", "pr_number": 456, "head_commit": "a1b2c3",
    })
    .as_object()
    .unwrap()
    .clone();
    task
}

pub(crate) fn done() -> Handled {
    Handled::Done { detail: Value::Null }
}
