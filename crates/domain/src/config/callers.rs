use std::collections::BTreeSet;

use super::{AgentRole, Config};
use crate::assignments::{Caller, Role};

impl Config {
    /// Who may call the tools: the configured agents in their roles, else a coder `engineer` and a reviewer `qa`; and the
    /// people, else one called `person`.
    pub fn callers(&self) -> Vec<Caller> {
        let agents: Vec<(&str, Role)> = match &self.agents[..] {
            [] => vec![("engineer", Role::Coder), ("qa", Role::Reviewer)],
            agents => agents.iter().map(|agent| (agent.id.as_str(), role(agent.role()))).collect(),
        };
        let people: Vec<&str> = match &self.people[..] {
            [] => vec!["person"],
            people => people.iter().map(String::as_str).collect(),
        };
        let people = people.into_iter().map(|name| (name, Role::Person));
        agents.into_iter().chain(people).filter_map(|(name, role)| Caller::new(name, role).ok()).collect()
    }

    pub(super) fn check_people(&self) -> Result<(), String> {
        let agents = self.agents.iter().map(|agent| agent.id.as_str());
        let mut names: BTreeSet<&str> = agents.collect();
        for name in &self.people {
            Caller::new(name, Role::Person).map_err(|invalid| format!("people: {invalid}"))?;
            if !names.insert(name) {
                return Err(format!("people: somebody else is called {name}, too"));
            }
        }
        Ok(())
    }
}

fn role(agent: AgentRole) -> Role {
    match agent {
        AgentRole::Coder => Role::Coder,
        AgentRole::Reviewer => Role::Reviewer,
    }
}
