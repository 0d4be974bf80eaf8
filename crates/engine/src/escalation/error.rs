use domain::assignments::Refusal;
use domain::cycle::Resolution;
use domain::ports::{AssignmentError, EpicError, StoreError};
use domain::tasks::Invalid;

use super::{EscalationRef, StoryTrouble};

/// Why an escalation was not shown or resolved. Nothing has changed.
#[derive(Debug, thiserror::Error)]
pub enum EscalationError {
    #[error("{0} is not escalated")]
    NotEscalated(EscalationRef),
    #[error("{wanted} is escalated twice, as {one} and {other}")]
    Ambiguous { wanted: EscalationRef, one: EscalationRef, other: EscalationRef },
    #[error("{name} cannot be resolved so; {}", listed(.options))]
    NotOffered { name: EscalationRef, options: Vec<Resolution> },
    #[error("findings are accepted for a reason only")]
    ReasonNeeded(EscalationRef),
    #[error(transparent)]
    Story(#[from] StoryTrouble),
    /// Of an assignment or a task, or about who asks.
    #[error(transparent)]
    Work(#[from] AssignmentError),
}

fn listed(options: &[Resolution]) -> String {
    if options.is_empty() {
        return "it begins again with `countersign epic resume EPIC --retry TICKET`".to_owned();
    }
    let words: Vec<&str> = options.iter().map(|option| option.as_str()).collect();
    format!("choose one of: {}", words.join(", "))
}

impl From<Refusal> for EscalationError {
    fn from(refusal: Refusal) -> EscalationError {
        EscalationError::Work(refusal.into())
    }
}

impl From<EpicError> for EscalationError {
    fn from(error: EpicError) -> EscalationError {
        match error {
            EpicError::Store(error) => error.into(),
            // Only who changes a run is told these.
            EpicError::Superseded(_) | EpicError::Outdated(_) => {
                StoreError::Unavailable { action: "be read", reason: error.to_string() }.into()
            }
        }
    }
}

impl From<StoreError> for EscalationError {
    fn from(error: StoreError) -> EscalationError {
        EscalationError::Work(error.into())
    }
}

impl From<Invalid> for EscalationError {
    fn from(invalid: Invalid) -> EscalationError {
        Refusal::from(invalid).into()
    }
}
