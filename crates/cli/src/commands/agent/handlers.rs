//! What agents do with their tasks: review, write code, or hand the task to a command.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use brain::process::{self, Ended, RunError, SpawnEnvironment};
use domain::config::{AgentConfig, Config, HandlerKind};
use domain::tasks::Task;
use domain::work::WorkOrder;
use engine::worker::{Handled, Handlers, Handling, Job, TaskHandler};
use git::{Ask, What};
use store::Store;

use super::author::Author;
use super::requested::{self, Requests, Taken};
use super::telling::Telling;
use crate::reviewers::{Heard, Trust};
use crate::reviewing::{Answers, Request, Wanted};

/// More of a command's output than this says nothing new.
const MOST_OUTPUT: usize = 1024 * 1024;
/// A command that prints more than this is stopped.
const OUTPUT_LIMIT: usize = 64 * 1024 * 1024;
/// How long a command may take to end after it was asked to.
const GRACE: Duration = Duration::from_secs(5);
/// A command is the operator's own program and finds its user's files. Keys are passed on by name only.
const AS_ITS_USER: [&str; 6] = ["HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "SSH_AUTH_SOCK"];

pub(super) struct Kinds {
    review: Review,
    author: Author,
    command: Command,
}

impl Kinds {
    pub(super) fn at(root: PathBuf, config: &Config, telling: Telling, store: &Store) -> Kinds {
        let requests = Requests {
            root: root.clone(),
            config: config.clone(),
            turns: Arc::default(),
            store: store.clone(),
        };
        Kinds {
            review: Review { root: root.clone(), requests, telling: telling.clone() },
            author: Author {
                root: root.clone(),
                sandbox: config.sandbox,
                budget: config.model.budget,
                telling,
            },
            command: Command { root },
        }
    }
}

impl Handlers for Kinds {
    /// An agent with the handler `command` gets its tasks as they are, whatever its brain.
    fn handler(&self, agent: &AgentConfig, task: &Task) -> &dyn TaskHandler {
        let writes_code = agent.handler.is_none() && agent.brain.and_then(brain::agents::agent).is_some();
        match agent.handler_for(task) {
            HandlerKind::Review => &self.review,
            HandlerKind::Command if writes_code => &self.author,
            HandlerKind::Command => &self.command,
        }
    }
}

/// The reviewer of `countersign review`, with the agent's own brain. Repository and range come from the task's context (`repo_path`,
/// `branch_name` or `head_commit`, `base_branch` or `base_commit`), else from where the agent runs. A task that names a
/// request of the configured forge is reviewed from there.
#[derive(Debug)]
struct Review {
    root: PathBuf,
    requests: Requests,
    telling: Telling,
}

impl TaskHandler for Review {
    fn handle<'a>(&'a self, job: Job<'a>) -> Handling<'a> {
        let heard = self.telling.about(job);
        match self.requests.take(job.task, &heard) {
            Taken::No => self.review_here(job, heard),
            Taken::Request(about, forge) => {
                Box::pin(async move { requested::review(&about, &forge, job.agent, job.task, heard).await })
            }
            Taken::Unusable(reason) => Box::pin(async move { Handled::Failed { reason } }),
        }
    }
}

impl Review {
    fn review_here<'a>(&self, job: Job<'a>, heard: Heard) -> Handling<'a> {
        let context =
            |key: &str| job.task.context.get(key).and_then(|value| value.as_str()).map(str::to_owned);
        let repository = context("repo_path").map_or_else(|| self.root.clone(), |path| self.root.join(path));
        let ask = Ask {
            what: What::Commits,
            base: context("base_commit").or_else(|| context("base_branch")),
            head: context("head_commit").or_else(|| context("branch_name")),
        };
        let (agent, task) = (job.agent.clone(), job.task.id.clone());
        Box::pin(async move {
            let review = move || {
                let request = Request {
                    repository: &repository,
                    ask: &ask,
                    names: None,
                    trust: Trust::Own,
                    order: &WorkOrder::default(),
                    fail_on: None,
                    wanted: Wanted::Agent(&agent),
                    mode: None,
                    reports: &[],
                    task: Some(task.as_str()),
                    answers: Answers::Kept,
                    heard: if agent.brain.is_some() { heard } else { Arc::new(|_: &str| {}) },
                };
                request.review()
            };
            // Reading a diff and matching rules takes the processor, and a brain its time; the lease is kept alive
            // elsewhere. A worker that has to stop does not wait for this thread.
            let (tell, told) = tokio::sync::oneshot::channel();
            std::thread::spawn(move || _ = tell.send(review()));
            match told.await {
                Ok(Ok((review, _))) => Handled::Reviewed { review: Box::new(review) },
                Ok(Err(failure)) => {
                    Handled::Failed { reason: format!("{}; {}", failure.what(), failure.hint()) }
                }
                Err(_) => Handled::Failed { reason: "the review broke off".to_owned() },
            }
        })
    }
}

