use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::brains::refuse_relative;
use super::{AgentEntry, BrainKind, Config, HandlerKind, Protocol, is_replica_of};
use crate::tasks::check_agent_name;

/// What holds for every agent that does not say otherwise. Times are in seconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TaskPolicy {
    /// How often a worker looks for work if nobody tells it of any.
    pub poll_interval: u32,
    pub max_retries: u32,
    pub timeout: u32,
}

/// What keeps a queue healthy. Times are in seconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Safeguards {
    /// Unfinished tasks per queue.
    pub max_queue_size: u32,
    /// A holder that says nothing for this long is taken for dead.
    pub heartbeat_timeout: u32,
    /// How often the tasks of dead holders are looked for.
    pub watchdog_interval: u32,
}

impl Default for TaskPolicy {
    fn default() -> Self {
        TaskPolicy { poll_interval: 30, max_retries: 5, timeout: 1800 }
    }
}

impl Default for Safeguards {
    fn default() -> Self {
        Safeguards { max_queue_size: 100, heartbeat_timeout: 600, watchdog_interval: 60 }
    }
}

const DAY: u32 = 24 * 60 * 60;
const MOST_RETRIES: u32 = 100;
const MOST_QUEUED: u32 = 1_000_000;
/// Node alone takes 100 MB to start.
const LEAST_MEMORY_MB: u32 = 256;
/// Leaves room for the number of a replica and the beginning of a mailbox's name.
const LONGEST_ID: usize = 52;
/// The watchdog and the mailbox write logs as agents do.
const RESERVED: [&str; 2] = ["watchdog", "mailbox"];
/// Reviewers that need no agent.
const REVIEWERS: [&str; 2] = ["rules", "model"];

impl Config {
    /// What is wrong with agents, task defaults or safeguards, if anything is.
    pub(super) fn check_agents(&self) -> Result<(), String> {
        let TaskPolicy { poll_interval, max_retries, timeout } = self.task;
        let Safeguards { max_queue_size, heartbeat_timeout, watchdog_interval } = self.safeguards;
        within("task.poll_interval", poll_interval, 1, DAY)?;
        within("task.max_retries", max_retries, 0, MOST_RETRIES)?;
        within("task.timeout", timeout, 1, DAY)?;
        within("safeguards.max_queue_size", max_queue_size, 1, MOST_QUEUED)?;
        within("safeguards.heartbeat_timeout", heartbeat_timeout, 3, DAY)?;
        within("safeguards.watchdog_interval", watchdog_interval, 1, DAY)?;
        let mut ids = BTreeSet::new();
        for agent in &self.agents {
            check(agent)?;
            if !ids.insert(agent.id.as_str()) {
                return Err(format!("agents: there are two with the id {}", agent.id));
            }
        }
        for id in &ids {
            let mut shorter = id.match_indices('-').map(|(at, _)| &id[..at]);
            if let Some(other) = shorter.find(|other| ids.contains(*other) && is_replica_of(other, id)) {
                return Err(format!("agents.id: {id} is what a replica of {other} is called"));
            }
        }
        Ok(())
    }
}

fn check(agent: &AgentEntry) -> Result<(), String> {
    check_agent_name("agents.id", &agent.id).map_err(|invalid| invalid.to_string())?;
    let id = &agent.id;
    if id.len() > LONGEST_ID {
        return Err(format!("agents.id: {id} is longer than {LONGEST_ID} characters"));
    }
    if RESERVED.contains(&id.as_str()) {
        return Err(format!(
            "agents.id: {id} is the name of a log of its own; call the agent something else"
        ));
    }
    if REVIEWERS.contains(&id.as_str()) {
        return Err(format!(
            "agents.id: {id} is what `--reviewer {id}` stands for already; call the agent something else"
        ));
    }
    let own = |key: &str| format!("agents.{id}.{key}");
    check_agent_name(&own("queue"), agent.queue()).map_err(|invalid| invalid.to_string())?;
    let numbers = [
        ("poll_interval", agent.poll_interval, 1, DAY),
        ("max_retries", agent.max_retries, 0, MOST_RETRIES),
        ("timeout", agent.timeout, 1, DAY),
    ];
    for (key, value, least, most) in numbers {
        value.map_or(Ok(()), |value| within(&own(key), value, least, most))?;
    }
    if agent.handler == Some(HandlerKind::Command) && agent.command.is_empty() {
        return Err(format!("{} is missing: the handler `command` has nothing to run", own("command")));
    }
    if agent.command.first().is_some_and(|program| program.trim().is_empty()) {
        return Err(format!("{} begins with an empty word; it has to name a program", own("command")));
    }
    if let Some(memory @ 1..LEAST_MEMORY_MB) = agent.memory_mb {
        let key = own("memory_mb");
        return Err(format!("{key} is {memory}; use {LEAST_MEMORY_MB} or more, or 0 for no limit"));
    }
    check_program(agent, own)?;
    check_protocol(agent, own)?;
    check_commands(agent, own)
}

