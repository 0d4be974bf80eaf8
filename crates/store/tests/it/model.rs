//! Random operations on the store and on the simplest thing that could be one, step by step.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

use domain::cycle::Limits;
use domain::ports::TaskStore;
use domain::tasks::{Finish, Lease, NewTask, Outcome, QueueLimit, Task, TaskFilter, TaskId};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use store::Store;

use crate::place::*;

const MAX_RETRIES: u32 = 2;

#[derive(Debug, Clone)]
enum Step {
    Add { number: u8, priority: u8, after: Vec<u8> },
    Claim { expires: bool },
    Heartbeat { lease: usize },
    Finish { lease: usize, how: How },
    Expire,
    Cancel { number: u8 },
    Retry { number: u8 },
    Pause,
    Resume,
}

#[derive(Debug, Clone, Copy)]
enum How {
    Complete,
    Release,
    FailNow,
    FailAndWait,
}

fn step() -> impl Strategy<Value = Step> {
    let how =
        prop_oneof![Just(How::Complete), Just(How::Release), Just(How::FailNow), Just(How::FailAndWait)];
    prop_oneof![
        4 => (0..8u8, 1..4u8, prop::collection::btree_set(0..8u8, 0..3)).prop_map(|(number, priority, after)| {
            Step::Add { number, priority, after: after.into_iter().collect() }
        }),
        6 => any::<bool>().prop_map(|expires| Step::Claim { expires }),
        1 => (0..6usize).prop_map(|lease| Step::Heartbeat { lease }),
        6 => (0..6usize, how).prop_map(|(lease, how)| Step::Finish { lease, how }),
        2 => Just(Step::Expire),
        1 => (0..8u8).prop_map(|number| Step::Cancel { number }),
        2 => (0..8u8).prop_map(|number| Step::Retry { number }),
        1 => Just(Step::Pause),
        2 => Just(Step::Resume),
    ]
}

#[derive(Debug, Clone)]
struct Known {
    order: usize,
    priority: u8,
    after: Vec<u8>,
    status: &'static str,
    retries: u32,
    waits: bool,
    token: i64,
    expired: bool,
}

#[derive(Debug, Default)]
struct Model {
    tasks: BTreeMap<u8, Known>,
    paused: bool,
}

impl Model {
    fn add(&mut self, number: u8, priority: u8, after: &[u8]) -> bool {
        let fits = !self.tasks.contains_key(&number) && after.iter().all(|n| self.tasks.contains_key(n));
        if fits {
            let known = Known {
                order: self.tasks.len(),
                priority,
                after: after.to_vec(),
                status: "pending",
                retries: 0,
                waits: false,
                token: 0,
                expired: false,
            };
            self.tasks.insert(number, known);
        }
        fits
    }

    fn claim(&mut self, expires: bool) -> Option<(u8, i64)> {
        let completed = |number: &u8| self.tasks[number].status == "completed";
        let may_run = |known: &Known| {
            known.status == "pending" && !known.waits && !self.paused && known.after.iter().all(completed)
        };
        let (number, _) = self
            .tasks
            .iter()
            .filter(|(_, known)| may_run(known))
            .min_by_key(|(_, k)| (k.priority, k.order))?;
        let number = *number;
        let known = self.tasks.get_mut(&number)?;
        (known.status, known.token, known.expired) = ("in_progress", known.token + 1, expires);
        Some((number, known.token))
    }

    fn held(&mut self, number: u8, token: i64) -> Option<&mut Known> {
        self.tasks.get_mut(&number).filter(|known| known.status == "in_progress" && known.token == token)
    }

    fn expire(&mut self) -> usize {
        let overdue = self.tasks.values_mut().filter(|known| known.status == "in_progress" && known.expired);
        overdue.map(|known| known.fail(false)).count()
    }
}

impl Known {
    fn fail(&mut self, waits: bool) {
        if self.retries == MAX_RETRIES {
            (self.status, self.waits) = ("failed", false);
        } else {
            (self.status, self.waits, self.retries) = ("pending", waits, self.retries + 1);
        }
    }

    fn finish(&mut self, how: How) {
        match how {
            How::Complete => (self.status, self.retries) = ("completed", 0),
            How::Release => self.status = "pending",
            How::FailNow => self.fail(false),
            How::FailAndWait => self.fail(true),
        }
    }
}

/// One case, with names of its own so that all cases can share a store.
struct Case {
    store: Store,
    agent: String,
    model: Model,
    leases: Vec<(u8, Lease)>,
}

impl Case {
    fn id(&self, number: u8) -> TaskId {
        id(&format!("{}.{number}", self.agent))
    }

