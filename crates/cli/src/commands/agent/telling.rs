use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use domain::config::AgentConfig;
use domain::ports::{ActivityLog, LogLevel, LogLine};
use domain::tasks::Task;

use super::log::Logs;
use crate::reviewers::Heard;

/// An agent that says more than this about one task is not listened to.
const MOST_LINES: usize = 1_000;

/// Puts what brains say while they work into the log of their agent.
#[derive(Debug, Clone)]
pub(super) struct Telling {
    logs: Arc<Logs>,
}

impl Telling {
    pub(super) fn to(logs: Arc<Logs>) -> Telling {
        Telling { logs }
    }

    pub(super) fn about(&self, agent: &AgentConfig, task: &Task) -> Heard {
        let (logs, agent, task) = (Arc::clone(&self.logs), agent.id.clone(), task.id.clone());
        let said = AtomicUsize::new(0);
        Arc::new(move |line: &str| {
            let text = match said.fetch_add(1, Ordering::Relaxed) {
                count if count < MOST_LINES => format!("[{task}] {line}"),
                MOST_LINES => format!("[{task}] What it says from here on is not logged"),
                _ => return,
            };
            logs.write(&LogLine::new(&agent, LogLevel::Info, &text));
        })
    }
}