/// Of an agent that can be asked for a review. What the `command` handler runs for a task reviews nothing.
fn check_program(agent: &AgentEntry, own: impl Fn(&str) -> String) -> Result<(), String> {
    let key = own("command");
    match (agent.brain, agent.command.first()) {
        (None | Some(BrainKind::Rules | BrainKind::Model), _) => Ok(()),
        (Some(brain @ (BrainKind::Command | BrainKind::Acp)), None) => {
            Err(format!("{key} is missing: the brain `{}` is the program that is named there", brain.name()))
        }
        (Some(_), None) => Ok(()),
        // It is then run in the checkout of whoever started it, and refused if it is asked for a review.
        (Some(_), Some(_)) if agent.handler == Some(HandlerKind::Command) => Ok(()),
        (Some(_), Some(program)) => refuse_relative(&key, program),
    }
}

fn check_protocol(agent: &AgentEntry, own: impl Fn(&str) -> String) -> Result<(), String> {
    let key = own("protocol");
    match (agent.brain, agent.protocol) {
        (Some(BrainKind::Acp), Protocol::Cli) => {
            Err(format!("{key} is `cli`, and the brain `acp` speaks nothing but the Agent Client Protocol"))
        }
        (Some(BrainKind::Command), Protocol::Acp) => Err(format!(
            "{key} is `acp`, and the brain `command` is no such program; set {} to `acp`",
            own("brain")
        )),
        (None | Some(BrainKind::Rules | BrainKind::Model), Protocol::Acp | Protocol::Cli) => Err(format!(
            "{key} is about coding agents, and {}",
            match agent.brain {
                Some(brain) => format!("the brain `{}` is none", brain.name()),
                None => format!("{} is not set", own("brain")),
            }
        )),
        (Some(_), _) | (None, Protocol::Auto) => Ok(()),
    }
}

/// A list that nobody keeps to would be worse than none.
fn check_commands(agent: &AgentEntry, own: impl Fn(&str) -> String) -> Result<(), String> {
    let Some(allowed) = &agent.allow_commands else { return Ok(()) };
    let key = own("allow_commands");
    let asks = match agent.brain {
        None | Some(BrainKind::Rules | BrainKind::Model | BrainKind::Command) => false,
        Some(
            BrainKind::Codex
            | BrainKind::Claude
            | BrainKind::Gemini
            | BrainKind::Opencode
            | BrainKind::Goose
            | BrainKind::Acp,
        ) => agent.protocol != Protocol::Cli,
    };
    if !asks {
        return Err(format!(
            "{key} is kept to through the Agent Client Protocol alone, which this agent is not spoken to by"
        ));
    }
    if agent.brain == Some(BrainKind::Codex) && *allowed != ["*"] {
        return Err(format!("{key}: codex asks nobody before it runs a command, so no list can be kept to"));
    }
    match allowed.iter().find(|command| command.trim().is_empty() || command.contains('*') && *command != "*")
    {
        None => Ok(()),
        Some(command) => Err(format!(
            "{key} holds `{command}`; write the beginning of a command, such as `cargo test`, or `*` by itself"
        )),
    }
}

fn within(key: &str, value: u32, least: u32, most: u32) -> Result<(), String> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(format!("{key} is {value}; use {least} to {most}"))
}
