//! How a worker holds and lets go.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use domain::cycle::{Backoff, Limits, TaskStatus};
use domain::ports::{Locked, TaskLocks, TaskStore};
use domain::tasks::{Held, NewTask, QueueLimit, TaskId};
use engine::worker::Handled;
use serde_json::json;
use tokio::sync::Notify;

use super::hall::{House, Scripted, Step, agent, done, impatient, task};

scenarios![
    a_handler_that_hangs_is_stopped_and_tried_again_until_it_fails,
    panics_and_failures_are_reasons_and_the_worker_goes_on,
    what_failed_once_is_tried_again_and_may_succeed,
    what_cannot_be_run_at_all_is_not_tried_again,
    a_task_is_tried_again_when_its_backoff_ends_and_not_at_the_next_poll,
    an_answer_that_does_not_fit_the_task_is_a_failure_that_says_so,
    a_lease_is_kept_alive_for_as_long_as_the_work_takes,
    a_lost_lease_stops_the_work_and_changes_nothing,
    a_worker_that_is_stopped_finishes_what_it_can_and_takes_nothing_more,
    what_a_stopped_worker_cannot_finish_in_time_it_gives_back_at_no_cost,
    a_paused_agent_takes_nothing_until_it_is_resumed,
    what_another_program_has_locked_is_left_to_it_and_other_work_done_meanwhile,
    a_lock_that_cannot_be_looked_at_does_not_stop_the_work,
    two_workers_on_one_queue_do_every_task_once,
    work_that_comes_is_taken_at_once_and_not_at_the_next_poll,
];

async fn a_handler_that_hangs_is_stopped_and_tried_again_until_it_fails(house: House) {
    let hall = house.hall().await;
    hall.add([task("i-1", "implementation", "engineer")]).await;
    let mut engineer = agent("engineer");
    engineer.timeout = Duration::from_millis(50);
    let handlers = Scripted::new(|_| Step::Hang);
    let worker = hall.start(&engineer, "engineer-1", &handlers);
    let failed = hall.until("i-1", TaskStatus::Failed).await;
    worker.stop().await;
    assert_eq!(handlers.begun().len(), 3);
    assert_eq!(failed.reason.as_deref(), Some("Execution failed after 2 retries: timed out after 0.05 s"));
}

async fn panics_and_failures_are_reasons_and_the_worker_goes_on(house: House) {
    let hall = house.hall().await;
    let kinds = [("i-1", "panics"), ("i-2", "fails"), ("i-3", "works")];
    hall.add(kinds.map(|(id, kind)| task(id, kind, "engineer"))).await;
    let handlers = Scripted::new(|task| match task.kind.as_str() {
        "panics" => Step::Panic,
        "fails" => Step::Give(Handled::Failed { reason: "no\u{1b}[2J compiler\nat all".into() }),
        _ => Step::Give(done()),
    });
    let worker = hall.start(&agent("engineer"), "engineer-1", &handlers);
    let panicked = hall.until("i-1", TaskStatus::Failed).await;
    let failed = hall.until("i-2", TaskStatus::Failed).await;
    hall.until("i-3", TaskStatus::Completed).await;
    worker.stop().await;
    assert!(panicked.reason.unwrap().ends_with("the handler panicked: out of ideas"));
    let reason = failed.reason.unwrap();
    assert!(reason.contains("compiler at all") && !reason.contains('\u{1b}'), "{reason}");
    assert!(hall.log.holds("ERROR [engineer-1] [PROJ-123] Fails failed: "), "{}", hall.log.all());
}

async fn what_failed_once_is_tried_again_and_may_succeed(house: House) {
    let hall = house.hall().await;
    hall.add([task("i-1", "implementation", "engineer")]).await;
    let first = AtomicBool::new(true);
    let handlers = Scripted::new(move |_| match first.swap(false, Ordering::SeqCst) {
        true => Step::Give(Handled::Failed { reason: "no compiler".into() }),
        false => Step::Give(done()),
    });
    let worker = hall.start(&agent("engineer"), "engineer-1", &handlers);
    hall.until("i-1", TaskStatus::Completed).await;
    worker.stop().await;
    assert_eq!(handlers.begun(), ["i-1", "i-1"]);
    assert!(hall.log.holds("did not work out, waiting 0 s, retry 1 of 2: no compiler"), "{}", hall.log.all());
}

async fn what_cannot_be_run_at_all_is_not_tried_again(house: House) {
    let hall = house.hall().await;
    hall.add([task("i-1", "implementation", "engineer")]).await;
    let handlers = Scripted::new(|_| Step::Give(Handled::CannotRun { reason: "no compiler".into() }));
    let worker = hall.start(&agent("engineer"), "engineer-1", &handlers);
    let failed = hall.until("i-1", TaskStatus::Failed).await;
    worker.stop().await;
    assert_eq!(handlers.begun(), ["i-1"]);
    let expected = "Execution failed, and another try would end the same way: no compiler";
    assert_eq!(failed.reason.as_deref(), Some(expected));
}

