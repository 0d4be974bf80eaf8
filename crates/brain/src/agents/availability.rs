use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use domain::text::short_line;
use serde_json::json;

use super::{
    AcpSpeaker, AgentTrouble, Claude, Codex, CodingAgent, Gemini, Goose, Launch, Opencode, Role, Waiting,
};
use crate::process::{Ended, Job, SpawnEnvironment, find_program, ignore_lines, run_blocking};

/// Node programs take their time to start, more so on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// What is known about a program on this machine.
#[derive(Debug, Clone)]
pub struct Availability {
    pub agent: &'static dyn CodingAgent,
    pub program: &'static str,
    /// Absent if it is not installed.
    pub path: Option<PathBuf>,
    /// In its own words; or why it does not say.
    pub version: Option<Result<String, String>>,
}

/// Whether the known agents are installed, in which version, and what speaks the Agent Client Protocol for those that do
/// not do so themselves. They are asked at the same time; nobody is asked anything that costs money.
pub fn probe_all(inherited: &[(OsString, OsString)]) -> Vec<Availability> {
    let agents: [&'static dyn CodingAgent; 5] = [&Claude, &Codex, &Gemini, &Opencode, &Goose];
    let speakers = agents.into_iter().filter_map(|agent| match agent.acp_speaker() {
        AcpSpeaker::Another { program, .. } => Some((agent, program)),
        AcpSpeaker::Nobody | AcpSpeaker::Itself | AcpSpeaker::ItselfOnly => None,
    });
    let programs = agents.into_iter().map(|agent| (agent, agent.program())).chain(speakers);
    std::thread::scope(|scope| {
        let threads: Vec<_> = programs
            .map(|(agent, program)| (agent, program, scope.spawn(move || probe(agent, program, inherited))))
            .collect();
        threads
            .into_iter()
            .map(|(agent, program, thread)| {
                let missing = |_| Availability { agent, program, path: None, version: None };
                thread.join().unwrap_or_else(missing)
            })
            .collect()
    })
}

/// Whether a program of an agent is installed, and in which version.
pub fn probe(
    agent: &'static dyn CodingAgent,
    program: &'static str,
    inherited: &[(OsString, OsString)],
) -> Availability {
    let path = inherited.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.as_os_str());
    let path: Option<PathBuf> = find_program(program, path.map(AsRef::<OsStr>::as_ref));
    let version = path.as_deref().map(|program| version(program, inherited));
    Availability { agent, program, path, version }
}

fn version(program: &Path, inherited: &[(OsString, OsString)]) -> Result<String, String> {
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let outcome = run_blocking(Job {
        program: program.to_owned(),
        arguments: vec!["--version".into()],
        directory: scratch.path().to_owned(),
        environment: SpawnEnvironment::from_inherited(inherited, [])
            .at_home_in(scratch.path())
            .into_variables(),
        input: Vec::new(),
        timeout: PATIENCE,
        grace: Duration::from_secs(1),
        output_limit: 64 * 1024,
        on_line: &ignore_lines,
    })
    .map_err(|error| short_line(&error.to_string()))?;
    let said = |bytes: &[u8]| short_line(String::from_utf8_lossy(bytes).lines().next().unwrap_or_default());
    match outcome.ended {
        Ended::Exited(0) if !outcome.stdout.is_empty() => Ok(said(&outcome.stdout)),
        Ended::Exited(0) => Err("it does not say".into()),
        Ended::Exited(code) => Err(format!("exit code {code}: {}", said(&outcome.stderr))),
        Ended::Killed(signal) => Err(format!("killed by signal {signal}")),
        Ended::TimedOut => Err(format!("no answer within {} seconds", PATIENCE.as_secs())),
        Ended::GivenUp => Err("nobody waited for it".into()),
        Ended::Flooded => Err("it would not stop writing".into()),
    }
}

/// Asks an agent a question with a short answer, in an empty directory. It costs as much as that does.
pub fn ping(launch: &Launch) -> Result<(), AgentTrouble> {
    let empty = tempfile::tempdir().map_err(|error| AgentTrouble::NotRun(error.to_string()))?;
    let schema = json!({
        "type": "object", "additionalProperties": false, "required": ["ok"],
        "properties": {"ok": {"type": "boolean"}},
    });
    let prompt =
        "This is a test of the connection. Use no tools. Answer with the JSON object {\"ok\": true}.";
    let finished =
        launch.run(Role::Reviewer, prompt, Some(&schema), empty.path(), Waiting::patiently(&|_| {}))?;
    // Not held to the question: a program that reviews whatever it finds beside it need not have read it.
    match finished.answer.structured {
        Some(_) => Ok(()),
        None => Err(AgentTrouble::Unreadable(short_line(&finished.answer.text))),
    }
}