    async fn take(&mut self, step: &Step) {
        match step {
            Step::Add { number, priority, after } => {
                let depends_on = after.iter().map(|number| self.id(*number)).collect();
                let task = Task::new(self.id(*number), "implementation", &self.agent, "T");
                let task = Task { priority: *priority, depends_on, ..task };
                let limits = Limits { max_retries: MAX_RETRIES, ..Limits::default() };
                let new = NewTask::new(task, limits).unwrap();
                let added = self.store.add(&[new], QueueLimit::Unlimited).await;
                assert_eq!(added.is_ok(), self.model.add(*number, *priority, after), "{added:?}");
            }
            Step::Claim { expires } => {
                let length = if *expires { NONE } else { LONG };
                let claimed = self.store.claim(&[&self.agent], "holder", length).await.unwrap();
                let expected = self.model.claim(*expires);
                let got = claimed.as_ref().map(|(_, lease)| (lease.task().clone(), lease.token()));
                assert_eq!(got, expected.map(|(number, token)| (self.id(number), token)));
                self.leases.extend(expected.zip(claimed).map(|((number, _), (_, lease))| (number, lease)));
            }
            Step::Heartbeat { lease } => {
                let Some((number, lease)) = self.leases.get(*lease) else { return };
                let answer = self.store.heartbeat(lease, LONG).await;
                let held = self.model.held(*number, lease.token());
                assert_eq!(answer.is_ok(), held.is_some());
                if let Some(known) = held {
                    known.expired = false;
                }
            }
            Step::Finish { lease, how } => self.finish(*lease, *how).await,
            Step::Expire => {
                let freed = self.store.expire(10_000).await.unwrap();
                let prefix = format!("{}.", self.agent);
                let ours = freed.iter().filter(|expired| expired.task.as_str().starts_with(&prefix)).count();
                assert_eq!(ours, self.model.expire());
            }
            Step::Cancel { number } => {
                let done = self.store.cancel(&self.id(*number), "mia").await.is_ok();
                let known = self.model.tasks.get_mut(number);
                let known = known.filter(|known| ["pending", "in_progress"].contains(&known.status));
                assert_eq!(done, known.is_some());
                if let Some(known) = known {
                    known.status = "cancelled";
                }
            }
            Step::Retry { number } => {
                let done = self.store.retry(&self.id(*number), "mia").await.is_ok();
                let known = self.model.tasks.get_mut(number).filter(|known| known.status == "failed");
                assert_eq!(done, known.is_some());
                if let Some(known) = known {
                    (known.status, known.retries, known.waits) = ("pending", 0, false);
                }
            }
            Step::Pause => {
                self.store.pause(&self.agent, "mia").await.unwrap();
                self.model.paused = true;
            }
            Step::Resume => {
                self.store.resume(&self.agent, "mia").await.unwrap();
                self.model.paused = false;
            }
        }
    }

    async fn finish(&mut self, lease: usize, how: How) {
        let Some((number, lease)) = self.leases.get(lease) else { return };
        let failed = |wait| Outcome::Failed { reason: "x".to_owned(), retry_after: Some(wait) };
        let outcome = match how {
            How::Complete => Outcome::Completed,
            How::Release => Outcome::Released,
            How::FailNow => failed(NONE),
            How::FailAndWait => failed(LONG),
        };
        let answer = self.store.finish(lease, &Finish::from(outcome)).await;
        let held = self.model.held(*number, lease.token());
        assert_eq!(answer.is_ok(), held.is_some(), "{answer:?}");
        if let Some(known) = held {
            known.finish(how);
        }
    }

    async fn compare(&self) {
        let filter = TaskFilter { agent: Some(self.agent.clone()), status: None };
        let stored = self.store.list(&filter, None, 100).await.unwrap().tasks;
        let got: BTreeMap<_, _> = stored
            .iter()
            .map(|s| (s.task.id.clone(), (s.task.status.as_str(), s.task.retry_count)))
            .collect();
        let expected: BTreeMap<_, _> =
            self.model.tasks.iter().map(|(number, k)| (self.id(*number), (k.status, k.retries))).collect();
        assert_eq!(got, expected);
    }
}

fn compare_with_model(place: &Place, runtime: &tokio::runtime::Runtime, cases: u32) {
    static CASES: AtomicU32 = AtomicU32::new(0);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let steps = prop::collection::vec(step(), 1..60);
    let answer = TestRunner::new(config).run(&steps, |steps| {
        let agent = format!("case{}", CASES.fetch_add(1, Ordering::Relaxed));
        let mut case =
            Case { store: place.store.clone(), agent, model: Model::default(), leases: Vec::new() };
        runtime.block_on(async {
            for step in &steps {
                case.take(step).await;
                case.compare().await;
            }
        });
        Ok(())
    });
    answer.unwrap();
}

#[test]
fn sqlite_behaves_like_the_model() {
    let runtime = runtime();
    let place = runtime.block_on(Place::sqlite());
    compare_with_model(&place, &runtime, 48);
}

#[test]
fn postgres_behaves_like_the_model() {
    let Some(postgres) = Postgres::find() else { return };
    let runtime = runtime();
    let place = runtime.block_on(async { Place::postgres(postgres.fresh_database().await).await });
    compare_with_model(&place, &runtime, 48);
}