async fn a_task_is_tried_again_when_its_backoff_ends_and_not_at_the_next_poll(house: House) {
    let hall = house.hall().await;
    let backoff = Backoff { first_seconds: 1, ..Backoff::default() };
    let new = NewTask::new(task("i-1", "implementation", "engineer"), Limits { backoff, ..impatient() });
    hall.store.add(&[new.unwrap()], QueueLimit::Unlimited).await.unwrap();
    let mut engineer = agent("engineer");
    engineer.poll_interval = Duration::from_secs(3600);
    let first = AtomicBool::new(true);
    let handlers = Scripted::new(move |_| match first.swap(false, Ordering::SeqCst) {
        true => Step::Give(Handled::Failed { reason: "no compiler".into() }),
        false => Step::Give(done()),
    });
    // Who waits learns of it as well as who failed.
    let [one, other] = ["engineer-1", "engineer-2"].map(|name| hall.start(&engineer, name, &handlers));
    hall.hears("did not work out").await;
    one.stop().await;
    hall.until("i-1", TaskStatus::Completed).await;
    other.stop().await;
    assert_eq!(handlers.begun().len(), 2);
}

#[tokio::test]
async fn a_worker_whose_stopper_is_gone_stops() {
    let (stopper, stop) = engine::stop::channel();
    assert!(!stop.is_requested());
    drop(stopper);
    assert!(stop.is_requested());
    tokio::time::timeout(Duration::from_secs(60), stop.requested()).await.unwrap();
}

async fn an_answer_that_does_not_fit_the_task_is_a_failure_that_says_so(house: House) {
    let hall = house.hall().await;
    hall.add([task("r-1", "review", "qa")]).await;
    let worker = hall.start(&agent("qa"), "qa-1", &Scripted::new(|_| Step::Give(done())));
    let failed = hall.until("r-1", TaskStatus::Failed).await;
    worker.stop().await;
    assert!(failed.reason.unwrap().contains("submit"), "{}", hall.log.all());
}

async fn a_lease_is_kept_alive_for_as_long_as_the_work_takes(house: House) {
    let hall = house.hall().await;
    hall.add([task("i-1", "implementation", "engineer")]).await;
    let mut engineer = agent("engineer");
    engineer.heartbeat_timeout = Duration::from_millis(600);
    let told = Arc::new(Notify::new());
    let gate = told.clone();
    let handlers = Scripted::new(move |_| Step::WhenTold(gate.clone(), done()));
    let worker = hall.start(&engineer, "engineer-1", &handlers);
    let mut ends = hall.until("i-1", TaskStatus::InProgress).await.held.unwrap().until;
    for _ in 0..3 {
        ends = hall.until_held_beyond("i-1", ends).await;
    }
    told.notify_one();
    hall.until("i-1", TaskStatus::Completed).await;
    worker.stop().await;
    assert_eq!(handlers.begun().len(), 1);
}

async fn a_lost_lease_stops_the_work_and_changes_nothing(house: House) {
    let hall = house.hall().await;
    hall.add([task("f-1", "fix", "engineer")]).await;
    let mut engineer = agent("engineer");
    engineer.heartbeat_timeout = Duration::from_millis(150);
    let worker = hall.start(&engineer, "engineer-1", &Scripted::new(|_| Step::Hang));
    hall.until("f-1", TaskStatus::InProgress).await;
    hall.store.cancel(&TaskId::parse("f-1").unwrap(), "ann").await.unwrap();
    hall.hears("WARNING [engineer-1] [PROJ-123] The task is no longer ours").await;
    worker.stop().await;
    assert_eq!(hall.get("f-1").await.task.status, TaskStatus::Cancelled);
    assert_eq!(hall.all().await.len(), 1);
}

async fn a_worker_that_is_stopped_finishes_what_it_can_and_takes_nothing_more(house: House) {
    let hall = house.hall().await;
    hall.add(["i-1", "i-2"].map(|id| task(id, "implementation", "engineer"))).await;
    let mut engineer = agent("engineer");
    engineer.grace = Duration::from_secs(120);
    let told = Arc::new(Notify::new());
    let gate = told.clone();
    let handlers = Scripted::new(move |_| Step::WhenTold(gate.clone(), done()));
    let worker = hall.start(&engineer, "engineer-1", &handlers);
    hall.until("i-1", TaskStatus::InProgress).await;
    worker.stop_and(|| told.notify_one()).await;
    assert_eq!(hall.get("i-1").await.task.status, TaskStatus::Completed);
    assert_eq!(hall.get("i-2").await.task.status, TaskStatus::Pending);
}

async fn what_a_stopped_worker_cannot_finish_in_time_it_gives_back_at_no_cost(house: House) {
    let hall = house.hall().await;
    hall.add([task("i-1", "implementation", "engineer")]).await;
    let worker = hall.start(&agent("engineer"), "engineer-1", &Scripted::new(|_| Step::Hang));
    hall.until("i-1", TaskStatus::InProgress).await;
    worker.stop().await;
    let given_back = hall.get("i-1").await;
    assert_eq!((given_back.task.status, given_back.task.retry_count), (TaskStatus::Pending, 0));
    assert_eq!(hall.last_event(&given_back.task.id).await.0, "released");
    assert!(hall.log.holds("Gave the task back [i-1]"), "{}", hall.log.all());
}

