use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use domain::config::Sandbox;
use domain::text::short_line;
use serde_json::Value;

use super::ports::ports;
use super::{
    AcpSpeaker, AgentAnswer, AgentTrouble, Ask, CodingAgent, Guard, HomePlace, Invocation, Output, Role,
    Scratch, acp,
};
use crate::confine::{self, Limits, Policy, Warden, installation, support};
use crate::process::{
    Ended, Job, Outcome, SpawnEnvironment, Stream, find_program, on_own_runtime, run_until, when,
};

/// Nobody has that much to say. All of it is held in memory.
pub(super) const OUTPUT_LIMIT: usize = 64 << 20;
/// How long an agent has to put its things together when its time is up.
const GRACE: Duration = Duration::from_secs(5);
/// How long its warden has, who may have many to kill.
const WARDEN_GRACE: Duration = Duration::from_secs(60);

/// How an agent is run: everything but what it is asked.
#[derive(Debug, Clone)]
pub struct Launch {
    pub agent: &'static dyn CodingAgent,
    /// In place of the agent's own program: the program, and arguments before the agent's.
    pub command: Vec<String>,
    pub model: Option<String>,
    /// Names of variables it may see besides those it cannot do without.
    pub environment: Vec<String>,
    /// The variables of which it may see some.
    pub inherited: Vec<(OsString, OsString)>,
    pub login: Login,
    pub sandbox: Sandbox,
    pub warden: Warden,
    pub scratch_root: PathBuf,
    /// What it may read besides the system, its installation and its worktree.
    pub readable: Vec<PathBuf>,
    /// TCP ports it may connect to, besides those it is known to need.
    pub ports: Vec<u16>,
    pub limits: Limits,
    pub timeout: Duration,
    /// What it may spend, where it can be told.
    pub cents: Option<u64>,
}

/// Where an agent's right to use its model comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Login {
    /// Variables alone.
    #[default]
    Environment,
    /// Also the user's login to that agent, of which it is given a copy. An agent that renews its login may by
    /// that end the original.
    Copied,
}

/// Somebody who waits for an agent.
#[derive(Clone, Copy)]
pub struct Waiting<'a> {
    /// Told in clean lines what it does.
    pub progress: &'a (dyn Fn(&str) + Sync),
    /// Asked now and then. Once it says so, the agent is ended.
    pub given_up: &'a (dyn Fn() -> bool + Sync),
}

impl<'a> Waiting<'a> {
    /// For as long as it takes.
    pub fn patiently(progress: &'a (dyn Fn(&str) + Sync)) -> Waiting<'a> {
        Waiting { progress, given_up: &|| false }
    }
}

impl std::fmt::Debug for Waiting<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Waiting").finish_non_exhaustive()
    }
}

/// An answer, and what has to be told with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    pub answer: AgentAnswer,
    pub remarks: Vec<String>,
}

/// Where an agent runs and what it sees there. Its scratch directory goes away with this.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) program: PathBuf,
    pub(super) worktree: PathBuf,
    scratch: Scratch,
    environment: SpawnEnvironment,
    pub(super) guard: Guard,
    pub(super) remarks: Vec<String>,
}

impl Launch {
    /// With defaults for everything that can have one.
    pub fn new(agent: &'static dyn CodingAgent, warden: Warden, scratch_root: PathBuf) -> Launch {
        Launch {
            agent,
            command: Vec::new(),
            model: None,
            environment: Vec::new(),
            inherited: crate::process::inherited(),
            login: Login::default(),
            sandbox: Sandbox::default(),
            warden,
            scratch_root,
            readable: Vec::new(),
            ports: Vec::new(),
            limits: Limits::default(),
            timeout: Duration::from_secs(30 * 60),
            cents: None,
        }
    }

    /// The program that would be run.
    pub fn program(&self) -> Result<PathBuf, AgentTrouble> {
        let program = self.command.first().map_or(self.agent.program(), String::as_str);
        let name = if program.is_empty() { self.agent.name() } else { program };
        find_program(program, self.variable("PATH"))
            .ok_or_else(|| AgentTrouble::NotInstalled(name.to_owned()))
    }

