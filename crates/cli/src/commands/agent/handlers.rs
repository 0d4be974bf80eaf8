//! What agents do with their tasks: review, write code, or hand the task to a command.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use domain::config::{AgentConfig, Config, HandlerKind};
use domain::tasks::Task;
use domain::work::WorkOrder;
use engine::worker::{Handled, Handlers, Handling, Job, TaskHandler};
use git::{Ask, What};
use tokio::io::AsyncWriteExt;

use super::author::Author;
use super::telling::Telling;
use crate::reviewing::{Request, Wanted};

/// More of a command's output than this says nothing new.
const MOST_OUTPUT: usize = 1024 * 1024;

pub(super) struct Kinds {
    review: Review,
    author: Author,
    command: Command,
}

impl Kinds {
    pub(super) fn at(root: PathBuf, config: &Config, telling: Telling) -> Kinds {
        Kinds {
            review: Review { root: root.clone(), telling: telling.clone() },
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
/// `branch_name` or `head_commit`, `base_branch` or `base_commit`), else from where the agent runs.
#[derive(Debug)]
struct Review {
    root: PathBuf,
    telling: Telling,
}

impl TaskHandler for Review {
    fn handle<'a>(&'a self, job: Job<'a>) -> Handling<'a> {
        let context =
            |key: &str| job.task.context.get(key).and_then(|value| value.as_str()).map(str::to_owned);
        let repository = context("repo_path").map_or_else(|| self.root.clone(), |path| self.root.join(path));
        let ask = Ask {
            what: What::Commits,
            base: context("base_commit").or_else(|| context("base_branch")),
            head: context("head_commit").or_else(|| context("branch_name")),
        };
        let (agent, task) = (job.agent.clone(), job.task.id.clone());
        let heard = self.telling.about(job.agent, job.task);
        Box::pin(async move {
            let review = move || {
                let request = Request {
                    repository: &repository,
                    ask: &ask,
                    order: &WorkOrder::default(),
                    fail_on: None,
                    wanted: Wanted::Agent(&agent),
                    mode: None,
                    task: Some(task.as_str()),
                    heard: if agent.brain.is_some() { heard } else { std::sync::Arc::new(|_: &str| {}) },
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
                Err(reason) => Handled::Failed { reason },
            }
        })
    }
}

async fn run(program: &str, arguments: &[String], root: &Path, job: Job<'_>) -> Result<String, String> {
    let task = serde_json::to_vec(job.task).map_err(|error| error.to_string())?;
    let mut child = tokio::process::Command::new(program)
        .args(arguments)
        .current_dir(root)
        .env("COUNTERSIGN_TASK_ID", job.task.id.as_str())
        // The store's address may hold a password, and the command has no business with the queue.
        .env_remove("COUNTERSIGN_STORE")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| format!("cannot start {program}: {error}"))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A command that does not read its task is free not to.
        let _ = stdin.write_all(&task).await;
    }
    let output = child.wait_with_output().await.map_err(|error| format!("{program} broke off: {error}"))?;
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.truncate(text.floor_char_boundary(MOST_OUTPUT));
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().last().unwrap_or_default();
        return Err(rules::redact(&format!("{program} ended with {}: {last}", output.status)).into_owned());
    }
    Ok(rules::redact(&text).into_owned())
}
