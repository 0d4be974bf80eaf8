use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::TicketId;
use super::limits::{EpicLimits, TicketBudget, TicketLimits};
use crate::assignments::BranchName;
use crate::config::LoopPolicy;
use crate::cycle::ReviewMode;
use crate::work::{Coordination, Epic};

/// The whole of an epic: its tickets, what they agreed on, and how they are built, validated and reviewed.
///
/// A value of this type has been checked: ids are unique and fit for branches, every dependency is a ticket and
/// none of them leads back to itself. Written as JSON it is again an epic that reads as the same value.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct EpicDocument {
    pub id: TicketId,
    #[schemars(default)]
    pub title: String,
    /// What the epic branch begins at. None: whatever is checked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_branch: Option<BranchName>,
    /// The epic branch, `epic/<id>` if the epic does not say.
    #[schemars(with = "Option<BranchName>")]
    pub branch: BranchName,
    /// `on` or `off`, which some readers of YAML take for true and false.
    #[schemars(default, with = "OnOrOff")]
    pub review: ReviewMode,
    /// Who builds: an agent of `countersign.yaml`. None: the fixer of its `loop`.
    #[schemars(regex(pattern = "^[A-Za-z0-9_.@:-]{1,64}$"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub builder: Option<String>,
    /// Who reviews: `rules`, `model` or an agent of `countersign.yaml`. None: the reviewer of its `loop`.
    #[schemars(regex(pattern = "^[A-Za-z0-9_.@:-]{1,64}$"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<String>,
    /// How many tickets are worked on at once.
    #[schemars(default = "default_parallel", range(min = 1, max = 128))]
    pub parallel: u32,
    #[schemars(length(min = 1))]
    pub tickets: Vec<TicketEntry>,
    #[schemars(default)]
    pub coordination_requirements: Coordination,
    #[schemars(default)]
    pub commands: Commands,
    #[schemars(default)]
    pub limits: EpicLimits,
}

/// For the schema alone.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code, reason = "a schema is made of it, never a value")]
enum OnOrOff {
    Word(ReviewMode),
    Bool(bool),
}

/// Of the command line as well.
pub const MOST_PARALLEL: u32 = 128;

pub(super) fn default_parallel() -> u32 {
    2
}

/// Some part that is not `.`, none that is `..`, no drive, no backslash, nothing that controls a terminal.
const TICKET_PATH: &str = r"^(?!/)(?![A-Za-z]:)(?!([^\\]*/)?\.\.(/|$))(?=([^\\]*/)?([^/.]|\.[^/]))(?=[^\\]*[^\\\s])[^\\\x00-\x1f\x7f-\x9f]*$";

/// A ticket, by the name of its branch and the file that describes it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TicketEntry {
    pub id: TicketId,
    /// The ticket's markdown, from the folder of the epic. Never absolute, never with `..`, with `/` alone.
    #[schemars(length(max = 1_000), regex(pattern = TICKET_PATH))]
    pub path: String,
    /// Tickets that have to be completed before this one begins. Each names a ticket of this epic, once.
    #[schemars(default)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<TicketId>,
    /// Where it differs from the epic's.
    #[schemars(default)]
    #[serde(skip_serializing_if = "TicketLimits::is_empty")]
    pub limits: TicketLimits,
    #[schemars(default)]
    #[serde(skip_serializing_if = "TicketBudget::is_empty")]
    pub budget: TicketBudget,
}

/// What is run on each ticket's work before a reviewer sees it. A command is for a shell; an empty one is none,
/// even where `countersign.yaml` has one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Commands {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lint: Option<String>,
    /// Its last number is the coverage in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<String>,
    #[schemars(range(max = 100))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage_minimum: Option<u8>,
    /// Seconds for each of them.
    #[schemars(range(min = 1, max = 604_800))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u32>,
    /// Names of variables they may see besides those every program gets.
    #[schemars(inner(regex(pattern = "^[A-Za-z_][A-Za-z0-9_]*$")))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<Vec<String>>,
}

/// [`Commands`] with nothing left to look up. `None`: nothing is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedCommands {
    pub test: Option<String>,
    pub lint: Option<String>,
    pub coverage: Option<String>,
    pub coverage_minimum: u8,
    pub timeout_seconds: u32,
    pub environment: Vec<String>,
}

impl Commands {
    /// What the epic does not say, the project's `loop` does.
    pub fn over(&self, policy: &LoopPolicy) -> ResolvedCommands {
        let said = |own: &Option<String>, project: &str| {
            let command = own.as_deref().unwrap_or(project).trim();
            (!command.is_empty()).then(|| command.to_owned())
        };
        ResolvedCommands {
            test: said(&self.test, &policy.test_command),
            lint: said(&self.lint, ""),
            coverage: said(&self.coverage, &policy.coverage_command),
            coverage_minimum: self.coverage_minimum.unwrap_or(policy.coverage_minimum),
            timeout_seconds: self.timeout.unwrap_or(policy.command_timeout),
            environment: self.environment.clone().unwrap_or_else(|| policy.environment.clone()),
        }
    }
}

/// The place of a ticket in its epic, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TicketIndex(pub usize);

impl Serialize for TicketIndex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0 as u64)
    }
}

impl EpicDocument {
    /// What a reviewer is told of it.
    pub fn for_review(&self, path: &str) -> Epic {
        Epic {
            path: path.to_owned(),
            id: self.id.to_string(),
            title: self.title.clone(),
            coordination: self.coordination_requirements.clone(),
        }
    }

    /// What people call it.
    pub fn name(&self) -> &str {
        if self.title.trim().is_empty() { self.id.as_str() } else { &self.title }
    }

    pub fn ticket(&self, id: &str) -> Option<&TicketEntry> {
        self.tickets.iter().find(|ticket| ticket.id.as_str() == id)
    }

    pub fn indices(&self) -> impl Iterator<Item = TicketIndex> + use<> {
        (0..self.tickets.len()).map(TicketIndex)
    }

    pub(super) fn positions(&self) -> BTreeMap<&TicketId, usize> {
        self.tickets.iter().enumerate().map(|(index, ticket)| (&ticket.id, index)).collect()
    }

    /// The branch of a ticket.
    pub fn branch_of(ticket: &TicketId) -> String {
        format!("ticket/{ticket}")
    }
}