async fn a_paused_agent_takes_nothing_until_it_is_resumed(house: House) {
    for name in ["engineer", "crew", "engineer-1"] {
        let hall = house.hall().await;
        let mut engineer = agent("engineer");
        engineer.queue = "crew".into();
        hall.store.pause(name, "ann").await.unwrap();
        hall.add([task("i-1", "implementation", "crew")]).await;
        let handlers = Scripted::new(|_| Step::Give(done()));
        let worker = hall.start(&engineer, "engineer-1", &handlers);
        hall.hears("Agent engineer paused").await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert_eq!(handlers.begun(), Vec::<String>::new());
        hall.store.resume(name, "ann").await.unwrap();
        hall.until("i-1", TaskStatus::Completed).await;
        worker.stop().await;
        assert!(hall.log.holds("Agent engineer resumed"));
    }
}

/// Another program, which has locked one task until it says otherwise.
struct Stranger {
    has: AtomicBool,
}

impl TaskLocks for Stranger {
    fn acquire(&self, task: &TaskId, held: &Held) -> Locked {
        assert_eq!(held.holder, "engineer-1");
        match task.as_str() == "i-1" && self.has.load(Ordering::SeqCst) {
            true => Locked::Foreign,
            false => Locked::Ours,
        }
    }
}

async fn what_another_program_has_locked_is_left_to_it_and_other_work_done_meanwhile(house: House) {
    let hall = house.hall().await;
    hall.add(["i-1", "i-2"].map(|id| task(id, "implementation", "engineer"))).await;
    let stranger = Arc::new(Stranger { has: AtomicBool::new(true) });
    let handlers = Scripted::new(|_| Step::Give(done()));
    let worker = hall.start_with_locks(&agent("engineer"), "engineer-1", &handlers, stranger.clone());
    hall.hears("Locked by another program; looking again in 0.05s [i-1]").await;
    hall.until("i-2", TaskStatus::Completed).await;
    assert_eq!(handlers.begun(), ["i-2"]);
    stranger.has.store(false, Ordering::SeqCst);
    let finished = hall.until("i-1", TaskStatus::Completed).await;
    worker.stop().await;
    assert_eq!((finished.task.retry_count, handlers.begun().len()), (0, 2));
    let events = hall.store.events(&finished.task.id).await.unwrap();
    assert_eq!(events[2].kind.as_str(), "released");
    assert_eq!(events[2].detail, json!({"reason": "another program has locked it"}));
}

async fn a_lock_that_cannot_be_looked_at_does_not_stop_the_work(house: House) {
    struct Broken;
    impl TaskLocks for Broken {
        fn acquire(&self, _: &TaskId, _: &Held) -> Locked {
            Locked::Unknown { reason: "the disk is full".into() }
        }
    }
    let hall = house.hall().await;
    hall.add([task("i-1", "implementation", "engineer")]).await;
    let handlers = Scripted::new(|_| Step::Give(done()));
    let worker = hall.start_with_locks(&agent("engineer"), "engineer-1", &handlers, Arc::new(Broken));
    hall.until("i-1", TaskStatus::Completed).await;
    worker.stop().await;
    assert!(hall.log.holds("WARNING [engineer-1] [PROJ-123] Whether another program has locked the task"));
}

async fn two_workers_on_one_queue_do_every_task_once(house: House) {
    let hall = house.hall().await;
    let ids: Vec<String> = (0..40).map(|number| format!("i-{number}")).collect();
    hall.add(ids.iter().map(|id| task(id, "implementation", "engineer"))).await;
    let handlers = Scripted::new(|_| Step::After(Duration::from_millis(2), done()));
    let engineer = agent("engineer");
    let workers: Vec<_> = engineer.replicas(2).map(|name| hall.start(&engineer, &name, &handlers)).collect();
    hall.quiet().await;
    for worker in workers {
        worker.stop().await;
    }
    let begun = handlers.begun();
    assert_eq!(begun.len(), 40);
    assert_eq!(begun.into_iter().collect::<BTreeSet<_>>(), ids.into_iter().collect());
    assert!(hall.all().await.iter().all(|stored| stored.task.status == TaskStatus::Completed));
}

async fn work_that_comes_is_taken_at_once_and_not_at_the_next_poll(house: House) {
    let hall = house.hall().await;
    let mut engineer = agent("engineer");
    engineer.poll_interval = Duration::from_secs(3600);
    let worker = hall.start(&engineer, "engineer-1", &Scripted::new(|_| Step::Give(done())));
    hall.hears("Polling queue: engineer").await;
    hall.add([task("i-1", "implementation", "engineer")]).await;
    hall.until("i-1", TaskStatus::Completed).await;
    worker.stop().await;
}
