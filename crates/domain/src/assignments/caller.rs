use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::is_replica_of;
use crate::tasks::{Invalid, check_agent_name};
use crate::text::clean_line;

const LONGEST_PERSON: usize = 100;

/// Who asks for something, as configuration or a token says. Never what a request says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    name: String,
    role: Role,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    Coder,
    Reviewer,
    Person,
}

impl Caller {
    /// Agents are called as their queues and logs are; people by any one visible line.
    pub fn new(name: &str, role: Role) -> Result<Caller, Invalid> {
        match role {
            Role::Coder | Role::Reviewer => check_agent_name("name", name)?,
            Role::Person => check_person(name)?,
        }
        Ok(Caller { name: name.to_owned(), role })
    }

    /// The one of that name; else the one whose name differs in case only; else the agent whose replica goes by it, as
    /// that replica.
    pub fn among(callers: &[Caller], name: &str) -> Option<Caller> {
        let exact = callers.iter().find(|caller| caller.name == name);
        let found = exact.or_else(|| callers.iter().find(|caller| caller.name.eq_ignore_ascii_case(name)));
        found.cloned().or_else(|| {
            let is_replica =
                |caller: &&Caller| caller.role != Role::Person && is_replica_of(&caller.name, name);
            callers.iter().find(is_replica).map(|caller| Caller { name: name.to_owned(), role: caller.role })
        })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn role(&self) -> Role {
        self.role
    }

    /// Whether this is the agent of that name, or one and the other are an agent and its replica.
    pub fn is_also(&self, name: &str) -> bool {
        is_same_agent(&self.name, name)
    }
}

/// An agent does not become somebody else by another spelling or by being started twice.
pub(super) fn is_same_agent(one: &str, other: &str) -> bool {
    let (one, other) = (one.to_ascii_lowercase(), other.to_ascii_lowercase());
    one == other || is_replica_of(&one, &other) || is_replica_of(&other, &one)
}

fn check_person(name: &str) -> Result<(), Invalid> {
    if name.trim().is_empty() {
        return Err(Invalid::new("name", "is missing"));
    }
    if name.len() > LONGEST_PERSON {
        return Err(Invalid::new("name", format!("is longer than {LONGEST_PERSON} bytes")));
    }
    if clean_line(name) != name {
        return Err(Invalid::new("name", "is not one line of visible text"));
    }
    Ok(())
}

impl Role {
    pub const ALL: [Role; 3] = [Role::Coder, Role::Reviewer, Role::Person];

    pub fn as_str(self) -> &'static str {
        match self {
            Role::Coder => "coder",
            Role::Reviewer => "reviewer",
            Role::Person => "person",
        }
    }
}

impl fmt::Display for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}
