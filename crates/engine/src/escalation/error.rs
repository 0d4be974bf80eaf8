use domain::assignments::Refusal;
use domain::cycle::Resolution;
use domain::ports::{AssignmentError, StoreError};
use domain::tasks::Invalid;

use super::{EscalationRef, StoryTrouble};

/// Why an escalation was not shown or resolved. Nothing has changed.
#[derive(Debug, thiserror::Error)]
pub enum EscalationError {
    #[error("{0} is not escalated")]
    NotEscalated(EscalationRef),
    #[error("{wanted} is escalated twice, as {one} and {other}")]
    Ambiguous { wanted: EscalationRef, one: EscalationRef, other: EscalationRef },
    #[error("{name} cannot be resolved so; choose one of: {}", listed(.options))]
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
    options.iter().map(|option| option.as_str()).collect::<Vec<_>>().join(", ")
}

impl From<Refusal> for EscalationError {
    fn from(refusal: Refusal) -> EscalationError {
        EscalationError::Work(refusal.into())
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
