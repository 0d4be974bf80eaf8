//! What waits for a person, of whatever kind, and the person's word on it.

use std::sync::Arc;

use domain::assignments::AssignmentId;
use domain::cycle::Resolution;
use domain::tasks::Invalid;
use engine::escalation::{EscalationKind, EscalationRef, OpenEscalation, Resolved};
use engine::story::Decided;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Call, Hints, Tool, page_size};
use crate::mcp::trouble::{Answer, Trouble};
use crate::workbench::{Stores, Workbench};

pub(crate) struct ListEscalations;

pub(crate) struct ResolveEscalation;

/// Of each kind no more are looked at: the newest. Older ones appear when those are decided.
const MOST: u32 = 1_000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wanted {
    /// 1 to 100; 20 if left out.
    #[serde(default)]
    limit: Option<u32>,
    /// next_cursor of the page before.
    #[serde(default)]
    cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Escalations {
    escalations: Vec<Escalated>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Escalated {
    /// What resolve_escalation takes.
    escalation: String,
    kind: &'static str,
    title: String,
    agent: String,
    reason: Option<String>,
    review_attempt: u32,
    options: Vec<&'static str>,
    since: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Decision {
    /// assignment/7, task/ID, story/ID or mission/KEY.
    #[serde(default)]
    escalation: Option<String>,
    /// Instead, of an assignment.
    #[serde(default)]
    assignment_id: Option<i64>,
    /// One of its options: accept it as it is, grant one_more attempt, close it; block a story to fix it by hand.
    resolution: Word,
    /// For whoever works on it; required to accept a story: why.
    #[serde(default)]
    note: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Word {
    Accept,
    OneMore,
    Close,
    Block,
}

/// What became of it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Standing {
    escalation: String,
    status: &'static str,
    /// The tasks that follow from it.
    follow_ups: Vec<String>,
    message: String,
}

impl Tool for ListEscalations {
    const NAME: &'static str = "list_escalations";
    const DESCRIPTION: &'static str = "Assignments, tasks, stories and missions that wait for a person's decision, and what can be decided.";
    const HINTS: Hints = Hints::Reads;
    type Input = Wanted;
    type Output = Escalations;

    async fn call<S: Stores>(bench: &Arc<Workbench<S>>, _: Call, input: Wanted) -> Answer<Escalations> {
        let size = page_size(input.limit)? as usize;
        let after = input.cursor.as_deref().map(place).transpose()?;
        let mut open = bench.escalations().open(MOST).await?;
        open.retain(|one| after.as_ref().is_none_or(|after| one.place() > *after));
        let is_last = open.len() <= size;
        open.truncate(size);
        let next = open.last().filter(|_| !is_last).map(cursor);
        Ok(Escalations { escalations: open.iter().map(Escalated::from).collect(), next_cursor: next })
    }
}

impl Tool for ResolveEscalation {
    const NAME: &'static str = "resolve_escalation";
    const DESCRIPTION: &'static str = "People only: decide about what list_escalations shows.";
    const HINTS: Hints = Hints::Decides;
    type Input = Decision;
    type Output = Standing;

    async fn call<S: Stores>(bench: &Arc<Workbench<S>>, call: Call, input: Decision) -> Answer<Standing> {
        let name = named(input.escalation.as_deref(), input.assignment_id)?;
        let resolution = match input.resolution {
            Word::Accept => Resolution::Accept,
            Word::OneMore => Resolution::OneMore,
            Word::Close => Resolution::Close,
            Word::Block => Resolution::Block,
        };
        let note = input.note.unwrap_or_default();
        let resolved = bench.escalations().resolve(&call.caller, &name, resolution, &note).await?;
        Ok(Standing::of(&resolved, resolution))
    }
}

fn named(escalation: Option<&str>, assignment: Option<i64>) -> Answer<EscalationRef> {
    match (escalation, assignment) {
        (Some(name), None) => {
            Ok(name.parse().map_err(|invalid: Invalid| Invalid::new("escalation", invalid.reason))?)
        }
        (None, Some(id)) => {
            let id = AssignmentId::new(id)?.to_string();
            Ok(EscalationRef { kind: Some(EscalationKind::Assignment), id })
        }
        (None, None) | (Some(_), Some(_)) => Err(Trouble::new(
            "escalation: exactly one of it and assignment_id is needed",
            "call again with the escalation as list_escalations names it",
        )),
    }
}

/// Where a page ends, so that the next begins after it whatever was decided meanwhile.
fn cursor(last: &OpenEscalation) -> String {
    let (since, name) = last.place();
    format!("{since} {name}")
}

fn place(cursor: &str) -> Answer<(Timestamp, String)> {
    let read = cursor.split_once(' ').and_then(|(since, name)| Some((since.parse().ok()?, name.to_owned())));
    read.ok_or_else(|| {
        Trouble::new(
            "cursor: is none of this list",
            "call again with next_cursor as it was given, or without",
        )
    })
}

impl From<&OpenEscalation> for Escalated {
    fn from(one: &OpenEscalation) -> Escalated {
        Escalated {
            escalation: one.name().to_string(),
            kind: one.kind.as_str(),
            title: one.title.clone(),
            agent: one.agent.clone(),
            reason: one.reason.clone(),
            review_attempt: one.review_attempt,
            options: one.options.iter().map(|option| option.as_str()).collect(),
            since: one.since.to_string(),
        }
    }
}

impl Standing {
    fn of(resolved: &Resolved, resolution: Resolution) -> Standing {
        let message = format!("Resolved as {}", resolution.as_str());
        let named = |kind: EscalationKind, id: String| EscalationRef { kind: Some(kind), id }.to_string();
        match resolved {
            Resolved::Task { id, finished } => Standing {
                escalation: named(EscalationKind::Task, id.to_string()),
                status: finished.status.as_str(),
                follow_ups: finished.follow_ups.iter().map(|task| task.id().to_string()).collect(),
                message,
            },
            Resolved::Assignment(assignment) => Standing {
                escalation: named(EscalationKind::Assignment, assignment.id.to_string()),
                status: assignment.status().as_str(),
                follow_ups: Vec::new(),
                message,
            },
            Resolved::Mission(mission) => Standing {
                escalation: named(EscalationKind::Mission, mission.key.to_string()),
                status: mission.step.as_str(),
                follow_ups: Vec::new(),
                message: match mission.is_over() {
                    true => message,
                    false => format!("{message}. It goes on with: countersign mission {}", mission.key),
                },
            },
            Resolved::Story { story, decided } => Standing {
                escalation: named(EscalationKind::Story, story.id.clone()),
                status: story.cycle.status(),
                follow_ups: Vec::new(),
                message: match decided {
                    Decided::Accepted => message,
                    Decided::Blocked => {
                        format!("{message}. When it is corrected: countersign loop --resume {}", story.id)
                    }
                    Decided::GoesOn => {
                        format!("{message}. It goes on with: countersign loop --resume {}", story.id)
                    }
                },
            },
        }
    }
}
