//! Any program that speaks the Agent Client Protocol, and is asked in no other way.

use super::{AcpSpeaker, AgentAnswer, AgentTrouble, AnyCommand, Ask, CodingAgent, Invocation, Output, Role};
use crate::confine::Processes;

/// The program itself comes from the configuration.
#[derive(Debug, Clone, Copy)]
pub struct AnyAcp;

impl CodingAgent for AnyAcp {
    fn name(&self) -> &'static str {
        "acp"
    }

    /// None: without a configured one there is nothing to run.
    fn program(&self) -> &'static str {
        ""
    }

    fn variables(&self) -> &'static [&'static str] {
        &[]
    }

    fn review(&self, ask: &Ask<'_>) -> Invocation {
        AnyCommand.review(ask)
    }

    fn author(&self, ask: &Ask<'_>) -> Invocation {
        AnyCommand.author(ask)
    }

    fn acp_speaker(&self) -> AcpSpeaker {
        AcpSpeaker::ItselfOnly
    }

    /// Most of them start the agent proper as a child, whose runtime may break when it cannot look at itself.
    fn processes(&self) -> Processes {
        Processes::Listed
    }

    /// What it does is told in the session.
    fn progress(&self, _: &str) -> Option<String> {
        None
    }

    /// Its answer is in the session: what it leaves otherwise is none.
    fn read(&self, _: Role, output: &Output) -> Result<AgentAnswer, AgentTrouble> {
        Err(output.without_result())
    }
}
