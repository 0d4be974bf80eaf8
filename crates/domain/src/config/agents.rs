use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BrainKind, Config, Protocol, TaskPolicy};
use crate::cycle::Limits;
use crate::tasks::Task;

/// How long a worker that was asked to stop goes on with what it holds before it gives it back.
const GRACE: Duration = Duration::from_secs(10);
/// Room for a compiler and its linker. An agent that needs more than this is more likely out of control.
const MEMORY_MB: u32 = 8_192;

/// An agent as `countersign.yaml` describes it. What is left out comes from `task:`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentEntry {
    pub id: String,
    #[serde(default)]
    pub name: Option<String>,
    /// Its id, unless said otherwise. Several agents may share a queue.
    #[serde(default)]
    pub queue: Option<String>,
    #[serde(default = "enabled")]
    pub enabled: bool,
    /// What it is in assignments. Left out, one whose handler is `review` reviews and any other writes code.
    #[serde(default)]
    pub role: Option<AgentRole>,
    #[serde(default)]
    pub poll_interval: Option<u32>,
    #[serde(default)]
    pub max_retries: Option<u32>,
    #[serde(default)]
    pub timeout: Option<u32>,
    #[serde(default)]
    pub prompt: String,
    /// Chosen by the type of each task, unless said here.
    #[serde(default)]
    pub handler: Option<HandlerKind>,
    /// What it thinks with. Without one, reviews are done by the built-in rules and the rest by `command`.
    #[serde(default)]
    pub brain: Option<BrainKind>,
    /// Which model its brain is asked to use; the brain's own choice if left out.
    #[serde(default)]
    pub model: Option<String>,
    /// The program and its arguments: for the `command` handler and brain, or in place of a coding agent's own.
    #[serde(default)]
    pub command: Vec<String>,
    /// Names of variables its process may see besides those it cannot do without.
    #[serde(default)]
    pub environment: Vec<String>,
    /// How a coding agent is spoken to when it writes code.
    #[serde(default)]
    pub protocol: Protocol,
    /// Commands it may run when it writes code, each with any further arguments; `*` by itself for whatever stays in
    /// its worktree. If left out: that, where the kernel confines it, and none where it does not.
    #[serde(default)]
    pub allow_commands: Option<Vec<String>>,
    /// What a coding agent and all it starts may hold in memory, in MB. 0 sets no limit.
    #[serde(default)]
    pub memory_mb: Option<u32>,
}

fn enabled() -> bool {
    true
}

/// What an agent is in assignments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AgentRole {
    Coder,
    Reviewer,
}

/// What an agent does with a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HandlerKind {
    /// The reviewer of `countersign review`.
    Review,
    /// A program that is given the task.
    Command,
}

/// An agent with everything decided, as workers are given it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentConfig {
    pub id: String,
    pub name: String,
    pub queue: String,
    pub enabled: bool,
    pub poll_interval: Duration,
    pub max_retries: u32,
    /// One task may take this long.
    pub timeout: Duration,
    /// A holder that says nothing for this long is taken for dead.
    pub heartbeat_timeout: Duration,
    /// How long a worker that was asked to stop goes on with what it holds before it gives it back.
    pub grace: Duration,
    pub prompt: String,
    pub handler: Option<HandlerKind>,
    pub brain: Option<BrainKind>,
    pub model: Option<String>,
    pub command: Vec<String>,
    pub environment: Vec<String>,
    pub protocol: Protocol,
    pub allow_commands: Option<Vec<String>>,
    /// Absent where there is no limit.
    pub memory_mb: Option<u32>,
}

impl AgentEntry {
    fn named(id: &str, name: &str) -> AgentEntry {
        AgentEntry {
            id: id.to_owned(),
            name: Some(name.to_owned()),
            queue: None,
            enabled: true,
            role: None,
            poll_interval: None,
            max_retries: None,
            timeout: None,
            prompt: String::new(),
            handler: None,
            brain: None,
            model: None,
            command: Vec::new(),
            environment: Vec::new(),
            protocol: Protocol::Auto,
            allow_commands: None,
            memory_mb: None,
        }
    }

    pub fn queue(&self) -> &str {
        self.queue.as_deref().unwrap_or(&self.id)
    }

