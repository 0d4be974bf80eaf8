use std::time::Duration;

use domain::ports::{Author, AuthorError, AuthorJob, AuthorReport};
use domain::text::short_line;

use super::super::author::supervise;
use super::super::{AgentTrouble, Finished, Launch, Role};
use super::permit::{Execute, PermitPolicy};
use super::session::{Talk, hold};
use crate::process::{Stream, on_own_runtime};

/// Node programs take their time to start, more so on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A coding agent that writes code and is talked with through the Agent Client Protocol. As with
/// [`AgentAuthor`](crate::agents::AgentAuthor), it may change its worktree and nothing else.
#[derive(Debug, Clone)]
pub struct AcpAuthor {
    pub name: String,
    /// Its command is the program that speaks the protocol; its timeout is replaced by that of each job.
    pub launch: Launch,
    pub execute: Execute,
    /// How long it may take to introduce itself and to open a session.
    pub patience: Duration,
}

impl AcpAuthor {
    /// `launch.command` has to name a program that speaks the protocol.
    pub fn new(name: String, launch: Launch, execute: Execute) -> AcpAuthor {
        AcpAuthor { name, launch, execute, patience: PATIENCE }
    }

    fn write(&self, job: &AuthorJob<'_>) -> Result<Finished, AgentTrouble> {
        let launch = Launch { timeout: job.timeout, ..self.launch.clone() };
        let place = launch.prepare(job.worktree)?;
        let invocation = launch.with_ask(&place, job.prompt, None, |ask| launch.agent.acp(ask));
        let on_line = |_: Stream, line: &[u8]| {
            let told = short_line(&String::from_utf8_lossy(line));
            if !told.is_empty() {
                (job.progress)(&told);
            }
        };
        let run = launch.job(Role::Author, &place, &invocation, &on_line)?;
        let talk = Talk {
            prompt: job.prompt,
            policy: PermitPolicy { worktree: place.worktree.clone(), execute: self.execute.clone() },
            session: launch.agent.acp_session(),
            patience: self.patience,
            progress: job.progress,
        };
        let answer = on_own_runtime(|| hold(run, &talk))
            .unwrap_or_else(|error| Err(AgentTrouble::NotRun(error.to_string())))?;
        Ok(Finished { answer, remarks: place.remarks })
    }
}

impl Author for AcpAuthor {
    fn name(&self) -> &str {
        &self.name
    }

    fn work(&self, job: &AuthorJob<'_>) -> Result<AuthorReport, AuthorError> {
        supervise(&self.name, job, || self.write(job))
    }
}
