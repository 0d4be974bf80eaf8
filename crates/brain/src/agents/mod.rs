//! Coding agents, run as programs: Claude Code, Codex, Gemini CLI, opencode, goose, and any other command.
//!
//! Each agent has a folder with what is peculiar to it: its command line, what it writes, and how that is
//! read. Those are pure functions. Everything else is the same for all of them: where it runs, what it may touch,
//! and what becomes of it when it misbehaves.

pub mod acp;
mod any_acp;
mod author;
mod availability;
mod claude;
mod codex;
mod command;
mod extract;
mod gemini;
mod goose;
mod launch;
mod lines;
mod mind;
mod opencode;
mod ports;
mod scratch;
mod steering;
mod tally;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use domain::config::BrainKind;
use domain::review::Usage;
use serde_json::Value;

use crate::confine::Processes;

pub use any_acp::AnyAcp;
pub use author::AgentAuthor;
pub use availability::{Availability, ping, probe, probe_all};
pub use claude::Claude;
pub use codex::Codex;
pub use command::AnyCommand;
pub use extract::find_json;
pub use gemini::Gemini;
pub use goose::Goose;
pub use launch::{Finished, Launch, Login, Waiting};
pub use mind::AgentMind;
pub use opencode::Opencode;
pub use scratch::{Scratch, default_scratch_root};
pub use steering::{is_steering, withhold};

/// A coding agent: how it is asked, and how its answer is read.
pub trait CodingAgent: Send + Sync {
    /// As in `countersign.yaml`.
    fn name(&self) -> &'static str;

    /// What is looked for on the path, unless the configuration names another program.
    fn program(&self) -> &'static str;

    /// Variables it cannot do without, where they are set: keys and addresses of its model.
    fn variables(&self) -> &'static [&'static str];

    /// Files below the user's home that hold its login, for [`Login::Copied`].
    fn login_files(&self) -> &'static [&'static str] {
        &[]
    }

    fn processes(&self) -> Processes {
        Processes::Own
    }

    /// Whether it breaks when its home is below the directory for temporary files.
    fn home(&self) -> HomePlace {
        HomePlace::Anywhere
    }

    /// It may read, and nothing else.
    fn review(&self, ask: &Ask<'_>) -> Invocation;

    /// It may change files of its worktree, and run programs there.
    fn author(&self, ask: &Ask<'_>) -> Invocation;

    /// Who speaks the Agent Client Protocol for it.
    fn acp_speaker(&self) -> AcpSpeaker {
        AcpSpeaker::Nobody
    }

    /// How that program is called. It asks before it does anything, and is answered by policy.
    fn acp(&self, _: &Ask<'_>) -> Invocation {
        Invocation::default()
    }

    /// What it has to be told about a session beyond what the protocol knows (`_meta`).
    fn acp_session(&self) -> Value {
        Value::Null
    }

    /// What a line of its output says about what it is doing, if anything. Not cleaned.
    fn progress(&self, line: &str) -> Option<String>;

    /// Reads what it wrote after it ended by itself.
    fn read(&self, role: Role, output: &Output) -> Result<AgentAnswer, AgentTrouble>;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Reviewer,
    Author,
}

/// Who speaks the Agent Client Protocol for an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AcpSpeaker {
    Nobody,
    /// Its own program, which can also be asked by its command line.
    Itself,
    /// Its own program, which speaks nothing else.
    ItselfOnly,
    /// A program of its own, from an npm package.
    Another {
        program: &'static str,
        package: &'static str,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HomePlace {
    Anywhere,
    OutsideTemporary,
}

/// Who keeps an agent from doing what it may not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// The kernel: the agent's own means may be relaxed where they would be in the way.
    Kernel,
    /// Nobody but itself.
    Itself,
}

/// What an agent is asked.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    pub prompt: &'a str,
    /// Of the answer. Authors answer in prose.
    pub schema: Option<&'a Value>,
    pub model: Option<&'a str>,
    /// Where it runs.
    pub worktree: &'a Path,
    /// A directory it may write, where files for it can be put.
    pub files: &'a Path,
    pub guard: Guard,
    /// What it may spend, where it can be told.
    pub cents: Option<u64>,
    /// Variables that it will see and that are not empty.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
}

impl std::fmt::Debug for dyn CodingAgent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// How a program is called.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Invocation {
    pub arguments: Vec<String>,
    pub input: String,
    /// Written before it starts.
    pub files: Vec<(PathBuf, String)>,
    pub environment: Vec<(String, String)>,
    /// Where it leaves its last words, if not on standard output.
    pub answer_file: Option<PathBuf>,
    /// If it has to see others than [`CodingAgent::processes`] says.
    pub processes: Option<Processes>,
}

/// What a program that ended by itself has left.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Output {
    pub exit: i32,
    pub stdout: String,
    pub stderr: String,
    pub answer_file: Option<String>,
}

