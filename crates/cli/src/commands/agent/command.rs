//! Tasks that are handed to a program of the operator.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use brain::process::{self, Ended, RunError, SpawnEnvironment};
use engine::worker::{Handled, Handling, Job, TaskHandler};

use super::local::{Local, failed};
use super::requested::{self, Requests, Taken};
use super::telling::Telling;
use crate::requests::Who;

/// More of a command's output than this says nothing new.
const MOST_OUTPUT: usize = 1024 * 1024;
/// A command that prints more than this is stopped.
const OUTPUT_LIMIT: usize = 64 * 1024 * 1024;
/// How long a command may take to end after it was asked to.
const GRACE: Duration = Duration::from_secs(5);
/// A command is the operator's own program and finds its user's files. Keys are passed on by name only.
const AS_ITS_USER: [&str; 6] = ["HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "SSH_AUTH_SOCK"];

/// The agent's own command: the task as JSON on standard input; what it prints is the answer. It ends with its task.
#[derive(Debug, Clone)]
pub(super) struct Command {
    pub(super) root: PathBuf,
}

impl TaskHandler for Command {
    fn handle<'a>(&'a self, job: Job<'a>) -> Handling<'a> {
        Box::pin(async move {
            match self.run(job).await {
                Ok(text) => Handled::Done { detail: serde_json::json!({ "output": text }) },
                Err(not_done) => not_done.handled(),
            }
        })
    }
}

impl Command {
    async fn run(&self, job: Job<'_>) -> Result<String, NotDone> {
        let Some((program, arguments)) = job.agent.command.split_first() else {
            return Err(format!("agent {} has no `command` for {} tasks", job.agent.id, job.task.kind).into());
        };
        run(program, arguments, &self.root, job).await
    }
}

/// A review by the agent's own command. Its findings count beside those of the built-in rules, and the gate decides.
#[derive(Debug)]
pub(super) struct CommandReview {
    pub(super) requests: Requests,
    pub(super) telling: Telling,
    pub(super) command: Command,
}

impl TaskHandler for CommandReview {
    fn handle<'a>(&'a self, job: Job<'a>) -> Handling<'a> {
        Box::pin(async move {
            let heard = self.telling.about(job);
            let answered = |answer| Who::Answered { reviewer: job.agent.id.clone(), answer };
            match self.requests.take(job.task, &heard) {
                Taken::Here { note } => {
                    let local = match Local::of(&self.requests.root, job.task, note).pinned().await {
                        Ok(local) => local,
                        Err(failure) => return failed(&failure),
                    };
                    match self.command.run(job).await {
                        Ok(answer) => local.review(answered(answer), heard).await,
                        Err(not_done) => not_done.handled(),
                    }
                }
                Taken::Request(about, forge) => match self.command.run(job).await {
                    Ok(answer) => requested::judge(&about, &forge, answered(answer), job.task, heard).await,
                    Err(not_done) => not_done.handled(),
                },
                Taken::Missing(reason) => Handled::Inconclusive { reason },
                Taken::Unusable(reason) => Handled::Failed { reason },
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
        Ended::GivenUp => format!("the wait for {program} was given up"),
        Ended::Flooded => format!("{program} printed more than {} MB", OUTPUT_LIMIT >> 20),
    };
    let failed = rules::redact_output(&failed).into_owned();
    Err(match outcome.ended {
        // What shells say of a program that may not be run, or is not there.
        Ended::Exited(126 | 127) => NotDone::CannotRun(failed),
        _ => NotDone::Failed(failed),
    })
}
