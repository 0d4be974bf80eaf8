use domain::config::AgentConfig;
use engine::worker::ENGINEER;

pub(super) const HOW_TO_EQUIP: &str = "give it a `command` or a `brain` under `agents:` in countersign.yaml; `countersign init --stdout` prints an example";

/// Whether an agent has something to do its tasks with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Equipment {
    Enough,
    /// Every task would fail. They are better left pending.
    Nothing,
}

impl Equipment {
    /// Reviews need nothing: there is a built-in reviewer. Only of the queue that fixes go to is it known that
    /// reviews are not what it gets.
    pub(super) fn of(agent: &AgentConfig) -> Equipment {
        let has_any = agent.handler.is_some() || agent.brain.is_some() || !agent.command.is_empty();
        if agent.queue == ENGINEER && !has_any { Equipment::Nothing } else { Equipment::Enough }
    }
}

pub(super) fn what_is_missing(agent: &AgentConfig) -> String {
    let id = &agent.id;
    format!(
        "Agent {id} has nothing to do its tasks with and is not started; they stay pending: {HOW_TO_EQUIP}"
    )
}
