use serde_json::{Map, Value};

use super::BranchName;
use super::caller::is_same_agent;
use crate::cycle::{Cycle, Limits};
use crate::tasks::{Invalid, TaskId, check_agent_name, check_line, check_size};

const LONGEST_DESCRIPTION: usize = 256 * 1024;
const LARGEST_CONTEXT: usize = 64 * 1024;

/// An assignment as somebody asks for it. Nothing is checked yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AssignmentDraft {
    pub title: String,
    pub description: String,
    /// The coder.
    pub agent: String,
    pub reviewer: Option<String>,
    pub task_id: Option<String>,
    pub branch_name: Option<String>,
    pub base: Option<String>,
    /// How many reviews it may have, if not as many as the project says.
    pub max_review_cycles: Option<u32>,
    pub context: Map<String, Value>,
}

/// An assignment that was found fit for the store, with the cycle it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAssignment {
    pub(super) title: String,
    pub(super) description: String,
    pub(super) agent: String,
    pub(super) reviewer: Option<String>,
    pub(super) task: Option<TaskId>,
    pub(super) branch: Option<BranchName>,
    pub(super) base: Option<String>,
    pub(super) context: Map<String, Value>,
    pub(super) cycle: Cycle,
}

impl NewAssignment {
    /// The first thing that is wrong is named. `limits` are the project's.
    pub fn new(draft: AssignmentDraft, limits: &Limits) -> Result<NewAssignment, Invalid> {
        if draft.title.trim().is_empty() {
            return Err(Invalid::new("title", "is missing"));
        }
        check_line("title", &draft.title)?;
        check_size("description", &draft.description, LONGEST_DESCRIPTION)?;
        // PostgreSQL could not keep it.
        if draft.description.contains('\0') {
            return Err(Invalid::new("description", "holds a NUL character"));
        }
        check_agent_name("agent", &draft.agent)?;
        let reviewer = filled(draft.reviewer);
        if let Some(reviewer) = &reviewer {
            check_reviewer(reviewer, &draft.agent)?;
        }
        let task = filled(draft.task_id).map(|id| TaskId::parse(&id)).transpose();
        let branch = filled(draft.branch_name).map(|name| BranchName::parse(&name)).transpose()?;
        let base = filled(draft.base);
        if let Some(base) = &base {
            check_base(base)?;
        }
        check_size("context", &Value::Object(draft.context.clone()).to_string(), LARGEST_CONTEXT)?;
        let max_review_cycles = draft.max_review_cycles.unwrap_or(limits.max_review_cycles);
        let limits = Limits { max_review_cycles, ..limits.clone() };
        let cycle =
            Cycle::assignment(limits).map_err(|bad| Invalid::new("max_review_cycles", bad.to_string()))?;
        Ok(NewAssignment {
            title: draft.title,
            description: draft.description,
            agent: draft.agent,
            reviewer,
            task: task.map_err(|invalid| Invalid::new("task_id", invalid.reason))?,
            branch,
            base,
            context: draft.context,
            cycle,
        })
    }

    pub fn task(&self) -> Option<&TaskId> {
        self.task.as_ref()
    }
}

fn check_reviewer(reviewer: &str, agent: &str) -> Result<(), Invalid> {
    check_agent_name("reviewer", reviewer)?;
    if is_same_agent(reviewer, agent) {
        return Err(Invalid::new(
            "reviewer",
            format!("is {agent}, who would review its own work; name another"),
        ));
    }
    Ok(())
}

/// A branch, a tag or a commit. Expressions such as `main~3` move, and git would take a dash for an option.
pub fn check_base(base: &str) -> Result<(), Invalid> {
    match BranchName::parse(base) {
        Ok(_) => Ok(()),
        Err(invalid) => Err(Invalid::new("base", invalid.reason)),
    }
}

/// Programs that fill in forms send an empty text for nothing.
fn filled(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}
