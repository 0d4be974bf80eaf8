//! Tasks for somebody who writes code: a coding agent in a worktree of its own.

mod prompt;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use brain::agents::acp::Chosen;
use brain::agents::{Scratch, default_scratch_root};
use domain::config::{AgentConfig, Budget, Sandbox};
use domain::ports::{Author as _, AuthorJob, AuthorReport};
use domain::tasks::Task;
use engine::worker::{Handled, Handling, Job, TaskHandler};
use git::{Committed, Repository};
use serde_json::{Value, json};

use super::command::NotDone;
use super::telling::Telling;
use crate::failure::Failure;
use crate::reviewers::{Heard, writer};

/// A fixer or builder. It works in a fresh linked worktree of the task's branch; what it leaves there is committed
/// to that branch, nothing is pushed, and nobody's checkout is touched.
pub(super) struct Author {
    pub(super) root: PathBuf,
    pub(super) sandbox: Sandbox,
    pub(super) budget: Budget,
    pub(super) telling: Telling,
}

impl TaskHandler for Author {
    fn handle<'a>(&'a self, job: Job<'a>) -> Handling<'a> {
        let given_up = GivenUp::default();
        let work = Work {
            repository: in_context(job.task, "repo_path")
                .map_or_else(|| self.root.clone(), |path| self.root.join(path)),
            task: job.task.clone(),
            agent: job.agent.clone(),
            round: job.review_attempt.max(1),
            sandbox: self.sandbox,
            cents: self.budget.cents_per_task,
            heard: self.telling.about(job),
            given_up: given_up.0.clone(),
        };
        Box::pin(async move {
            let _given_up = given_up;
            // Not on a thread of the runtime: a worker that has to stop does not wait for it. An agent that was given
            // up is ended, and what it leaves behind is not committed.
            let (tell, told) = tokio::sync::oneshot::channel();
            std::thread::spawn(move || _ = tell.send(work.done()));
            match told.await {
                Ok(Ok(detail)) => Handled::Done { detail },
                Ok(Err(not_done)) => not_done.handled(),
                Err(_) => Handled::Failed { reason: "the work broke off".to_owned() },
            }
        })
    }
}

/// Set once nobody waits for the work any more.
#[derive(Default)]
struct GivenUp(Arc<AtomicBool>);

impl Drop for GivenUp {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

struct Work {
    repository: PathBuf,
    task: Task,
    agent: AgentConfig,
    round: u32,
    sandbox: Sandbox,
    cents: u64,
    heard: Heard,
    given_up: Arc<AtomicBool>,
}

impl Work {
    fn done(&self) -> Result<Value, NotDone> {
        let branch = in_context(&self.task, "branch_name")
            .ok_or("the task does not say which branch it is about: its context has no `branch_name`")
            .map_err(str::to_owned)?;
        let Chosen { writer, remark } = writer(&self.agent, self.sandbox, self.cents).map_err(in_words)?;
        let scratch_root = default_scratch_root(|name| std::env::var_os(name));
        let scratch = Scratch::create(&scratch_root)
            .map_err(|error| format!("no directory can be made in {}: {error}", scratch_root.display()))?;
        let repository = Repository::discover(&self.repository).map_err(Failure::from).map_err(in_words)?;
        let base = in_context(&self.task, "base_branch");
        let workshop = repository
            .workshop(&branch, base.as_deref(), &scratch.path().join("tree"))
            .map_err(Failure::from)
            .map_err(in_words)?;
        remark.iter().for_each(|remark| (self.heard)(remark));
        let report = writer
            .work(&AuthorJob {
                prompt: &prompt::prompt(&self.agent, &self.task),
                worktree: workshop.folder(),
                timeout: self.agent.timeout,
                progress: &|line: &str| (self.heard)(line),
                given_up: &|| self.given_up.load(Ordering::SeqCst),
            })
            .map_err(|error| {
                let reason = rules::redact(&error.to_string()).into_owned();
                if error.is_lasting() { NotDone::CannotRun(reason) } else { NotDone::Failed(reason) }
            })?;
        if self.given_up.load(Ordering::SeqCst) {
            return Err("another agent has the task by now".to_owned().into());
        }
        let message = prompt::commit_message(&self.task, self.round);
        match workshop.commit(&message).map_err(Failure::from).map_err(in_words)? {
            Committed::At(head) => Ok(detail(&branch, head.as_str(), &report)),
            Committed::NothingChanged => Err("nothing was changed".to_owned().into()),
        }
    }
}

fn detail(branch: &str, head: &str, report: &AuthorReport) -> Value {
    let masked = |text: &String| rules::redact(text).into_owned();
    json!({
        "head_commit": head,
        "branch_name": branch,
        "summary": masked(&report.summary),
        "usage": report.usage,
        "denied_tools": report.denied_tools.iter().map(masked).collect::<Vec<_>>(),
        "remarks": report.remarks.iter().map(masked).collect::<Vec<_>>(),
    })
}

fn in_context(task: &Task, key: &str) -> Option<String> {
    task.context.get(key).and_then(Value::as_str).map(str::to_owned)
}

fn in_words(failure: Failure) -> String {
    format!("{}; {}", failure.what(), failure.hint())
}
