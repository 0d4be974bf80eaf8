use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::validate::{PRIORITIES, bad_priority};
use super::{Invalid, TaskId};
use crate::cycle::{TaskKind, TaskStatus};

/// A task as it stands in a file, a command's answer or a request: the published format, field for field.
///
/// What a writer leaves out has its default; what we do not know is kept in `extra` and given back. Errors
/// of reading name the field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Map<String, Value>")]
pub struct Task {
    pub id: TaskId,
    #[serde(rename = "type")]
    pub kind: String,
    pub status: TaskStatus,
    /// 1 is the most urgent, 100 the least.
    pub priority: u8,
    pub created_by: String,
    pub assigned_to: String,
    /// RFC 3339, in the writer's own spelling. Left empty, the store puts its time there.
    pub created_at: String,
    pub title: String,
    pub description: String,
    pub depends_on: Vec<TaskId>,
    /// The same relation from the other end: those tasks wait for this one, unless they have begun already.
    pub blocks: Vec<TaskId>,
    pub acceptance_criteria: Vec<String>,
    pub deliverables: Vec<String>,
    pub notes: Vec<String>,
    pub context: Map<String, Value>,
    /// How often the work crashed so far. The store counts; what a new task says here is not believed.
    pub retry_count: u32,
    /// How many reviews the work may have, if not as many as the project says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_review_cycles: Option<u32>,
    pub plan: Value,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

const DEFAULT_PRIORITY: u8 = 50;

impl Task {
    /// The least a task has. Everything else is public and has its default.
    pub fn new(id: TaskId, kind: &str, assigned_to: &str, title: &str) -> Task {
        Task {
            id,
            kind: kind.to_owned(),
            status: TaskStatus::Pending,
            priority: DEFAULT_PRIORITY,
            created_by: String::new(),
            assigned_to: assigned_to.to_owned(),
            created_at: String::new(),
            title: title.to_owned(),
            description: String::new(),
            depends_on: Vec::new(),
            blocks: Vec::new(),
            acceptance_criteria: Vec::new(),
            deliverables: Vec::new(),
            notes: Vec::new(),
            context: Map::new(),
            retry_count: 0,
            max_review_cycles: None,
            plan: Value::Null,
            extra: Map::new(),
        }
    }

    pub fn parse(json: &str) -> Result<Task, Invalid> {
        let value: Value = serde_json::from_str(json)
            .map_err(|error| Invalid::new("task", format!("is not JSON: {error}")))?;
        match value {
            Value::Object(fields) => Task::try_from(fields),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                Err(Invalid::new("task", "is not a JSON object"))
            }
        }
    }

    /// As far as the review cycle cares.
    pub fn cycle_kind(&self) -> TaskKind {
        match self.kind.as_str() {
            "review" => TaskKind::Review,
            "fix" => TaskKind::Fix,
            _ => TaskKind::Other,
        }
    }
}

impl TryFrom<Map<String, Value>> for Task {
    type Error = Invalid;

    fn try_from(mut fields: Map<String, Value>) -> Result<Task, Invalid> {
        let fields = &mut fields;
        Ok(Task {
            id: take(fields, "id")?.ok_or_else(|| Invalid::new("id", "is missing"))?,
            kind: take(fields, "type")?.unwrap_or_default(),
            status: take(fields, "status")?.unwrap_or(TaskStatus::Pending),
            priority: take_priority(fields)?,
            created_by: take(fields, "created_by")?.unwrap_or_default(),
            assigned_to: take(fields, "assigned_to")?.unwrap_or_default(),
            created_at: take(fields, "created_at")?.unwrap_or_default(),
            title: take(fields, "title")?.unwrap_or_default(),
            description: take(fields, "description")?.unwrap_or_default(),
            depends_on: take(fields, "depends_on")?.unwrap_or_default(),
            blocks: take(fields, "blocks")?.unwrap_or_default(),
            acceptance_criteria: take(fields, "acceptance_criteria")?.unwrap_or_default(),
            deliverables: take(fields, "deliverables")?.unwrap_or_default(),
            notes: take(fields, "notes")?.unwrap_or_default(),
            context: take(fields, "context")?.unwrap_or_default(),
            retry_count: take(fields, "retry_count")?.unwrap_or_default(),
            max_review_cycles: take(fields, "max_review_cycles")?,
            plan: fields.shift_remove("plan").unwrap_or_default(),
            extra: std::mem::take(fields),
        })
    }
}

/// Whatever it is that is no number from 1 to 100, it is told what would be one.
fn take_priority(fields: &mut Map<String, Value>) -> Result<u8, Invalid> {
    match fields.shift_remove("priority") {
        None | Some(Value::Null) => Ok(DEFAULT_PRIORITY),
        Some(value) => value
            .as_u64()
            .and_then(|number| u8::try_from(number).ok())
            .filter(|number| PRIORITIES.contains(number))
            .ok_or_else(bad_priority),
    }
}

/// `null` is as good as absent.
fn take<T: DeserializeOwned>(fields: &mut Map<String, Value>, name: &str) -> Result<Option<T>, Invalid> {
    match fields.shift_remove(name) {
        None => Ok(None),
        Some(value) => serde_json::from_value(value).map_err(|error| Invalid::new(name, error.to_string())),
    }
}
