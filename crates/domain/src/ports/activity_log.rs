use jiff::Timestamp;

use crate::text::short_line;

/// Where agents say what they do, for whoever watches: one log per agent.
///
/// Writing never fails for the worker: a log that cannot be written is the adapter's to report.
pub trait ActivityLog: Send + Sync {
    fn write(&self, line: &LogLine);
}

/// Something an agent says. When it was said, whoever writes it down adds with [`LogLine::at`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    pub agent: String,
    pub level: LogLevel,
    /// One clean line.
    pub message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    Info,
    Warning,
    Error,
}

impl LogLine {
    pub fn new(agent: &str, level: LogLevel, message: &str) -> LogLine {
        LogLine { agent: agent.to_owned(), level, message: short_line(message) }
    }

    /// `16:17:23 INFO [qa] [PROJ-123] Starting review of PR #456`, in UTC.
    pub fn at(&self, time: Timestamp) -> String {
        let LogLine { agent, level, message } = self;
        format!("{} {} [{agent}] {message}", time.strftime("%H:%M:%S"), level.as_str())
    }
}

impl LogLevel {
    pub fn as_str(self) -> &'static str {
        match self {
            LogLevel::Info => "INFO",
            LogLevel::Warning => "WARNING",
            LogLevel::Error => "ERROR",
        }
    }
}