    pub fn role(&self) -> AgentRole {
        self.role.unwrap_or(match self.handler {
            Some(HandlerKind::Review) => AgentRole::Reviewer,
            Some(HandlerKind::Command) | None => AgentRole::Coder,
        })
    }
}

impl Config {
    /// The configured agents or, if there are none, the built-in `qa` and `engineer`.
    pub fn agents(&self) -> Vec<AgentConfig> {
        let built_in =
            [AgentEntry::named("qa", "Code Reviewer"), AgentEntry::named("engineer", "Software Engineer")];
        let entries = if self.agents.is_empty() { &built_in[..] } else { &self.agents };
        entries.iter().map(|entry| self.resolve(entry)).collect()
    }

    /// Configured agents that review assignments. The built-in ones do not count: nobody may be running them.
    pub fn reviewers(&self) -> Vec<String> {
        let reviews = |agent: &&AgentEntry| agent.enabled && agent.role() == AgentRole::Reviewer;
        self.agents.iter().filter(reviews).map(|agent| agent.id.clone()).collect()
    }

    /// What the configuration says an agent of this name, or one of its replicas, is in assignments.
    pub fn role_of(&self, name: &str) -> Option<AgentRole> {
        let goes_by = |agent: &&AgentEntry| agent.id == name || is_replica_of(&agent.id, name);
        self.agents.iter().find(goes_by).map(AgentEntry::role)
    }

    /// The limits of a task for this queue: as often retried as the agent that serves it says.
    pub fn limits_for(&self, queue: &str) -> Limits {
        let agent = self.agents.iter().find(|agent| agent.queue() == queue);
        let max_retries = agent.and_then(|agent| agent.max_retries).unwrap_or(self.task.max_retries);
        Limits { max_retries, ..self.limits.clone() }
    }

    fn resolve(&self, entry: &AgentEntry) -> AgentConfig {
        let TaskPolicy { poll_interval, max_retries, timeout } = self.task;
        let seconds = |own: Option<u32>, shared: u32| Duration::from_secs(own.unwrap_or(shared).into());
        AgentConfig {
            id: entry.id.clone(),
            name: entry.name.clone().unwrap_or_else(|| entry.id.clone()),
            queue: entry.queue().to_owned(),
            enabled: entry.enabled,
            poll_interval: seconds(entry.poll_interval, poll_interval),
            max_retries: entry.max_retries.unwrap_or(max_retries),
            timeout: seconds(entry.timeout, timeout),
            heartbeat_timeout: Duration::from_secs(self.safeguards.heartbeat_timeout.into()),
            grace: GRACE,
            prompt: entry.prompt.clone(),
            handler: entry.handler,
            brain: entry.brain,
            model: entry.model.clone(),
            command: entry.command.clone(),
            environment: entry.environment.clone(),
            protocol: entry.protocol,
            allow_commands: entry.allow_commands.clone(),
            memory_mb: Some(entry.memory_mb.unwrap_or(MEMORY_MB)).filter(|limit| *limit > 0),
        }
    }
}

impl AgentConfig {
    /// The handler it was configured with; otherwise the reviewer for `review` tasks and a command for all
    /// others.
    pub fn handler_for(&self, task: &Task) -> HandlerKind {
        self.handler.unwrap_or(match task.kind.as_str() {
            "review" => HandlerKind::Review,
            _ => HandlerKind::Command,
        })
    }

    /// Whether a name is that of one of its replicas, or its own: other programs may go by that.
    pub fn goes_by(&self, name: &str) -> bool {
        name == self.id || is_replica_of(&self.id, name)
    }

    /// Who holds what its workers claim: `qa-1`, `qa-2`, and so on.
    pub fn replicas(&self, count: u32) -> impl Iterator<Item = String> {
        (1..=count).map(|number| format!("{}-{number}", self.id))
    }
}

/// `qa-2` is a replica of `qa`, and so is `qa-2-3f2a`, of the mailbox whose name begins with 3f2a: where several
/// mailboxes share a store, their replicas would have the same names.
pub fn is_replica_of(id: &str, name: &str) -> bool {
    let Some(rest) = name.strip_prefix(id).and_then(|rest| rest.strip_prefix('-')) else { return false };
    let (number, mailbox) = rest.split_once('-').map_or((rest, None), |(number, end)| (number, Some(end)));
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number && mailbox.is_none_or(|end| end.len() == 4 && end.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
