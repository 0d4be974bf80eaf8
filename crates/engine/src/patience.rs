//! How long to wait for a service that asks to be left alone.

use std::time::Duration;

use domain::ports::{PortError, PortErrorKind};

/// No single wait is longer, whatever a service asks for.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(120);

/// Our own servers wait for limits up to this by themselves. What is longer is an error that says when to come back, where
/// somebody waits in front of it or the work can be put back.
pub(crate) const LONGEST_LIMIT: Duration = Duration::from_secs(60);

/// What it asks for, else `usual`.
pub(crate) fn wait_after(error: &PortError, usual: Duration, longest: Duration) -> Duration {
    error.retry_after().unwrap_or(usual).min(longest)
}

/// Whether saying it again may help somebody who looks first whether it is said: it may pass, its answer was lost, or
/// somebody else was faster.
pub(crate) fn may_be_said_again(error: &PortError) -> bool {
    error.is_transient() || error.may_have_happened() || error.kind == PortErrorKind::Conflict
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_is_left_alone_for_as_long_as_it_asks_within_reason() {
        let limited = |asked: Option<u64>| {
            let kind = PortErrorKind::RateLimited { retry_after: asked.map(Duration::from_secs) };
            let error = PortError::new(kind, "ask", "too much", "");
            wait_after(&error, Duration::from_secs(2), LONGEST_WAIT).as_secs()
        };
        assert_eq!([limited(Some(60)), limited(None), limited(Some(86_400))], [60, 2, 120]);
    }
}
