//! What agents do with their tasks: review, write code, or hand the task to a command.

use std::path::PathBuf;
use std::sync::Arc;

use domain::config::{AgentConfig, Config, HandlerKind};
use domain::tasks::Task;
use engine::worker::{Handled, Handlers, Handling, Job, TaskHandler};
use store::Store;

use super::author::Author;
use super::command::{Command, CommandReview};
use super::local::Local;
use super::requested::{self, Requests, Taken};
use super::telling::Telling;
use crate::requests::Who;

pub(super) struct Kinds {
    review: Review,
    author: Author,
    command: Command,
    command_review: CommandReview,
}

impl Kinds {
    pub(super) fn at(root: PathBuf, config: &Config, telling: Telling, store: &Store) -> Kinds {
        let requests = Requests {
            root: root.clone(),
            config: config.clone(),
            turns: Arc::default(),
            store: store.clone(),
        };
        let command = Command { root: root.clone() };
        Kinds {
            review: Review { requests: requests.clone(), telling: telling.clone() },
            command_review: CommandReview { requests, telling: telling.clone(), command: command.clone() },
            author: Author { root, sandbox: config.sandbox, budget: config.model.budget, telling },
            command,
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
            HandlerKind::Command if task.kind == REVIEW => &self.command_review,
            HandlerKind::Command => &self.command,
        }
    }
}

const REVIEW: &str = "review";

/// The reviewer of `countersign review`, with the agent's own brain. Repository and range come from the task's context (`repo_path`,
/// `branch_name` or `head_commit`, `base_branch` or `base_commit`), else from where the agent runs. A task that names a
/// request of the configured forge is reviewed from there.
#[derive(Debug)]
struct Review {
    requests: Requests,
    telling: Telling,
}

impl TaskHandler for Review {
    fn handle<'a>(&'a self, job: Job<'a>) -> Handling<'a> {
        Box::pin(async move {
            let heard = self.telling.about(job);
            match self.requests.take(job.task, &heard) {
                Taken::Here { note } => {
                    let local = Local::of(&self.requests.root, job.task, note);
                    let heard = if job.agent.brain.is_some() { heard } else { Arc::new(|_: &str| {}) };
                    local.review(Who::Agent(Box::new(job.agent.clone())), heard).await
                }
                Taken::Request(about, forge) => {
                    requested::review(&about, &forge, job.agent, job.task, heard).await
                }
                Taken::Missing(reason) => Handled::Inconclusive { reason },
                Taken::Unusable(reason) => Handled::Failed { reason },
            }
        })
    }
}
