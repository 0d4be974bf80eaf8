use std::str::FromStr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use domain::cycle::Limits;
use domain::ports::{StoreError, TaskStore};
use domain::tasks::{Finish, Lease, NewTask, Outcome, QueueLimit, Refusal, StoredTask, Task, TaskId};
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, Connection, PgConnection, SqliteConnection};
use store::Store;
use tempfile::TempDir;
use testkit::postgres::{Server, VARIABLE};

pub(crate) const LONG: Duration = Duration::from_secs(3600);
pub(crate) const NONE: Duration = Duration::ZERO;
/// Whoever takes longer hangs, however busy the machine is.
pub(crate) const HANGS: Duration = Duration::from_secs(60);

/// Makes a SQLite test of every scenario, and a list of them for PostgreSQL.
macro_rules! scenarios {
    ($($name:ident),+ $(,)?) => {
        pub(crate) fn all() -> Vec<crate::place::Scenario> {
            vec![$((stringify!($name), |place| Box::pin($name(place)))),+]
        }

        mod on_sqlite {
            $(#[test]
            fn $name() {
                crate::place::on_sqlite(super::$name);
            })+
        }
    };
}

pub(crate) type Scenario = (&'static str, fn(Place) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send>>);

/// An empty store.
pub(crate) struct Place {
    pub(crate) store: Store,
    pub(crate) url: String,
    _folder: Option<TempDir>,
}

pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap()
}

pub(crate) fn on_sqlite<F: Future<Output = ()>>(scenario: impl FnOnce(Place) -> F) {
    runtime().block_on(async { scenario(Place::sqlite().await).await });
}

impl Place {
    pub(crate) async fn sqlite() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("store.db").display());
        Place { store: Store::open(&url).await.unwrap(), url, _folder: Some(folder) }
    }

    pub(crate) async fn postgres(url: String) -> Place {
        Place { store: Store::open(&url).await.unwrap(), url, _folder: None }
    }

    /// Another process on the same store, as far as the store can tell.
    pub(crate) async fn neighbour(&self) -> Store {
        Store::open(&self.url).await.unwrap()
    }

    /// Straight to the engine, for what no caller of the store can do: turn back its clock.
    pub(crate) async fn execute(&self, sql: &'static str) {
        if self.url.starts_with("sqlite:") {
            let mut connection = SqliteConnection::connect(&self.url).await.unwrap();
            sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
        } else {
            // As a pooler wants it.
            let options = PgConnectOptions::from_str(&self.url).unwrap().extra_float_digits(None);
            let mut connection = PgConnection::connect_with(&options).await.unwrap();
            sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
        }
    }

    pub(crate) async fn add(&self, task: Task) {
        self.try_add(task).await.unwrap();
    }

    pub(crate) async fn try_add(&self, task: Task) -> Result<(), StoreError> {
        self.store.add(&[new(task)], QueueLimit::Unlimited).await.map(|_| ())
    }

    pub(crate) async fn claim(&self) -> Option<(StoredTask, Lease)> {
        self.store.claim(&["qa"], "qa-1", LONG).await.unwrap()
    }

    /// The next one, which must be there.
    pub(crate) async fn take(&self) -> Lease {
        self.claim().await.expect("a task to claim").1
    }

    pub(crate) async fn finish(&self, lease: &Lease, outcome: Outcome) {
        self.store.finish(lease, &Finish::from(outcome)).await.unwrap();
    }

    pub(crate) async fn stored(&self, name: &str) -> StoredTask {
        self.store.get(&id(name)).await.unwrap().expect("a stored task")
    }

    pub(crate) async fn status(&self, name: &str) -> &'static str {
        self.stored(name).await.task.status.as_str()
    }

    /// Names of the events of a task.
    pub(crate) async fn story(&self, name: &str) -> Vec<&'static str> {
        let events = self.store.events(&id(name)).await.unwrap();
        events.iter().map(|event| event.kind.as_str()).collect()
    }
}

/// A server for as long as a test needs it; nothing where PostgreSQL cannot be had.
pub(crate) enum Postgres {
    Ours(Server),
    Given(String),
}

impl Postgres {
    pub(crate) fn find() -> Option<Postgres> {
        if let Ok(url) = std::env::var(VARIABLE) {
            return Some(Postgres::Given(url));
        }
        Server::start().map(Postgres::Ours)
    }

    pub(crate) async fn fresh_database(&self) -> String {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let url = match self {
            Postgres::Ours(server) => server.url(),
            Postgres::Given(url) => url.clone(),
        };
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("countersign_test_{}_{number}", std::process::id());
        let mut connection = PgConnection::connect(&url).await.unwrap();
        let sql = AssertSqlSafe(format!("CREATE DATABASE {name}"));
        sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
        let (server, _) = url.rsplit_once('/').unwrap();
        format!("{server}/{name}")
    }
}

/// Only keeps a test from hanging.
pub(crate) async fn within_a_minute<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), future).await.expect("an end within a minute")
}

pub(crate) fn id(name: &str) -> TaskId {
    TaskId::parse(name).unwrap()
}

pub(crate) fn task(name: &str) -> Task {
    Task::new(id(name), "implementation", "qa", "Do it")
}

pub(crate) fn task_after(name: &str, dependencies: &[&str]) -> Task {
    Task { depends_on: dependencies.iter().map(|name| id(name)).collect(), ..task(name) }
}

pub(crate) fn new(task: Task) -> NewTask {
    NewTask::new(task, Limits::default()).unwrap()
}

/// One that fails for good when it fails.
pub(crate) fn fragile(task: Task) -> NewTask {
    NewTask::new(task, Limits { max_retries: 0, ..Limits::default() }).unwrap()
}

pub(crate) fn crash() -> Outcome {
    Outcome::Failed { reason: "it broke".to_owned(), retry_after: Some(NONE) }
}

pub(crate) fn refusal<T: std::fmt::Debug>(result: Result<T, StoreError>) -> Refusal {
    match result {
        Err(StoreError::Refused(refusal)) => refusal,
        other => panic!("not refused: {other:?}"),
    }
}

pub(crate) fn is_stale<T: std::fmt::Debug>(result: Result<T, StoreError>) -> bool {
    matches!(refusal(result), Refusal::StaleLease { .. })
}
