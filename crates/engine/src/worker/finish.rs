use std::time::Duration;

use domain::cycle::{self, Cycle, Effect, ReviewMark, TaskStatus};
use domain::ports::{ActivityLog, StoreError, TaskLocks, TaskStore};
use domain::tasks::{Finish, Invalid, Lease, NewTask, Outcome, Refusal, Settled, StoredTask, settle};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::conclude::{Conclusion, Judgement};
use super::follow_up::{Origin, chance, fix_task, history, next_review_task};
use super::handler::{Handled, Handlers};
use super::run::Worker;
use crate::kept::KeptReview;
use crate::lines;

/// When a task that another program has locked is looked at again.
const LOCKED_WAIT: Duration = Duration::from_secs(5);
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

impl<S: TaskStore, H: Handlers, K: TaskLocks, L: ActivityLog> Worker<'_, S, H, K, L> {
    /// Stores what came of the work. A conclusion that the store does not take becomes a failure that says so.
    pub(super) async fn finish(&self, stored: &StoredTask, lease: &Lease, handled: Handled, begun: Instant) {
        let conclusion = Conclusion::of(handled, self.replica);
        match self.conclude(stored, lease, &conclusion).await {
            Ok(concluded) => self.tell(stored, &conclusion, &concluded, begun),
            Err(StoreError::Refused(refusal)) if !is_lost(&refusal) => {
                let failure = Conclusion::Failed { reason: refusal.to_string() };
                match self.conclude(stored, lease, &failure).await {
                    Ok(concluded) => self.tell(stored, &failure, &concluded, begun),
                    Err(error) => self.tell_trouble(stored, &error),
                }
            }
            Err(error) => self.tell_trouble(stored, &error),
        }
    }

    pub(super) async fn give_back(&self, stored: &StoredTask, lease: &Lease) {
        match self.conclude(stored, lease, &Conclusion::GivenBack).await {
            Ok(concluded) => self.tell(stored, &Conclusion::GivenBack, &concluded, Instant::now()),
            Err(error) => self.tell_trouble(stored, &error),
        }
    }

    /// Gives back what another program has locked, so that there is time for other work.
    pub(super) async fn postpone(&self, stored: &StoredTask, lease: &Lease) {
        let postponed = Conclusion::LockedByOthers { wait: LOCKED_WAIT.min(self.agent.poll_interval) };
        match self.conclude(stored, lease, &postponed).await {
            Ok(concluded) => self.tell(stored, &postponed, &concluded, Instant::now()),
            Err(error) => self.tell_trouble(stored, &error),
        }
    }

    /// Asks a store that does not answer again, for as long as the lease may last or, once the worker is to
    /// stop, for as long as its grace. If an answer was lost the store says that the lease is stale, and has
    /// everything.
    async fn conclude(
        &self,
        stored: &StoredTask,
        lease: &Lease,
        conclusion: &Conclusion,
    ) -> Result<Settled, StoreError> {
        let begun = Instant::now();
        let mut pause = FIRST_PAUSE;
        loop {
            let patience =
                if self.stop.is_requested() { self.agent.grace } else { self.agent.heartbeat_timeout };
            match self.try_to_conclude(stored, lease, conclusion).await {
                Err(StoreError::Unavailable { .. }) if begun.elapsed() < patience => {
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                answer => return answer,
            }
        }
    }

    async fn try_to_conclude(
        &self,
        stored: &StoredTask,
        lease: &Lease,
        conclusion: &Conclusion,
    ) -> Result<Settled, StoreError> {
        let origin = Origin { by: self.replica, at: self.store.now().await? };
        let (finish, settled) = finish_of(stored, conclusion, origin)?;
        self.store.finish(lease, &finish).await?;
        Ok(settled)
    }

    fn tell(&self, stored: &StoredTask, conclusion: &Conclusion, settled: &Settled, begun: Instant) {
        let (agent, task) = (&self.agent.id, &stored.task);
        let tried_again = |reason: &str| self.say(lines::tried_again(agent, stored, reason, settled));
        let mark = |mark, feedback: &str| self.say(lines::reviewed(agent, mark, stored, feedback));
        match (conclusion, settled.status()) {
            (Conclusion::Judged(judgement), TaskStatus::Completed) => {
                mark(mark_of(&judgement.outcome), &judgement.summary());
                self.say(lines::completed(agent, task, begun.elapsed()));
            }
            (Conclusion::Judged(judgement), TaskStatus::Escalated) => {
                mark(ReviewMark::Escalation, &judgement.summary());
            }
            (Conclusion::Judged(judgement), _) => tried_again(&judgement.summary()),
            (Conclusion::Done { .. }, _) => {
                self.say(lines::completed(agent, task, begun.elapsed()));
            }
            (Conclusion::LockedByOthers { wait }, _) => {
                self.say(lines::locked(agent, task, *wait));
            }
            (Conclusion::Postponed { reason, wait }, _) => {
                self.say(lines::postponed(agent, task, reason, *wait));
            }
            (Conclusion::GivenBack, _) => self.say(lines::given_back(agent, task)),
            (Conclusion::Failed { reason }, TaskStatus::Failed) | (Conclusion::CannotRun { reason }, _) => {
                self.say(lines::failed(agent, task, reason));
            }
            (Conclusion::Failed { reason }, _) => tried_again(reason),
        }
    }

    fn tell_trouble(&self, stored: &StoredTask, error: &StoreError) {
        let line = match error {
            StoreError::Refused(refusal) if is_lost(refusal) => lines::too_late(&self.agent.id, &stored.task),
            error => lines::left_to_watchdog(&self.agent.id, &stored.task, error),
        };
        self.say(line);
    }
}

