use domain::assignments::{Assignment, AssignmentId, Caller, Refusal, Role};
use domain::cycle::Resolution;
use domain::ports::{AssignmentStore, EpicStore, TaskStore};
use domain::tasks::{Finished, Note, TaskId};

use super::stories::ask;
use super::{EscalationError, EscalationKind, EscalationRef, Escalations, OpenEscalation, resolve_task};
use crate::mission::Mission;
use crate::story::{Decided, Story};

/// What became of an escalation that somebody decided about.
#[derive(Debug)]
pub enum Resolved {
    Task { id: TaskId, finished: Finished },
    Assignment(Box<Assignment>),
    Story { story: Box<Story>, decided: Decided },
    Mission(Box<Mission>),
}

impl<S: TaskStore + AssignmentStore + EpicStore> Escalations<'_, S> {
    /// A person's word on what is escalated under that name. `note` is for whoever works on it next; a story is accepted
    /// with its findings only if it says why.
    ///
    /// Cut off anywhere, the decision is stored as a whole or not at all; the note on a task may then be there without
    /// it.
    pub async fn resolve(
        &self,
        by: &Caller,
        name: &EscalationRef,
        resolution: Resolution,
        note: &str,
    ) -> Result<Resolved, EscalationError> {
        check_person(by)?;
        let open = self.find(name).await?;
        if !open.options.contains(&resolution) {
            return Err(EscalationError::NotOffered { name: open.name(), options: open.options });
        }
        match open.kind {
            EscalationKind::Task => self.resolve_task(by, &open, resolution, note).await,
            EscalationKind::Assignment => {
                let id = open.id.parse::<AssignmentId>()?;
                let assignment = self.desk.resolve_escalation(by, id, resolution, note).await?;
                Ok(Resolved::Assignment(Box::new(assignment)))
            }
            EscalationKind::Story => self.resolve_story(by, &open, resolution, note).await,
            // Nothing is ever offered for it.
            EscalationKind::Ticket => {
                Err(EscalationError::NotOffered { name: open.name(), options: open.options })
            }
            EscalationKind::Mission => {
                let (key, by, note) = (open.id, by.name().to_owned(), note.to_owned());
                let decided =
                    ask(self.missions, move |missions| missions.resolve(&key, resolution, &by, &note));
                Ok(Resolved::Mission(Box::new(decided.await?)))
            }
        }
    }

    async fn resolve_task(
        &self,
        by: &Caller,
        open: &OpenEscalation,
        resolution: Resolution,
        note: &str,
    ) -> Result<Resolved, EscalationError> {
        let id = TaskId::parse(&open.id)?;
        let note = match note.trim() {
            "" => None,
            text => Some(Note::guidance(by.name(), text)?),
        };
        let finished = resolve_task(&self.desk.store, &id, resolution, note.as_ref(), by.name()).await?;
        Ok(Resolved::Task { id, finished })
    }

    async fn resolve_story(
        &self,
        by: &Caller,
        open: &OpenEscalation,
        resolution: Resolution,
        reason: &str,
    ) -> Result<Resolved, EscalationError> {
        if resolution == Resolution::Accept && reason.trim().is_empty() {
            return Err(EscalationError::ReasonNeeded(open.name()));
        }
        let (id, by, reason) = (open.id.clone(), by.name().to_owned(), reason.to_owned());
        let resolve =
            move |stories: std::sync::Arc<dyn super::Stories>| stories.resolve(&id, resolution, &by, &reason);
        let (story, decided) = ask(self.stories, resolve).await?;
        Ok(Resolved::Story { story: Box::new(story), decided })
    }
}

fn check_person(by: &Caller) -> Result<(), Refusal> {
    match by.role() {
        Role::Person => Ok(()),
        role @ (Role::Coder | Role::Reviewer) => {
            Err(Refusal::OnlyPeopleResolve { caller: by.name().to_owned(), role: role.as_str() })
        }
    }
}
