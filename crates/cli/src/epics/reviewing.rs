//! One review of a ticket: fresh, read-only, of exactly the work that was validated, and within its time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use domain::change::{Change, RepoPath, Scope};
use domain::config::Config;
use domain::epic::run::TicketRun;
use domain::formats::contexts::{TestSuiteStatus, TicketReviewContext};
use domain::ports::{ReviewRequest, Reviewer, ReviewerError};
use domain::review::{Evidence, Review, Trouble};
use domain::work::{ContextDocument, WorkOrder};
use engine::epic::Reviewed;
use git::Repository;
use jiff::Timestamp;

use super::Site;
use crate::failure::Failure;
use crate::reviewers::{Choice, Heard, Reviewing, Trust};

/// Agents that are out of time are given this long to be ended.
const GRACE: Duration = Duration::from_secs(10);
const GLANCE: Duration = Duration::from_millis(100);

impl Site {
    pub(super) fn reviewed(&self, ticket: &TicketRun) -> Result<Reviewed, Failure> {
        let started = Instant::now();
        let nothing = || Failure::new("there is no work to review", "please report this as a bug");
        let (Some(base), Some(work)) = (&ticket.base_commit, &ticket.final_commit) else {
            return Err(nothing());
        };
        let mut scope = self.repository.between(base, work);
        scope.base_name.clone_from(&self.ground.order.branch);
        scope.head_name = ticket.branch();
        let change = self.repository.change(&scope)?;
        let index = self.ground.index(ticket).ok_or_else(nothing)?;
        let seconds = self.ground.bounds(index).map_or(120, |bounds| bounds.review_seconds);
        let limit = Duration::from_secs(seconds.into());
        let mut config = self.config.clone();
        config.model.timeout = config.model.timeout.min(seconds);
        let choice = within(self.reviewer.clone(), limit);
        let task = ReviewTask {
            repository: Arc::clone(&self.repository),
            order: self.work_order(ticket, &change)?,
            withheld: self.withheld(&choice, &scope)?,
            change,
            config,
            policy: self.policy.clone(),
            choice,
            revision_count: ticket.cycle.revision_count(),
            scratch: self.place.of_ticket(&ticket.id).join("review"),
            heard: self.speech.heard.clone(),
        };
        let review = self.times.taken("reviewer", || within_time(task, limit, &self.stop))?;
        Ok(Reviewed { review, took: started.elapsed() })
    }

    /// The ticket, its epic, and the context that the specification gives reviewers.
    fn work_order(&self, ticket: &TicketRun, change: &Change) -> Result<WorkOrder, Failure> {
        let item = self.ground.index(ticket).and_then(|index| self.ground.item(index)).cloned();
        let item = item.map(|mut item| {
            item.criteria.clone_from(&ticket.criteria);
            item
        });
        let epic = self.ground.document.for_review(&self.ground.order.path);
        let mut order = WorkOrder { ticket: item, epic: Some(epic), ..WorkOrder::default() };
        let feedback = ticket.rejection().and_then(|report| report.revision_notes.clone());
        let tests = ticket.tests.unwrap_or(TestSuiteStatus::NotRun);
        let revision = ticket.cycle.revision_count();
        let context = TicketReviewContext::new(&order, change, tests, revision, feedback.as_deref());
        let text = serde_json::to_string_pretty(&context).map_err(|error| {
            Failure::new(format!("cannot write JSON: {error}"), "please report this as a bug")
        })?;
        order.submission = Some(ContextDocument { title: "TicketReviewContext".to_owned(), text });
        Ok(order)
    }

    /// What tells of earlier attempts, where somebody committed it.
    fn withheld(&self, choice: &Choice, scope: &Scope) -> Result<Vec<RepoPath>, Failure> {
        match choice {
            Choice::Rules | Choice::Model { .. } | Choice::Answered { .. } => Ok(Vec::new()),
            Choice::Agent(_) => {
                let files = self.repository.files(scope)?;
                Ok(files.into_iter().filter(|path| self.protected.is_telling(path)).collect())
            }
        }
    }
}

/// An agent that is out of time is ended, and says so itself.
fn within(choice: Choice, limit: Duration) -> Choice {
    match choice {
        Choice::Agent(mut agent) => {
            agent.timeout = agent.timeout.min(limit);
            Choice::Agent(agent)
        }
        Choice::Rules | Choice::Model { .. } | Choice::Answered { .. } => choice,
    }
}

/// A review that owns all it needs, so that nobody has to wait for one that does not end.
struct ReviewTask {
    repository: Arc<Repository>,
    order: WorkOrder,
    withheld: Vec<RepoPath>,
    change: Change,
    config: Config,
    policy: String,
    choice: Choice,
    revision_count: u32,
    scratch: std::path::PathBuf,
    heard: Heard,
}

impl ReviewTask {
    fn run(&self) -> Result<Review, Failure> {
        self.with(|reviewing| reviewing.by(&self.choice))
    }

    /// What a review that was cut off comes to.
    fn cut_off(&self, limit: Duration) -> Result<Review, Failure> {
        let reviewer = CutOff { seconds: limit.as_secs() };
        self.with(|reviewing| Ok(engine::review(&reviewing.order, &reviewer)?))
    }

    fn with<T>(&self, ask: impl FnOnce(&Reviewing<'_>) -> Result<T, Failure>) -> Result<T, Failure> {
        let sources = self.repository.sources(&self.change.scope)?;
        ask(&Reviewing {
            reports: &[],
            repository: &self.repository,
            change: &self.change,
            order: engine::ReviewOrder {
                change: &self.change,
                sources: &sources,
                config: &self.config,
                policy: &self.policy,
                order: &self.order,
                revision_count: self.revision_count,
                now: Timestamp::now(),
                redact: rules::redact,
            },
            task: None,
            scratch: Some(self.scratch.clone()),
            withheld: self.withheld.clone(),
            trust: Trust::Own,
            heard: self.heard.clone(),
        })
    }
}

/// Waits for a review on a thread of its own, for as long as it may take and nobody wants to stop.
fn within_time(task: ReviewTask, limit: Duration, stop: &AtomicBool) -> Result<Review, Failure> {
    let (tell, told) = channel();
    let task = Arc::new(task);
    let own = Arc::clone(&task);
    let spawned = std::thread::Builder::new().name("review".into()).spawn(move || drop(tell.send(own.run())));
    spawned.map_err(|error| {
        Failure::new(format!("cannot start a thread: {error}"), "the system is out of threads")
    })?;
    let deadline = Instant::now() + limit + GRACE;
    loop {
        match told.recv_timeout(GLANCE) {
            Ok(review) => return review,
            Err(RecvTimeoutError::Timeout) if Instant::now() < deadline && !stop.load(Ordering::SeqCst) => {}
            Err(RecvTimeoutError::Timeout) => return task.cut_off(limit),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Failure::new("the review broke off", "please report this as a bug"));
            }
        }
    }
}

/// Stands in for a reviewer that did not answer in time.
struct CutOff {
    seconds: u64,
}

impl Reviewer for CutOff {
    fn name(&self) -> &str {
        "nobody"
    }

    fn review(&self, _: &ReviewRequest<'_>) -> Result<Evidence, ReviewerError> {
        let message = format!("the review was cut off after {} seconds", self.seconds);
        let troubles = vec![Trouble { kind: "cut_off".to_owned(), message }];
        Ok(Evidence { troubles, ..Evidence::default() })
    }
}
