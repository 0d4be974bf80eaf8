use std::sync::Arc;

use domain::assignments::Caller;
use domain::ports::AssignmentError;
use engine::escalation::{
    EscalationError, EscalationRef, Escalations, Missions, OpenEscalation, Stories, StoryTrouble,
};
use store::Store;

use crate::commands::task::Decision;
use crate::desk::{Access, DeskArgs};
use crate::failure::Failure;
use crate::loops::StoriesAt;
use crate::missions::MissionsAt;

/// Does `work` as whoever acts, with everything that may be escalated here.
pub(super) fn with_escalations<T>(
    desk: &DeskArgs,
    access: Access,
    work: impl AsyncFnOnce(Escalations<'_, Store>, &Caller) -> Result<T, EscalationError>,
) -> Result<T, Failure> {
    let stories: Arc<dyn Stories> = Arc::new(StoriesAt { root: desk.store.root() });
    let missions: Arc<dyn Missions> = Arc::new(MissionsAt { mailbox: desk.store.mailbox() });
    let answer = desk.with_desk(access, async |at| {
        let escalations = Escalations { desk: at.desk, stories: &stories, missions: &missions };
        match work(escalations, at.caller).await {
            Err(EscalationError::Work(error)) => Err::<_, AssignmentError>(error),
            answer => Ok(answer),
        }
    })?;
    answer.map_err(|error| refused(&error))
}

/// The one escalation of that name, or what to type instead.
pub(super) fn find(desk: &DeskArgs, name: &EscalationRef) -> Result<OpenEscalation, Failure> {
    with_escalations(desk, Access::Read, async |escalations, _| escalations.find(name).await)
}

/// What there is to try instead, in commands.
fn refused(error: &EscalationError) -> Failure {
    match error {
        EscalationError::NotEscalated(_) => {
            Failure::new(error, "`countersign escalation list` shows what waits for a person")
        }
        EscalationError::Ambiguous { .. } => Failure::new(error, "say which one is meant"),
        EscalationError::NotOffered { name, options } => {
            let options: Vec<_> = options.iter().map(|option| Decision::offered(*option).as_str()).collect();
            Failure::new(
                format!("{name} cannot be resolved so"),
                format!("decide with `countersign escalation resolve {name} {}`", options.join("|")),
            )
        }
        EscalationError::ReasonNeeded(_) => {
            Failure::new(error, "say why with --note; it is kept with the findings and your name")
        }
        EscalationError::Story(StoryTrouble::Held { what, hint } | StoryTrouble::Unusable { what, hint }) => {
            Failure::new(what, hint)
        }
        EscalationError::Work(error) => Failure::new(error, "nothing was changed"),
    }
}
