use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::cycle::TaskStatus;

/// A task as anybody may write it: what [`crate::tasks::Task`] reads, for its schema. Unknown fields are kept and
/// given back.
#[derive(Deserialize, JsonSchema)]
#[expect(
    dead_code,
    reason = "only its schema is used; tasks are read by hand, to name the field that is wrong"
)]
pub(super) struct TaskDocument {
    /// Names the task, its file and its lock. Usually `<type>-<agent>-<epoch ms>-<6 hex>`.
    #[schemars(length(max = 128), regex(pattern = r"^[A-Za-z0-9_][A-Za-z0-9._-]*$"))]
    id: String,
    /// What kind of work: review, fix, implementation, or any other word.
    #[serde(rename = "type")]
    #[schemars(length(max = 32), regex(pattern = r"^[A-Za-z0-9_][A-Za-z0-9._-]*$"))]
    kind: String,
    /// One line on what is to be done.
    #[schemars(length(min = 1, max = 500))]
    title: String,
    /// Whose queue it is for. In a queue's folder the folder decides.
    #[serde(default)]
    #[schemars(length(max = 64))]
    assigned_to: String,
    /// A new task is pending; the rest is for the store to say.
    #[serde(default = "pending")]
    status: TaskStatus,
    /// 1 is the most urgent, 100 the least; among equals the oldest comes first.
    #[serde(default = "priority")]
    #[schemars(range(min = 1, max = 100))]
    priority: u8,
    /// Who wants it done.
    #[serde(default)]
    #[schemars(length(max = 500))]
    created_by: String,
    /// RFC 3339. Left out, the store's time.
    #[serde(default)]
    created_at: String,
    /// Everything the agent has to know, in 262144 bytes at most.
    #[serde(default)]
    description: String,
    /// Ids of tasks that have to be completed before this one is begun. Where a file names one that does not
    /// exist, its task waits for it.
    #[serde(default)]
    #[schemars(length(max = 200))]
    depends_on: Vec<String>,
    /// The same from the other end: ids of tasks that wait for this one.
    #[serde(default)]
    #[schemars(length(max = 200))]
    blocks: Vec<String>,
    /// What the work has to fulfil.
    #[serde(default)]
    #[schemars(length(max = 1000))]
    acceptance_criteria: Vec<String>,
    /// What the work has to leave behind.
    #[serde(default)]
    #[schemars(length(max = 1000))]
    deliverables: Vec<String>,
    /// Remarks, as the guidance of people: the next attempt sees them.
    #[serde(default)]
    #[schemars(length(max = 1000))]
    notes: Vec<String>,
    /// What the work is about, by key.
    #[serde(default)]
    context: Map<String, Value>,
    /// How many reviews the work may have before a person decides. Left out, what the project says.
    #[serde(default)]
    #[schemars(range(min = 1))]
    max_review_cycles: Option<u32>,
    /// How often the work crashed. The store counts; what a new task says here is not believed.
    #[serde(default)]
    retry_count: u32,
    /// Whatever a planner left for the agent.
    #[serde(default)]
    plan: Value,
}

fn pending() -> TaskStatus {
    TaskStatus::Pending
}

fn priority() -> u8 {
    50
}