    /// Asks the agent and waits for its answer. Blocking.
    pub fn run(
        &self,
        role: Role,
        prompt: &str,
        schema: Option<&Value>,
        worktree: &Path,
        waiting: Waiting<'_>,
    ) -> Result<Finished, AgentTrouble> {
        if self.agent.acp_speaker() == AcpSpeaker::ItselfOnly {
            return acp::ask(self, role, prompt, schema, worktree, waiting);
        }
        let place = self.prepare(worktree)?;
        let invocation = self.with_ask(&place, prompt, schema, |ask| match role {
            Role::Reviewer => self.agent.review(ask),
            Role::Author => self.agent.author(ask),
        });
        let on_line = |stream: Stream, line: &[u8]| {
            let line = String::from_utf8_lossy(line);
            let told = match stream {
                Stream::Output => self.agent.progress(&line),
                Stream::Error => Some(line.into_owned()),
            };
            let told = told.map(|told| short_line(&told)).filter(|told| !told.is_empty());
            told.iter().for_each(|told| (waiting.progress)(told));
        };
        let job = self.job(role, &place, &invocation, &on_line)?;
        let outcome = on_own_runtime(|| run_until(job, when(waiting.given_up))).map_err(not_run)?;
        let outcome = outcome.map_err(|error| AgentTrouble::NotRun(error.to_string()))?;
        let answer = self.read(role, outcome, invocation.answer_file.as_deref())?;
        Ok(Finished { answer, remarks: place.remarks })
    }

    /// Finds the program, and makes the place it will run in.
    pub(super) fn prepare(&self, worktree: &Path) -> Result<Place, AgentTrouble> {
        let program = self.program()?;
        let (guard, remarks) = self.guard()?;
        let worktree = worktree.canonicalize().map_err(not_run)?;
        let scratch = self.scratch().map_err(not_run)??;
        let environment = self.environment_in(&scratch);
        Ok(Place { program, worktree, scratch, environment, guard, remarks })
    }

