use std::time::Duration;

use domain::ports::{Author, AuthorError, AuthorJob, AuthorReport};

use super::super::author::supervise;
use super::super::{Launch, Role, Waiting};
use super::converse::{Conversation, PATIENCE};
use super::permit::Execute;

/// A coding agent that writes code and is talked with through the Agent Client Protocol. As with
/// [`AgentAuthor`](crate::agents::AgentAuthor), it may change its worktree and nothing else.
#[derive(Debug, Clone)]
pub struct AcpAuthor {
    pub name: String,
    /// Its command is the program that speaks the protocol; its timeout is replaced by that of each job.
    pub launch: Launch,
    /// Unless said: whatever stays in the worktree, where the kernel confines it, and nothing where it does not.
    pub execute: Option<Execute>,
    /// How long it may take to introduce itself and to open a session.
    pub patience: Duration,
}

impl AcpAuthor {
    /// `launch.command` has to name a program that speaks the protocol.
    pub fn new(name: String, launch: Launch, execute: Option<Execute>) -> AcpAuthor {
        AcpAuthor { name, launch, execute, patience: PATIENCE }
    }
}

impl Author for AcpAuthor {
    fn name(&self) -> &str {
        &self.name
    }

    fn work(&self, job: &AuthorJob<'_>) -> Result<AuthorReport, AuthorError> {
        let launch = Launch { timeout: job.timeout, ..self.launch.clone() };
        let conversation = Conversation {
            launch: &launch,
            role: Role::Author,
            execute: self.execute.as_ref(),
            patience: self.patience,
            waiting: Waiting { progress: job.progress, given_up: job.given_up },
        };
        supervise(&self.name, job, || conversation.about(job.prompt, None, job.worktree))
    }
}
