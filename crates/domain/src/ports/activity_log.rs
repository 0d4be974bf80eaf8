use jiff::Timestamp;

use crate::tasks::TaskId;
use crate::text::short_line;

/// Where agents say what they do, for whoever watches: one log per agent.
///
/// Writing never fails for the worker: a log that cannot be written is the adapter's to report.
pub trait ActivityLog: Send + Sync {
    fn write(&self, line: &LogLine);
}

/// Something an agent says. The one who writes it down adds the time with [`LogLine::at`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// Whose log it goes to.
    pub agent: String,
    /// Who says it: the agent, or one of its replicas.
    pub speaker: String,
    pub level: LogLevel,
    /// One clean line.
    pub message: String,
    /// What it is about.
    pub task: Option<TaskId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    Info,
    Warning,
    Error,
}

impl LogLine {
    pub fn new(agent: &str, level: LogLevel, message: &str) -> LogLine {
        let agent = agent.to_owned();
        LogLine { speaker: agent.clone(), agent, level, message: short_line(message), task: None }
    }

    pub fn said_by(self, replica: &str) -> LogLine {
        LogLine { speaker: replica.to_owned(), ..self }
    }

    pub fn about(self, task: &TaskId) -> LogLine {
        LogLine { task: Some(task.clone()), ..self }
    }

    /// `16:17:23Z INFO [qa-1] [PROJ-123] Starting review of PR #456 [review-qa-1738588800000-a1b2c3]`. The task stands
    /// last, unless the message names it.
    pub fn at(&self, time: Timestamp) -> String {
        let LogLine { agent: _, speaker, level, message, task } = self;
        let task = task.as_ref().filter(|id| !message.contains(id.as_str()));
        let task = task.map(|id| format!(" [{id}]")).unwrap_or_default();
        format!("{} {} [{speaker}] {message}{task}", time.strftime("%H:%M:%SZ"), level.as_str())
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
