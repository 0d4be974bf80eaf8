use domain::ports::{Author, AuthorError, AuthorJob, AuthorReport};

use super::super::{AgentAuthor, AgentTrouble, Launch};
use super::{AcpAuthor, Execute};
use crate::process::find_program;

/// How an author is spoken to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Manner {
    /// Through the protocol if a program for it is installed, else by its command line.
    #[default]
    Either,
    /// Through the protocol. A configured command is taken for a program that speaks it.
    Protocol,
    CommandLine,
}

/// An author, however it is spoken to.
#[derive(Debug, Clone)]
pub enum Writer {
    Protocol(AcpAuthor),
    CommandLine(AgentAuthor),
}

impl Author for Writer {
    fn name(&self) -> &str {
        match self {
            Writer::Protocol(author) => author.name(),
            Writer::CommandLine(author) => author.name(),
        }
    }

    fn work(&self, job: &AuthorJob<'_>) -> Result<AuthorReport, AuthorError> {
        match self {
            Writer::Protocol(author) => author.work(job),
            Writer::CommandLine(author) => author.work(job),
        }
    }
}

/// Chooses how to speak to the agent of a launch.
///
/// With [`Manner::Either`] a configured command stands for the agent's own program: it is used for the protocol where the
/// agent speaks that itself, and by its command line where another program would be needed.
pub fn author(
    name: String,
    launch: Launch,
    manner: Manner,
    execute: Execute,
) -> Result<Writer, AgentTrouble> {
    let command = match manner {
        Manner::CommandLine => None,
        Manner::Either => installed(&launch),
        Manner::Protocol => Some(asked_for(&launch)?),
    };
    Ok(match command {
        Some(command) => Writer::Protocol(AcpAuthor::new(name, Launch { command, ..launch }, execute)),
        None => Writer::CommandLine(AgentAuthor { name, launch }),
    })
}

fn installed(launch: &Launch) -> Option<Vec<String>> {
    let program = launch.agent.acp_program()?;
    if !launch.command.is_empty() {
        return (program == launch.agent.program()).then(|| launch.command.clone());
    }
    find_program(program, launch.variable("PATH")).map(|_| vec![program.to_owned()])
}

fn asked_for(launch: &Launch) -> Result<Vec<String>, AgentTrouble> {
    if !launch.command.is_empty() {
        return Ok(launch.command.clone());
    }
    match launch.agent.acp_program() {
        Some(program) => Ok(vec![program.to_owned()]),
        None => Err(AgentTrouble::NotInstalled(format!(
            "a program through which {} speaks the Agent Client Protocol",
            launch.agent.name()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use domain::config::BrainKind;

    use super::*;
    use crate::agents::agent;
    use crate::confine::Warden;

    fn chosen(kind: BrainKind, installed: &[&str], command: &[&str], manner: Manner) -> String {
        let path = tempfile::tempdir().unwrap();
        for program in installed {
            let file = path.path().join(program);
            std::fs::write(&file, "").unwrap();
            std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        let warden = Warden { program: "warden".into(), arguments: Vec::new() };
        let mut launch = Launch::new(agent(kind).unwrap(), warden, path.path().join("scratch"));
        launch.inherited = vec![("PATH".into(), Path::new(path.path()).into())];
        launch.command = command.iter().map(|word| (*word).to_owned()).collect();
        match author("fixer".into(), launch, manner, Execute::default()) {
            Ok(Writer::Protocol(author)) => format!("protocol: {}", author.launch.command.join(" ")),
            Ok(Writer::CommandLine(author)) => format!("command line: {}", author.launch.command.join(" ")),
            Err(trouble) => trouble.kind().to_owned(),
        }
    }

    #[test]
    fn the_protocol_is_spoken_where_there_is_a_program_for_it() {
        use BrainKind::{Claude, Codex, Command, Gemini, Goose, Opencode};
        let both = ["claude", "claude-agent-acp"];
        assert_eq!(chosen(Claude, &both, &[], Manner::Either), "protocol: claude-agent-acp");
        assert_eq!(chosen(Claude, &both, &[], Manner::CommandLine), "command line: ");
        assert_eq!(chosen(Claude, &["claude"], &[], Manner::Either), "command line: ");
        assert_eq!(chosen(Codex, &["codex-acp"], &[], Manner::Either), "protocol: codex-acp");
        assert_eq!(chosen(Gemini, &["gemini"], &[], Manner::Either), "protocol: gemini");
        assert_eq!(chosen(Opencode, &["opencode"], &[], Manner::Either), "protocol: opencode");
        assert_eq!(chosen(Goose, &[], &[], Manner::Either), "command line: ");
        assert_eq!(chosen(Command, &[], &["/x"], Manner::Either), "command line: /x");
    }

    #[test]
    fn a_configured_command_is_taken_for_what_it_is() {
        use BrainKind::{Claude, Command, Gemini};
        let installed = ["claude-agent-acp"];
        assert_eq!(chosen(Claude, &installed, &["/opt/claude"], Manner::Either), "command line: /opt/claude");
        assert_eq!(
            chosen(Claude, &installed, &["/opt/acp", "-x"], Manner::Protocol),
            "protocol: /opt/acp -x"
        );
        assert_eq!(chosen(Gemini, &[], &["/opt/gemini"], Manner::Either), "protocol: /opt/gemini");
        assert_eq!(chosen(Command, &[], &["/x"], Manner::Protocol), "protocol: /x");
        assert_eq!(chosen(Command, &[], &[], Manner::Protocol), "not_installed");
    }
}
