use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use domain::ports::{ActivityLog, LogLevel, LogLine};
use engine::worker::Job;

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

    pub(super) fn about(&self, job: Job<'_>) -> Heard {
        let (logs, agent) = (Arc::clone(&self.logs), job.agent.id.clone());
        let (replica, task) = (job.replica.to_owned(), job.task.id.clone());
        let said = AtomicUsize::new(0);
        Arc::new(move |line: &str| {
            let text = match said.fetch_add(1, Ordering::Relaxed) {
                count if count < MOST_LINES => line,
                MOST_LINES => "What it says from here on is not logged",
                _ => return,
            };
            logs.write(&LogLine::new(&agent, LogLevel::Info, text).said_by(&replica).about(&task));
        })
    }
}
