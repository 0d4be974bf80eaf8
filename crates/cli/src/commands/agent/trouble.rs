use domain::ports::{ActivityLog, LogLevel, LogLine};

use super::log::Logs;

/// The log of what becomes of files.
pub(super) const MAILBOX: &str = "mailbox";
/// Whoever frees the tasks of dead agents has a log, too.
pub(super) const WATCHDOG: &str = "watchdog";

pub(super) fn warn(logs: &Logs, whose: &str, what: &str) {
    logs.write(&LogLine::new(whose, LogLevel::Warning, what));
}

/// Something that goes wrong again and again is told once, and once more when it is something else or over.
#[derive(Debug)]
pub(super) struct Trouble {
    log: &'static str,
    /// What went wrong last, without what differs from time to time.
    cause: Option<String>,
}

impl Trouble {
    pub(super) fn new(log: &'static str) -> Trouble {
        Trouble { log, cause: None }
    }

    pub(super) fn say(&mut self, logs: &Logs, what: &str, cause: String) {
        if self.cause.as_ref() != Some(&cause) {
            logs.write(&LogLine::new(self.log, LogLevel::Error, what));
            self.cause = Some(cause);
        }
    }

    pub(super) fn is_over(&mut self, logs: &Logs) {
        if let Some(cause) = self.cause.take() {
            logs.write(&LogLine::new(self.log, LogLevel::Info, &format!("It is over: {cause}")));
        }
    }
}
