use std::time::Duration;

use crate::forge::UnsupportedProvider;
use crate::text::short_line;
use crate::tools::DeniedCall;

/// Why a call to a forge, tracker or wiki came to nothing. Says what to do about it and holds no secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot {action}: {reason}")]
pub struct PortError {
    pub kind: PortErrorKind,
    /// What was to be done: `read merge request !7`.
    pub action: String,
    /// One clean line.
    pub reason: String,
    /// How to go on; may be empty.
    pub hint: String,
}

/// What callers branch on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PortErrorKind {
    /// Nobody taught us this forge.
    Unsupported,
    /// A server, a variable or an address is missing. Nothing was sent.
    NotConfigured,
    /// The server has no tool for this. Nothing was sent.
    MissingTool,
    /// The policy forbids it. Nothing was sent.
    Denied(DeniedCall),
    NotFound,
    /// The token is not accepted, or may not do this.
    Unauthorised,
    /// Understood and refused: a line outside the diff, a transition that does not exist. Nothing was changed.
    Rejected,
    /// Somebody else was faster.
    Conflict,
    RateLimited {
        retry_after: Option<Duration>,
    },
    /// It could not be reached, or broke off.
    Unavailable(Happened),
    /// The answer was not what it should be.
    Unreadable,
}

/// What is known about a call that got no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happened {
    /// Nothing happened: it may simply be repeated.
    Not,
    /// It may have happened: look before repeating it.
    Maybe,
}

impl PortError {
    pub fn new(kind: PortErrorKind, action: &str, reason: &str, hint: &str) -> PortError {
        PortError { kind, action: short_line(action), reason: short_line(reason), hint: short_line(hint) }
    }

    /// Whether repeating the same call later may help.
    pub fn is_transient(&self) -> bool {
        matches!(
            self.kind,
            PortErrorKind::RateLimited { .. } | PortErrorKind::Unavailable(_) | PortErrorKind::Unreadable
        )
    }

    /// For how long it wants to be left alone, where it says so.
    pub fn retry_after(&self) -> Option<Duration> {
        match self.kind {
            PortErrorKind::RateLimited { retry_after } => retry_after,
            PortErrorKind::Unsupported
            | PortErrorKind::NotConfigured
            | PortErrorKind::MissingTool
            | PortErrorKind::Denied(_)
            | PortErrorKind::NotFound
            | PortErrorKind::Unauthorised
            | PortErrorKind::Rejected
            | PortErrorKind::Conflict
            | PortErrorKind::Unavailable(_)
            | PortErrorKind::Unreadable => None,
        }
    }

    /// Whether the call may have had its effect all the same.
    pub fn may_have_happened(&self) -> bool {
        matches!(self.kind, PortErrorKind::Unavailable(Happened::Maybe) | PortErrorKind::Unreadable)
    }
}

impl From<UnsupportedProvider> for PortError {
    fn from(unsupported: UnsupportedProvider) -> PortError {
        PortError::new(
            PortErrorKind::Unsupported,
            "use the forge",
            &unsupported.to_string(),
            "set VCS_PROVIDER to GITHUB or GITLAB",
        )
    }
}