    /// Puts the question to whoever turns it into a command line.
    pub(super) fn with_ask<T>(
        &self,
        place: &Place,
        prompt: &str,
        schema: Option<&Value>,
        turn: impl FnOnce(&Ask<'_>) -> T,
    ) -> T {
        let variable =
            |name: &str| place.environment.get(name).filter(|value| !value.is_empty()).map(str::to_owned);
        turn(&Ask {
            prompt,
            schema,
            model: self.model.as_deref(),
            worktree: &place.worktree,
            files: &place.scratch.files(),
            guard: place.guard,
            cents: self.cents,
            variable: &variable,
        })
    }

    /// What is really started: the warden, with the agent in its charge. The files of the invocation are written.
    pub(super) fn job<'a>(
        &self,
        role: Role,
        place: &Place,
        invocation: &Invocation,
        on_line: &'a (dyn Fn(Stream, &[u8]) + Sync),
    ) -> Result<Job<'a>, AgentTrouble> {
        for (file, text) in &invocation.files {
            std::fs::write(file, text).map_err(not_run)?;
        }
        let mut policy = self.policy(role, place);
        policy.processes = invocation.processes.unwrap_or(policy.processes);
        let arguments: Vec<OsString> =
            self.command.iter().skip(1).chain(&invocation.arguments).map(OsString::from).collect();
        let add =
            |environment: SpawnEnvironment, (name, value): &(String, String)| environment.with(name, value);
        let environment = invocation.environment.iter().fold(place.environment.clone(), add);
        Ok(Job {
            program: self.warden.program.clone(),
            arguments: self.warden.arguments_for(&policy, &place.program, &arguments),
            directory: place.worktree.clone(),
            environment: environment.into_variables(),
            input: invocation.input.clone().into_bytes(),
            timeout: self.timeout,
            grace: WARDEN_GRACE,
            output_limit: OUTPUT_LIMIT,
            on_line,
        })
    }

    /// Who guards it, and what the report has to say about that.
    fn guard(&self) -> Result<(Guard, Vec<String>), AgentTrouble> {
        let name = self.agent.name();
        let support = support();
        match self.sandbox {
            Sandbox::Off => {
                let remark = format!(
                    "NOT CONFINED: `sandbox: off` is set, so nothing but {name}'s own settings kept it from \
                     reading and writing whatever this user can"
                );
                Ok((Guard::Itself, vec![remark]))
            }
            Sandbox::Required if !support.suffices() => Err(AgentTrouble::NotConfined(format!(
                "not run: this kernel cannot confine it (Landlock ABI {}, 4 is needed), and `sandbox: required` is set",
                support.abi
            ))),
            Sandbox::Required | Sandbox::Preferred => {
                let guard = if support.files() { Guard::Kernel } else { Guard::Itself };
                Ok((guard, support.remark(name).into_iter().collect()))
            }
        }
    }

    fn scratch(&self) -> std::io::Result<Result<Scratch, AgentTrouble>> {
        let scratch = Scratch::create(&self.scratch_root)?;
        if self.agent.home() == HomePlace::OutsideTemporary && scratch.is_temporary() {
            return Ok(Err(AgentTrouble::NotRun(format!(
                "its home would be {}, below the directory for temporary files, where each of its commands fails",
                scratch.path().display()
            ))));
        }
        if let (Login::Copied, Some(home)) = (self.login, self.variable("HOME")) {
            for file in self.agent.login_files() {
                scratch.copy_from_home(Path::new(home), file)?;
            }
        }
        Ok(Ok(scratch))
    }

    fn environment_in(&self, scratch: &Scratch) -> SpawnEnvironment {
        let asked = self.agent.variables().iter().copied().chain(self.environment.iter().map(String::as_str));
        SpawnEnvironment::from_inherited(&self.inherited, asked)
            .at_home_in(scratch.path())
            // It cannot be read, as it may hold a token, and git complains about what it cannot read.
            .with("GIT_CONFIG_NOSYSTEM", "1")
    }

    fn policy(&self, role: Role, place: &Place) -> Policy {
        let home = self.variable("HOME").map(Path::new);
        let mut read = installation(&place.program, self.variable("PATH"), home);
        read.extend(self.readable.iter().cloned());
        let mut write = vec![place.scratch.path().to_owned()];
        match role {
            Role::Reviewer => read.push(place.worktree.clone()),
            Role::Author => write.push(place.worktree.clone()),
        }
        Policy {
            sandbox: self.sandbox,
            read,
            write,
            ports: ports(&place.environment, self.agent.variables(), &self.ports),
            processes: self.agent.processes(),
            limits: self.limits,
            abandoned: Some(place.scratch.path().to_owned()),
            grace_ms: u64::try_from(GRACE.as_millis()).unwrap_or(u64::MAX),
        }
    }

    fn read(
        &self,
        role: Role,
        outcome: Outcome,
        answer_file: Option<&Path>,
    ) -> Result<AgentAnswer, AgentTrouble> {
        let stderr = String::from_utf8_lossy(&outcome.stderr).into_owned();
        let exit = match outcome.ended {
            Ended::TimedOut => return Err(AgentTrouble::TimedOut(self.timeout.as_secs())),
            Ended::Flooded => return Err(AgentTrouble::Flooded(OUTPUT_LIMIT >> 20)),
            Ended::GivenUp => return Err(AgentTrouble::GivenUp),
            Ended::Killed(signal) => 128 + signal,
            Ended::Exited(exit) => exit,
        };
        self.told_by_the_warden(exit, &stderr)?;
        let output = Output {
            exit,
            stdout: String::from_utf8_lossy(&outcome.stdout).into_owned(),
            stderr,
            answer_file: answer_file.and_then(read_answer),
        };
        self.agent.read(role, &output)
    }

    pub(super) fn variable(&self, name: &str) -> Option<&OsStr> {
        self.inherited.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_os_str())
    }

    /// Exit codes that are not the agent's.
    pub(super) fn told_by_the_warden(&self, exit: i32, stderr: &str) -> Result<(), AgentTrouble> {
        match u8::try_from(exit) {
            Ok(confine::TOO_MANY_PROCESSES) => Err(AgentTrouble::TooManyProcesses),
            Ok(confine::TOO_MUCH_MEMORY) => {
                Err(AgentTrouble::TooMuchMemory(self.limits.memory_bytes.unwrap_or_default() >> 20))
            }
            Ok(confine::REFUSED) => Err(AgentTrouble::NotRun(short_line(stderr))),
            Ok(_) | Err(_) => Ok(()),
        }
    }
}

fn not_run(error: std::io::Error) -> AgentTrouble {
    AgentTrouble::NotRun(error.to_string())
}

/// The agent wrote it, so it may be of any size, and anything but a file.
fn read_answer(file: &Path) -> Option<String> {
    use std::io::Read;
    if !std::fs::symlink_metadata(file).ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    std::fs::File::open(file).ok()?.take(OUTPUT_LIMIT as u64).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
