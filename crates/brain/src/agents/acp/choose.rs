use std::path::Path;

use domain::config::Protocol;
use domain::ports::{Author, AuthorError, AuthorJob, AuthorReport};

use super::super::{AcpSpeaker, AgentAuthor, AgentTrouble, Launch};
use super::{AcpAuthor, Execute};
use crate::process::find_program;

/// How an agent is spoken to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spoken {
    /// Through the protocol, which this program speaks.
    Protocol(Vec<String>),
    /// By its own command line; with the program that is missing for the other way, if one is.
    CommandLine { missing: Option<&'static str> },
}

/// An author, however it is spoken to.
#[derive(Debug, Clone)]
pub enum Writer {
    Protocol(AcpAuthor),
    CommandLine(AgentAuthor),
}

/// An author, and what has to be told about how it is spoken to.
#[derive(Debug, Clone)]
pub struct Chosen {
    pub writer: Writer,
    pub remark: Option<String>,
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
/// A list of commands is kept to through the protocol alone. So an agent that cannot be spoken to in that way is refused
/// if it was given one, rather than run without.
pub fn author(
    name: String,
    launch: Launch,
    protocol: Protocol,
    execute: Option<Execute>,
) -> Result<Chosen, AgentTrouble> {
    match (spoken(&launch, protocol)?, &execute) {
        (Spoken::Protocol(command), _) => {
            let launch = Launch { command, ..launch };
            launch.program()?;
            let writer = Writer::Protocol(AcpAuthor::new(name, launch, execute));
            Ok(Chosen { writer, remark: None })
        }
        (Spoken::CommandLine { .. }, Some(Execute::Listed(_))) => Err(AgentTrouble::NotRun(format!(
            "its `allow_commands` can be kept to through the Agent Client Protocol alone, and {}",
            match launch.agent.acp_speaker() {
                AcpSpeaker::Another { program, .. } => format!("{program} is not what is run"),
                AcpSpeaker::Nobody | AcpSpeaker::Itself | AcpSpeaker::ItselfOnly =>
                    format!("{} is not installed", launch.agent.name()),
            }
        ))),
        (Spoken::CommandLine { missing }, Some(Execute::Anything) | None) => {
            let agent = launch.agent.name();
            let remark = missing.map(|program| {
                format!("{program} is not installed: {agent} is run by its own command line, without being asked what it may do")
            });
            Ok(Chosen { writer: Writer::CommandLine(AgentAuthor { name, launch }), remark })
        }
    }
}

/// How the agent of a launch is spoken to. A configured command is the program that speaks the protocol if that was asked
/// for or is its name; otherwise it is the agent's own program.
pub fn spoken(launch: &Launch, protocol: Protocol) -> Result<Spoken, AgentTrouble> {
    let agent = launch.agent;
    let command_or = |program: &str| match launch.command.is_empty() {
        true => vec![program.to_owned()],
        false => launch.command.clone(),
    };
    let by_command_line = Spoken::CommandLine { missing: None };
    Ok(match (protocol, agent.acp_speaker()) {
        (_, AcpSpeaker::ItselfOnly) => Spoken::Protocol(command_or(agent.program())),
        (Protocol::Cli, _) | (Protocol::Auto, AcpSpeaker::Nobody) => by_command_line,
        (Protocol::Acp, AcpSpeaker::Nobody) => {
            return Err(AgentTrouble::NotInstalled(format!(
                "a program through which {} speaks the Agent Client Protocol",
                agent.name()
            )));
        }
        (Protocol::Acp, AcpSpeaker::Itself) => Spoken::Protocol(command_or(agent.program())),
        (Protocol::Acp, AcpSpeaker::Another { program, .. }) => Spoken::Protocol(command_or(program)),
        (Protocol::Auto, AcpSpeaker::Itself) => match launch.program() {
            Ok(_) => Spoken::Protocol(command_or(agent.program())),
            Err(_) => by_command_line,
        },
        (Protocol::Auto, AcpSpeaker::Another { program, .. }) => match launch.command.first() {
            Some(own) if Path::new(own).file_name().is_some_and(|name| name == program) => {
                Spoken::Protocol(launch.command.clone())
            }
            Some(_) => by_command_line,
            None => match find_program(program, launch.variable("PATH")) {
                Some(_) => Spoken::Protocol(vec![program.to_owned()]),
                None => Spoken::CommandLine { missing: Some(program) },
            },
        },
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use domain::config::BrainKind;

    use super::*;
    use crate::agents::agent;
    use crate::confine::Warden;

    fn launch(kind: BrainKind, path: &Path, installed: &[&str], command: &[&str]) -> Launch {
        for program in installed {
            let file = path.join(program);
            std::fs::write(&file, "").unwrap();
            std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        let warden = Warden { program: "warden".into(), arguments: Vec::new() };
        let mut launch = Launch::new(agent(kind).unwrap(), warden, path.join("scratch"));
        launch.inherited = vec![("PATH".into(), path.into())];
        launch.command = command.iter().map(|word| (*word).to_owned()).collect();
        launch
    }

    fn chosen(kind: BrainKind, installed: &[&str], command: &[&str], protocol: Protocol) -> String {
        let path = tempfile::tempdir().unwrap();
        match spoken(&launch(kind, path.path(), installed, command), protocol) {
            Ok(Spoken::Protocol(command)) => format!("protocol: {}", command.join(" ")),
            Ok(Spoken::CommandLine { missing: Some(missing) }) => format!("no {missing}"),
            Ok(Spoken::CommandLine { missing: None }) => "command line".to_owned(),
            Err(trouble) => trouble.kind().to_owned(),
        }
    }

    #[test]
    fn the_protocol_is_spoken_where_there_is_a_program_for_it() {
        use BrainKind::{Claude, Codex, Command, Gemini, Goose, Opencode};
        let both = ["claude", "claude-agent-acp"];
        assert_eq!(chosen(Claude, &both, &[], Protocol::Auto), "protocol: claude-agent-acp");
        assert_eq!(chosen(Claude, &both, &[], Protocol::Cli), "command line");
        assert_eq!(chosen(Claude, &["claude"], &[], Protocol::Auto), "no claude-agent-acp");
        assert_eq!(chosen(Codex, &["codex-acp"], &[], Protocol::Auto), "protocol: codex-acp");
        assert_eq!(chosen(Gemini, &["gemini"], &[], Protocol::Auto), "protocol: gemini");
        assert_eq!(chosen(Opencode, &["opencode"], &[], Protocol::Auto), "protocol: opencode");
        assert_eq!(chosen(Goose, &[], &[], Protocol::Auto), "command line");
        assert_eq!(chosen(Command, &[], &["/x"], Protocol::Auto), "command line");
    }

    #[test]
    fn a_configured_command_is_taken_for_what_it_is() {
        use BrainKind::{Acp, Claude, Command, Gemini};
        let installed = ["claude-agent-acp", "gemini"];
        let chosen = |kind, command: &[&str], protocol| chosen(kind, &installed, command, protocol);
        assert_eq!(chosen(Claude, &["/opt/claude"], Protocol::Auto), "command line");
        assert_eq!(
            chosen(Claude, &["/opt/claude-agent-acp"], Protocol::Auto),
            "protocol: /opt/claude-agent-acp"
        );
        assert_eq!(chosen(Claude, &["/opt/acp", "-x"], Protocol::Acp), "protocol: /opt/acp -x");
        assert_eq!(chosen(Gemini, &["gemini", "-d"], Protocol::Auto), "protocol: gemini -d");
        assert_eq!(chosen(Gemini, &["/opt/gemini"], Protocol::Auto), "command line");
        assert_eq!(chosen(Acp, &["/x", "acp"], Protocol::Auto), "protocol: /x acp");
        assert_eq!(chosen(Command, &["/x"], Protocol::Acp), "not_installed");
    }

    #[test]
    fn what_was_asked_for_and_is_missing_is_refused_and_what_was_not_is_told() {
        let path = tempfile::tempdir().unwrap();
        let launch = launch(BrainKind::Claude, path.path(), &["claude"], &[]);
        let choose = |protocol, execute| author("fixer".into(), launch.clone(), protocol, execute);
        let told = choose(Protocol::Auto, None).unwrap().remark.unwrap();
        assert!(told.starts_with("claude-agent-acp is not installed: claude is run by its own"), "{told}");
        assert_eq!(choose(Protocol::Cli, None).unwrap().remark, None);
        let missing = AgentTrouble::NotInstalled("claude-agent-acp".into());
        assert_eq!(choose(Protocol::Acp, None).unwrap_err(), missing);
        let listed = choose(Protocol::Auto, Some(Execute::Listed(vec!["make".into()]))).unwrap_err();
        assert!(listed.to_string().contains("`allow_commands`"), "{listed}");
    }
}