/// What an agent said. Nothing of it is checked or cleaned yet.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgentAnswer {
    pub text: String,
    /// Where the agent knows about schemas, or where its text holds a JSON object.
    pub structured: Option<Value>,
    pub usage: Option<Usage>,
    /// What it wanted to use and was not allowed to.
    pub denied_tools: Vec<String>,
}

/// Nothing where nothing was said.
fn behind_a_colon(said: &str) -> String {
    match said.trim() {
        "" => String::new(),
        said => format!(": {said}"),
    }
}

/// Why there is no answer to rely on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AgentTrouble {
    #[error("{0} is not installed")]
    NotInstalled(String),
    #[error("{0}")]
    NotConfined(String),
    #[error("cannot be run: {0}")]
    NotRun(String),
    #[error("was not done after {0} seconds")]
    TimedOut(u64),
    #[error("did not answer in the Agent Client Protocol within {0} seconds")]
    Silent(u64),
    #[error("wrote more than {0} MB")]
    Flooded(usize),
    #[error("started too many processes")]
    TooManyProcesses,
    #[error("held more than {0} MB in memory")]
    TooMuchMemory(u64),
    #[error("ended with exit code {exit}{}", behind_a_colon(.said))]
    Failed { exit: i32, said: String },
    #[error("reports an error{}", behind_a_colon(.0))]
    Reported(String),
    #[error("ended without an answer")]
    Empty,
    #[error("answered something that cannot be read{}", behind_a_colon(.0))]
    Unreadable(String),
    /// A review by somebody who could not look is none.
    #[error("was kept from reading: {0}")]
    CouldNotRead(String),
    #[error("was not done when it had used up {0}")]
    OutOfBudget(&'static str),
    #[error("refuses to do this")]
    Refused,
    #[error("gave up without being told to")]
    Cancelled,
    #[error("was stopped, since nobody waits for it any more")]
    GivenUp,
}

impl AgentTrouble {
    /// For [`domain::review::Trouble::kind`].
    pub fn kind(&self) -> &'static str {
        match self {
            AgentTrouble::NotInstalled(_) => "not_installed",
            AgentTrouble::NotConfined(_) => "not_confined",
            // What shells say of a program that may not be run, or is not there.
            AgentTrouble::Failed { exit: 126 | 127, .. } => "cannot_run",
            AgentTrouble::NotRun(_) | AgentTrouble::Failed { .. } | AgentTrouble::Reported(_) => "failed",
            AgentTrouble::TimedOut(_) | AgentTrouble::Silent(_) => "timed_out",
            AgentTrouble::Flooded(_) | AgentTrouble::TooManyProcesses | AgentTrouble::TooMuchMemory(_) => {
                "out_of_bounds"
            }
            AgentTrouble::Empty => "empty",
            AgentTrouble::Unreadable(_) => "unparsable",
            AgentTrouble::CouldNotRead(_) => "could_not_read",
            AgentTrouble::OutOfBudget(_) => "out_of_budget",
            AgentTrouble::Refused => "refused",
            AgentTrouble::Cancelled => "cancelled",
            AgentTrouble::GivenUp => "given_up",
        }
    }
}

/// The agent behind a brain. The built-in rules and models are none.
pub fn agent(kind: BrainKind) -> Option<&'static dyn CodingAgent> {
    match kind {
        BrainKind::Rules | BrainKind::Model => None,
        BrainKind::Claude => Some(&Claude),
        BrainKind::Codex => Some(&Codex),
        BrainKind::Gemini => Some(&Gemini),
        BrainKind::Opencode => Some(&Opencode),
        BrainKind::Goose => Some(&Goose),
        BrainKind::Command => Some(&AnyCommand),
        BrainKind::Acp => Some(&AnyAcp),
    }
}

/// The prompt with the schema behind it, for agents that cannot be given one otherwise. Most prompts hold it already.
fn with_schema(ask: &Ask<'_>) -> String {
    match ask.schema {
        Some(schema) if !ask.prompt.contains(&schema.to_string()) => format!(
            "{}\n\nAnswer with one JSON object and nothing else: no code fence, no words before or after it. \
             It must be valid against this JSON schema:\n\n{schema}\n",
            ask.prompt
        ),
        Some(_) | None => ask.prompt.to_owned(),
    }
}

impl Output {
    /// What to say of an output in which the agent's own result is missing.
    fn without_result(&self) -> AgentTrouble {
        let said = if self.stderr.trim().is_empty() { &self.stdout } else { &self.stderr };
        let said = domain::text::short_line(said);
        match (self.exit, said.is_empty()) {
            (0, true) => AgentTrouble::Empty,
            (0, false) if self.stdout.trim().is_empty() => AgentTrouble::Empty,
            (0, false) => AgentTrouble::Unreadable(said),
            (exit, _) => AgentTrouble::Failed { exit, said },
        }
    }
}
