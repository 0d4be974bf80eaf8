use domain::review::Usage;

use super::extract::find_json;
use super::lines::once;
use super::{AgentAnswer, AgentTrouble, Role};

/// What is remembered of the events of an agent that tells of each tool whether it worked.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) said: String,
    pub(super) error: Option<String>,
    pub(super) usage: Usage,
    worked: Vec<String>,
    failed: Vec<String>,
    denied: Vec<String>,
}

impl Tally {
    pub(super) fn worked(&mut self, tool: String) {
        self.worked.push(tool);
    }

    /// With the agent's own reason, and the words by which a refusal is known.
    pub(super) fn failed(&mut self, tool: String, reason: &str, refusals: &[&str]) {
        let reason = reason.to_lowercase();
        if refusals.iter().any(|sign| reason.contains(sign)) {
            self.denied.push(tool.clone());
        }
        self.failed.push(tool);
    }

    /// Of a run that came to its end. A reviewer that wanted to read, by the tools that do, and never could has seen
    /// nothing but its prompt.
    pub(super) fn answer(self, role: Role, reading: &[&str]) -> Result<AgentAnswer, AgentTrouble> {
        if self.said.trim().is_empty() {
            return Err(AgentTrouble::Empty);
        }
        let reads = |tool: &String| reading.contains(&tool.as_str());
        if role == Role::Reviewer && !self.worked.iter().any(reads) && self.failed.iter().any(reads) {
            return Err(AgentTrouble::CouldNotRead(once(self.failed).join(", ")));
        }
        Ok(AgentAnswer {
            structured: find_json(&self.said),
            text: self.said,
            usage: Some(self.usage),
            denied_tools: once(self.denied),
        })
    }
}
