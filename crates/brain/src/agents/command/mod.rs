//! Any program: the prompt on standard input, the answer on standard output.

use super::extract::find_json;
use super::{AgentAnswer, AgentTrouble, Ask, CodingAgent, Invocation, Output, Role, with_schema};

/// The program itself comes from the configuration.
#[derive(Debug, Clone, Copy)]
pub struct AnyCommand;

impl CodingAgent for AnyCommand {
    fn name(&self) -> &'static str {
        "command"
    }

    /// None: without a configured one there is nothing to run.
    fn program(&self) -> &'static str {
        ""
    }

    fn variables(&self) -> &'static [&'static str] {
        &[]
    }

    fn review(&self, ask: &Ask<'_>) -> Invocation {
        Invocation { input: with_schema(ask), ..Invocation::default() }
    }

    fn author(&self, ask: &Ask<'_>) -> Invocation {
        Invocation { input: with_schema(ask), ..Invocation::default() }
    }

    /// Standard output is the answer, and what it says on the way goes to standard error.
    fn progress(&self, _: &str) -> Option<String> {
        None
    }

    fn read(&self, role: Role, output: &Output) -> Result<AgentAnswer, AgentTrouble> {
        if output.exit != 0 {
            return Err(output.without_result());
        }
        let said = output.stdout.trim();
        // An author that changes files and says nothing has done its work all the same.
        if said.is_empty() && role == Role::Reviewer {
            return Err(AgentTrouble::Empty);
        }
        Ok(AgentAnswer { text: said.to_owned(), structured: find_json(said), ..AgentAnswer::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_code_0_with_nothing_said_is_no_review() {
        assert_eq!(AnyCommand.read(Role::Reviewer, &Output::default()), Err(AgentTrouble::Empty));
        assert!(AnyCommand.read(Role::Author, &Output::default()).is_ok());
        let failed = Output { exit: 3, stdout: "{}".into(), stderr: "no key\n".into(), ..Output::default() };
        let trouble = AgentTrouble::Failed { exit: 3, said: "no key".into() };
        assert_eq!(AnyCommand.read(Role::Reviewer, &failed), Err(trouble));
    }
}
