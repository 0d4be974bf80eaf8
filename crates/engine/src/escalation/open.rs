use std::fmt;
use std::str::FromStr;

use domain::assignments::{Assignment, AssignmentFilter, AssignmentId};
use domain::cycle::{AssignmentStatus, Resolution, TaskStatus};
use domain::ports::{AssignmentError, AssignmentStore, TaskStore};
use domain::tasks::{Invalid, StoredTask, TaskFilter, TaskId};
use jiff::Timestamp;
use serde::Serialize;

/// What may be escalated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EscalationKind {
    Task,
    Assignment,
}

/// `assignment/7`, `task/review-qa-1738588800000-a1b2c3`; or `7`, of whatever kind that is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EscalationRef {
    pub kind: Option<EscalationKind>,
    pub id: String,
}

/// Something that waits for a human's word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OpenEscalation {
    pub kind: EscalationKind,
    pub id: String,
    pub title: String,
    /// Whose work it is.
    pub agent: String,
    pub reason: Option<String>,
    pub review_attempt: u32,
    pub options: Vec<Resolution>,
    pub since: Timestamp,
}

impl EscalationKind {
    pub const ALL: [EscalationKind; 2] = [EscalationKind::Task, EscalationKind::Assignment];

    pub fn as_str(self) -> &'static str {
        match self {
            EscalationKind::Task => "task",
            EscalationKind::Assignment => "assignment",
        }
    }
}

/// What is open of every kind, what has waited longest first; at most `most` of each, the newest of them.
pub async fn open<S: TaskStore + AssignmentStore>(
    store: &S,
    most: u32,
) -> Result<Vec<OpenEscalation>, AssignmentError> {
    let mut all = Vec::new();
    for kind in EscalationKind::ALL {
        all.extend(open_of(store, kind, most).await?);
    }
    all.sort_by_key(|one| one.since);
    Ok(all)
}

/// What is open under that name: one, none or, of different kinds, several.
pub async fn find<S: TaskStore + AssignmentStore>(
    store: &S,
    wanted: &EscalationRef,
) -> Result<Vec<OpenEscalation>, AssignmentError> {
    let mut found = Vec::new();
    for kind in EscalationKind::ALL {
        if wanted.kind.is_none_or(|named| named == kind) {
            found.extend(open_one(store, kind, &wanted.id).await?);
        }
    }
    Ok(found)
}

async fn open_of<S: TaskStore + AssignmentStore>(
    store: &S,
    kind: EscalationKind,
    most: u32,
) -> Result<Vec<OpenEscalation>, AssignmentError> {
    match kind {
        EscalationKind::Task => {
            let filter = TaskFilter { status: Some(TaskStatus::Escalated), agent: None };
            let page = store.list(&filter, None, most).await?;
            Ok(page.tasks.iter().map(OpenEscalation::from).collect())
        }
        EscalationKind::Assignment => {
            let status = Some(AssignmentStatus::Escalated);
            let filter = AssignmentFilter { status, ..AssignmentFilter::default() };
            let page = store.assignments(&filter, None, most).await?;
            Ok(page.assignments.iter().map(OpenEscalation::from).collect())
        }
    }
}

async fn open_one<S: TaskStore + AssignmentStore>(
    store: &S,
    kind: EscalationKind,
    id: &str,
) -> Result<Option<OpenEscalation>, AssignmentError> {
    match kind {
        EscalationKind::Task => {
            let Ok(id) = TaskId::parse(id) else { return Ok(None) };
            let stored = store.get(&id).await?;
            let stored = stored.filter(|stored| stored.task.status == TaskStatus::Escalated);
            Ok(stored.as_ref().map(OpenEscalation::from))
        }
        EscalationKind::Assignment => {
            let Ok(id) = id.parse::<AssignmentId>() else { return Ok(None) };
            let stored = store.assignment(id).await?;
            let stored = stored.filter(|stored| stored.status() == AssignmentStatus::Escalated);
            Ok(stored.as_ref().map(OpenEscalation::from))
        }
    }
}

impl OpenEscalation {
    pub fn name(&self) -> EscalationRef {
        EscalationRef { kind: Some(self.kind), id: self.id.clone() }
    }
}

impl From<&StoredTask> for OpenEscalation {
    fn from(stored: &StoredTask) -> OpenEscalation {
        OpenEscalation {
            kind: EscalationKind::Task,
            id: stored.task.id.to_string(),
            title: stored.task.title.clone(),
            agent: stored.task.assigned_to.clone(),
            reason: stored.reason.clone().or_else(|| stored.cycle.failure_reason()),
            review_attempt: stored.cycle.review_attempt(),
            options: stored.cycle.options(),
            since: stored.updated_at,
        }
    }
}

impl From<&Assignment> for OpenEscalation {
    fn from(assignment: &Assignment) -> OpenEscalation {
        OpenEscalation {
            kind: EscalationKind::Assignment,
            id: assignment.id.to_string(),
            title: assignment.title.clone(),
            agent: assignment.agent.clone(),
            reason: assignment.cycle.failure_reason(),
            review_attempt: assignment.review_attempt(),
            options: assignment.cycle.options(),
            since: assignment.updated_at,
        }
    }
}

impl fmt::Display for EscalationRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Some(kind) => write!(f, "{}/{}", kind.as_str(), self.id),
            None => f.write_str(&self.id),
        }
    }
}

impl FromStr for EscalationRef {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<EscalationRef, Invalid> {
        let Some((kind, id)) = text.split_once('/') else {
            return Ok(EscalationRef { kind: None, id: text.to_owned() });
        };
        let known = EscalationKind::ALL.into_iter().find(|known| known.as_str() == kind);
        let kind = known.ok_or_else(|| {
            let kinds = EscalationKind::ALL.map(EscalationKind::as_str).join(", ");
            Invalid::new("id", format!("is of no kind that is escalated; those are {kinds}"))
        })?;
        Ok(EscalationRef { kind: Some(kind), id: id.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_say_its_kind() {
        let name = |text: &str| text.parse::<EscalationRef>();
        assert_eq!(name("assignment/7").unwrap().kind, Some(EscalationKind::Assignment));
        assert_eq!(name("7").unwrap(), EscalationRef { kind: None, id: "7".to_owned() });
        assert_eq!(name("task/x").unwrap().to_string(), "task/x");
        assert!(name("planet/7").unwrap_err().to_string().contains("task, assignment"));
    }
}