/// Everything that the finishing transaction stores, the tasks that follow included, and where the task goes by it.
fn finish_of(
    stored: &StoredTask,
    conclusion: &Conclusion,
    origin: Origin<'_>,
) -> Result<(Finish, Settled), Refusal> {
    let (outcome, detail) = match conclusion {
        Conclusion::Done { detail } => (Outcome::Completed, detail.clone()),
        Conclusion::Judged(judgement) => {
            (Outcome::Reviewed(judgement.outcome.clone()), told(stored, judgement))
        }
        Conclusion::LockedByOthers { wait } => {
            let reason = "another program has locked it".to_owned();
            (Outcome::Postponed { reason, wait: *wait }, Value::Null)
        }
        Conclusion::Postponed { reason, wait } => {
            (Outcome::Postponed { reason: reason.clone(), wait: *wait }, Value::Null)
        }
        Conclusion::CannotRun { reason } => (Outcome::CannotRun { reason: reason.clone() }, Value::Null),
        Conclusion::GivenBack => (Outcome::Released, Value::Null),
        Conclusion::Failed { reason } => {
            let retry_after = Some(retry_wait(&stored.cycle, chance()));
            (Outcome::Failed { reason: reason.clone(), retry_after }, Value::Null)
        }
    };
    let settled = settle(&stored.cycle, &outcome)?;
    let follow_ups =
        settled.effects.iter().filter_map(|effect| follow_up(effect, stored, conclusion, origin));
    let follow_ups = follow_ups.collect::<Result<Vec<NewTask>, Invalid>>()?;
    Ok((Finish { outcome, follow_ups, detail }, settled))
}

/// Of a transition's effects, those that are tasks. The store performs the others by storing the state.
fn follow_up(
    effect: &Effect,
    stored: &StoredTask,
    conclusion: &Conclusion,
    origin: Origin<'_>,
) -> Option<Result<NewTask, Invalid>> {
    match (effect, conclusion) {
        (Effect::QueueFixTask { chain }, Conclusion::Judged(judgement)) => {
            Some(fix_task(stored, judgement, *chain, origin))
        }
        (Effect::QueueReviewTask { chain }, Conclusion::Done { detail }) => {
            Some(next_review_task(stored, detail, *chain, origin))
        }
        _ => None,
    }
}

/// Kept with the event of every review: what was found now and in the reviews before. For an escalated task
/// this is the story its human reads.
fn told(stored: &StoredTask, judgement: &Judgement) -> Value {
    let mut told = json!({
        "structured_findings": judgement.findings,
        "review_history": history(stored, judgement),
    });
    if let Some(kept) = &judgement.kept {
        told[KeptReview::KEY] = json!(kept);
    }
    told
}

fn mark_of(outcome: &cycle::Outcome) -> ReviewMark {
    match outcome {
        cycle::Outcome::Passed => ReviewMark::Approved,
        cycle::Outcome::Accepted
        | cycle::Outcome::Rejected
        | cycle::Outcome::Stuck { .. }
        | cycle::Outcome::Inconclusive { .. } => ReviewMark::Rejected,
    }
}

/// The wait of the task's own backoff, a little less at random so that what failed together does not come
/// back together.
fn retry_wait(cycle: &Cycle, chance: u64) -> Duration {
    let seconds = cycle.limits().backoff.delay_seconds(cycle.retry_count());
    Duration::from_millis(u64::from(seconds) * (750 + chance % 251))
}

fn is_lost(refusal: &Refusal) -> bool {
    match refusal {
        Refusal::StaleLease { .. } | Refusal::NotFound(_) => true,
        Refusal::Duplicate(_)
        | Refusal::QueueFull { .. }
        | Refusal::UnknownDependency { .. }
        | Refusal::DependencyCycle(_)
        | Refusal::Illegal(_)
        | Refusal::Invalid(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::cycle::{Backoff, Chain, Event, Limits, TaskKind};

    #[test]
    fn waits_double_from_half_a_minute_to_four_minutes_with_jitter() {
        let mut cycle = Cycle::task(TaskKind::Other, Limits::default(), Chain::FIRST).unwrap();
        let mut longest = vec![];
        for _ in 0..5 {
            longest.push(retry_wait(&cycle, 250).as_secs());
            assert_eq!(retry_wait(&cycle, 0), retry_wait(&cycle, 250).mul_f64(0.75));
            let crash = Event::ExecutionFailed { reason: "x".into() };
            cycle = domain::cycle::replay(cycle, &[Event::Start, crash]).unwrap();
        }
        assert_eq!(longest, [30, 60, 120, 240, 240]);
    }

    #[test]
    fn the_longest_wait_is_what_the_limits_say() {
        let backoff = Backoff { first_seconds: 200, ceiling_seconds: 500 };
        let limits = Limits { backoff, ..Limits::default() };
        let mut cycle = Cycle::task(TaskKind::Other, limits, Chain::FIRST).unwrap();
        for expected in [200, 400, 500] {
            assert_eq!(retry_wait(&cycle, 250).as_secs(), expected);
            let crash = Event::ExecutionFailed { reason: "x".into() };
            cycle = domain::cycle::replay(cycle, &[Event::Start, crash]).unwrap();
        }
    }
}