/// The agent's own command: the task as JSON on standard input; what it prints is the answer, and for a
/// review the findings are read from it. It ends with its task.
#[derive(Debug)]
struct Command {
    root: PathBuf,
}

impl TaskHandler for Command {
    fn handle<'a>(&'a self, job: Job<'a>) -> Handling<'a> {
        Box::pin(async move {
            let Some((program, arguments)) = job.agent.command.split_first() else {
                let reason = format!("agent {} has no `command` for {} tasks", job.agent.id, job.task.kind);
                return Handled::Failed { reason };
            };
            match run(program, arguments, &self.root, job).await {
                Ok(text) if job.task.kind == "review" => Handled::ReviewedText { text },
                Ok(text) => Handled::Done { detail: serde_json::json!({ "output": text }) },
                Err(not_done) => not_done.handled(),
            }
        })
    }
}

/// Why a task was not done.
pub(super) enum NotDone {
    Failed(String),
    /// It was not found, or may not be run.
    CannotRun(String),
}

impl From<String> for NotDone {
    fn from(reason: String) -> NotDone {
        NotDone::Failed(reason)
    }
}

impl NotDone {
    pub(super) fn handled(self) -> Handled {
        match self {
            NotDone::Failed(reason) => Handled::Failed { reason },
            NotDone::CannotRun(reason) => Handled::CannotRun { reason },
        }
    }
}

fn is_lasting(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::PermissionDenied)
}

/// In a process group of its own: a Ctrl-C meant for us does not reach it, and whatever it started ends with it.
async fn run(program: &str, arguments: &[String], root: &Path, job: Job<'_>) -> Result<String, NotDone> {
    let task = serde_json::to_vec(job.task).map_err(|error| NotDone::Failed(error.to_string()))?;
    let allowed = AS_ITS_USER.into_iter().chain(job.agent.environment.iter().map(String::as_str));
    let mut environment = SpawnEnvironment::from_inherited(&process::inherited(), allowed)
        .with("COUNTERSIGN_TASK_ID", job.task.id.as_str());
    if !job.agent.prompt.is_empty() {
        environment = environment.with("COUNTERSIGN_PROMPT", &job.agent.prompt);
    }
    let outcome = process::run(process::Job {
        program: program.into(),
        arguments: arguments.iter().map(Into::into).collect(),
        directory: root.to_owned(),
        environment: environment.into_variables(),
        input: task,
        timeout: job.agent.timeout,
        grace: GRACE,
        output_limit: OUTPUT_LIMIT,
        on_line: &process::ignore_lines,
    });
    let outcome = outcome.await.map_err(|error| match error {
        RunError::Spawn { ref source, .. } if is_lasting(source.kind()) => {
            NotDone::CannotRun(error.to_string())
        }
        RunError::Spawn { .. } | RunError::Watch { .. } => NotDone::Failed(error.to_string()),
    })?;
    let mut text = String::from_utf8_lossy(&outcome.stdout).into_owned();
    text.truncate(text.floor_char_boundary(MOST_OUTPUT));
    let said = String::from_utf8_lossy(&outcome.stderr);
    let last = said.lines().last().unwrap_or_default();
    let failed = match outcome.ended {
        Ended::Exited(0) => return Ok(rules::redact_output(&text).into_owned()),
        Ended::Exited(code) => format!("{program} ended with exit code {code}: {last}"),
        Ended::Killed(signal) => format!("{program} was ended by signal {signal}: {last}"),
        Ended::TimedOut => format!("{program} did not end in time"),
        Ended::GivenUp => format!("nobody waited for {program} any more"),
        Ended::Flooded => format!("{program} printed more than {} MB", OUTPUT_LIMIT >> 20),
    };
    let failed = rules::redact_output(&failed).into_owned();
    Err(match outcome.ended {
        // What shells say of a program that may not be run, or is not there.
        Ended::Exited(126 | 127) => NotDone::CannotRun(failed),
        _ => NotDone::Failed(failed),
    })
}
