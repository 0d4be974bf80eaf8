use std::fmt;
use std::str::FromStr;

use domain::assignments::{Assignment, AssignmentFilter, AssignmentId};
use domain::cycle::{AssignmentStatus, Resolution, TaskStatus};
use domain::epic::run::FailedTicket;
use domain::ports::{AssignmentStore, EpicStore, TaskStore};
use domain::tasks::{Invalid, StoredTask, TaskFilter, TaskId};
use domain::text::brief_line;
use jiff::Timestamp;
use serde::Serialize;

use super::stories::ask;
use super::{EscalationError, Escalations};
use crate::story::{Step, Story};

/// No id is longer, and no more of what somebody calls one is repeated to them.
const LONGEST_ID: usize = 256;
/// Among so many failed tickets one is looked for.
const MOST_TICKETS: u32 = 1000;

/// What may be escalated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EscalationKind {
    Task,
    Assignment,
    /// A loop.
    Story,
    /// Of an epic, failed. It begins again when somebody retries it.
    Ticket,
    /// A mission whose ticket could not be told how it ended, or whose process died.
    Mission,
}

/// `assignment/7`, `task/review-qa-1738588800000-a1b2c3`, `story/topic-a1b2c3`, `ticket/EPIC/TICKET`, `mission/PROJ-123`; or
/// `7`, of whatever kind that is.
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
    pub const ALL: [EscalationKind; 5] = [
        EscalationKind::Task,
        EscalationKind::Assignment,
        EscalationKind::Story,
        EscalationKind::Ticket,
        EscalationKind::Mission,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            EscalationKind::Task => "task",
            EscalationKind::Assignment => "assignment",
            EscalationKind::Story => "story",
            EscalationKind::Ticket => "ticket",
            EscalationKind::Mission => "mission",
        }
    }
}

impl<S: TaskStore + AssignmentStore + EpicStore> Escalations<'_, S> {
    /// What is open of every kind, what has waited longest first; at most `most` of each, the newest of them.
    pub async fn open(&self, most: u32) -> Result<Vec<OpenEscalation>, EscalationError> {
        let mut all = Vec::new();
        for kind in EscalationKind::ALL {
            all.extend(self.open_of(kind, most).await?);
        }
        all.sort_by_cached_key(OpenEscalation::place);
        Ok(all)
    }

    /// The one that is open under that name.
    pub async fn find(&self, wanted: &EscalationRef) -> Result<OpenEscalation, EscalationError> {
        let mut found = Vec::new();
        for kind in EscalationKind::ALL {
            if wanted.kind.is_none_or(|named| named == kind) {
                found.extend(self.open_one(kind, &wanted.id).await?);
            }
        }
        match (found.pop(), found.pop()) {
            (Some(one), None) => Ok(one),
            (Some(other), Some(one)) => Err(EscalationError::Ambiguous {
                wanted: wanted.clone(),
                one: one.name(),
                other: other.name(),
            }),
            (None, _) => Err(EscalationError::NotEscalated(wanted.clone())),
        }
    }

    async fn open_of(&self, kind: EscalationKind, most: u32) -> Result<Vec<OpenEscalation>, EscalationError> {
        match kind {
            EscalationKind::Task => {
                let filter = TaskFilter { status: Some(TaskStatus::Escalated), agent: None };
                let page = self.desk.store.list(&filter, None, most).await?;
                Ok(page.tasks.iter().map(OpenEscalation::from).collect())
            }
            EscalationKind::Assignment => {
                let status = Some(AssignmentStatus::Escalated);
                let filter = AssignmentFilter { status, ..AssignmentFilter::default() };
                let page = self.desk.store.assignments(&filter, None, most).await?;
                Ok(page.assignments.iter().map(OpenEscalation::from).collect())
            }
            EscalationKind::Story => {
                let all = ask(self.stories, |stories| stories.unfinished()).await?;
                let open = all.iter().filter(|story| story.waits_for_a_human()).map(OpenEscalation::from);
                Ok(newest(open.collect(), most))
            }
            EscalationKind::Mission => {
                let all = ask(self.missions, |missions| missions.waiting()).await?;
                Ok(newest(all.iter().map(OpenEscalation::from).collect(), most))
            }
            EscalationKind::Ticket => {
                let failed = self.desk.store.failed_tickets(most).await?;
                Ok(failed.iter().map(OpenEscalation::from).collect())
            }
        }
    }

    async fn open_one(
        &self,
        kind: EscalationKind,
        id: &str,
    ) -> Result<Option<OpenEscalation>, EscalationError> {
        match kind {
            EscalationKind::Task => {
                let Ok(id) = TaskId::parse(id) else { return Ok(None) };
                let stored = self.desk.store.get(&id).await?;
                let stored = stored.filter(|stored| stored.task.status == TaskStatus::Escalated);
                Ok(stored.as_ref().map(OpenEscalation::from))
            }
            EscalationKind::Assignment => {
                let Ok(id) = id.parse::<AssignmentId>() else { return Ok(None) };
                let stored = self.desk.store.assignment(id).await?;
                let stored = stored.filter(|stored| stored.status() == AssignmentStatus::Escalated);
                Ok(stored.as_ref().map(OpenEscalation::from))
            }
            EscalationKind::Story => {
                let id = id.to_owned();
                let story = ask(self.stories, move |stories| stories.find(&id)).await?;
                Ok(story.as_ref().filter(|story| story.waits_for_a_human()).map(OpenEscalation::from))
            }
            EscalationKind::Ticket => {
                let failed = self.desk.store.failed_tickets(MOST_TICKETS).await?;
                Ok(failed.iter().map(OpenEscalation::from).find(|open| open.id == id))
            }
            EscalationKind::Mission => {
                let key = id.to_owned();
                let mission = ask(self.missions, move |missions| missions.find(&key)).await?;
                Ok(mission.as_ref().map(OpenEscalation::from))
            }
        }
    }
}

