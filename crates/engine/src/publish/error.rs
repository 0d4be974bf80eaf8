use std::time::Duration;

use domain::ports::{PortError, StoreError};
use domain::publish::{CannotPublish, NoSeal};

/// Why a review is not published, or not as a whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PublishError {
    /// Somebody pushed meanwhile, or there is no commit.
    #[error(transparent)]
    Cannot(#[from] CannotPublish),
    #[error(transparent)]
    NoSeal(#[from] NoSeal),
    #[error("{0} is not there, or the token may not see it")]
    Missing(String),
    #[error(transparent)]
    Port(#[from] PortError),
    /// Nobody can say whether somebody else is posting.
    #[error("{0}")]
    Store(String),
    /// Somebody wanted it to end; what was posted stays, and another run does the rest.
    #[error("it was stopped")]
    Stopped,
    /// It was tried as often as patience allows; what was posted stays, and another run does the rest.
    #[error("the forge did not take the whole review after {looks} attempts: {last}")]
    GaveUp { looks: u32, last: String },
}

impl From<StoreError> for PublishError {
    fn from(error: StoreError) -> PublishError {
        PublishError::Store(error.to_string())
    }
}

impl PublishError {
    /// How to go on; may be empty.
    pub fn hint(&self) -> &str {
        match self {
            PublishError::Cannot(_) => "review the newest commit and publish that",
            PublishError::NoSeal(_) => {
                "set COUNTERSIGN_PUBLISH_KEY to a secret of 16 characters or more, the same for every worker"
            }
            PublishError::Missing(_) => "check the address and what the token may read",
            PublishError::Port(error) => &error.hint,
            PublishError::Store(_) => "check the store that COUNTERSIGN_STORE or --store names",
            PublishError::GaveUp { .. } | PublishError::Stopped => "run it again: nothing is posted twice",
        }
    }

    /// For how long the forge wants to be left alone, where that is why.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            PublishError::Port(error) => error.retry_after(),
            PublishError::Cannot(_)
            | PublishError::NoSeal(_)
            | PublishError::Missing(_)
            | PublishError::Store(_)
            | PublishError::GaveUp { .. }
            | PublishError::Stopped => None,
        }
    }

    /// Whether another run may succeed without anybody doing anything.
    pub fn is_transient(&self) -> bool {
        match self {
            PublishError::Port(error) => error.is_transient(),
            PublishError::GaveUp { .. } | PublishError::Store(_) | PublishError::Stopped => true,
            PublishError::Cannot(_) | PublishError::NoSeal(_) | PublishError::Missing(_) => false,
        }
    }
}