fn newest(mut open: Vec<OpenEscalation>, most: u32) -> Vec<OpenEscalation> {
    open.sort_by_key(|one| std::cmp::Reverse(one.since));
    open.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    open
}

/// A blocked one has had its decision, and waits for somebody's correction.
fn reason_of(story: &Story) -> Option<String> {
    let reason = story.cycle.failure_reason().map(|reason| brief_line(&reason));
    if story.step == Step::Blocked {
        return Some(format!("blocked until corrected and resumed: {}", reason.unwrap_or_default()));
    }
    reason
}

impl OpenEscalation {
    pub fn name(&self) -> EscalationRef {
        EscalationRef { kind: Some(self.kind), id: self.id.clone() }
    }

    /// Where it is among all that is open: no two have the same, and it stays while they wait.
    pub fn place(&self) -> (Timestamp, String) {
        (self.since, self.name().to_string())
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

impl From<&FailedTicket> for OpenEscalation {
    fn from(failed: &FailedTicket) -> OpenEscalation {
        let FailedTicket { epic, builder, title, ticket } = failed;
        let last = ticket.log.last().map(|logged| logged.at);
        OpenEscalation {
            kind: EscalationKind::Ticket,
            id: format!("{}/{}", epic.id, ticket.id),
            title: title.clone(),
            agent: builder.clone(),
            reason: ticket.cycle.failure_reason().map(|reason| brief_line(&reason)),
            review_attempt: ticket.cycle.review_attempt(),
            options: ticket.cycle.options(),
            since: last.or(ticket.started_at).unwrap_or(Timestamp::UNIX_EPOCH),
        }
    }
}

impl From<&Story> for OpenEscalation {
    fn from(story: &Story) -> OpenEscalation {
        let reviewed = story.round().map(|round| round.review.reviewed_at);
        let fixed = story.round().and_then(|round| round.fix()).map(|fix| fix.at);
        OpenEscalation {
            kind: EscalationKind::Story,
            id: story.id.clone(),
            title: story.order.title.clone(),
            agent: story.order.fixer.clone(),
            reason: reason_of(story),
            review_attempt: story.cycle.round(),
            options: story.cycle.options(),
            // When the last thing happened to it.
            since: reviewed.into_iter().chain(fixed).max().unwrap_or(story.started_at),
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
        if text.len() > LONGEST_ID {
            return Err(Invalid::new("id", format!("is longer than {LONGEST_ID} bytes")));
        }
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
        assert!(
            name("planet/7").unwrap_err().to_string().contains("task, assignment, story, ticket, mission")
        );
        assert_eq!(name("story/topic-a1b2c3").unwrap().kind, Some(EscalationKind::Story));
        assert!(name(&"7".repeat(10_000)).is_err());
    }
}
