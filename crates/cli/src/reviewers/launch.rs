use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use brain::agents::acp::{Chosen, Execute, author};
use brain::agents::{AcpSpeaker, AgentTrouble, CodingAgent, Launch, Login, agent, default_scratch_root};
use brain::confine::{Warden, support};
use brain::process::{NotTaken, UnderReview};
use domain::config::{AgentConfig, Protocol, Sandbox};
use domain::ports::AuthorError;
use git::Repository;

use crate::failure::Failure;

/// Where a change may have put something.
pub(crate) fn under_review(repository: &Repository) -> UnderReview {
    let places = [repository.work_tree(), Some(repository.git_dir())];
    UnderReview { places: places.into_iter().flatten().map(Path::to_owned).collect() }
}

/// How the coding agent behind `config` is asked for a review. Fails where trying would be pointless, and where the
/// change could have written what is run: neither the program nor a file it is given may be one of the repository.
pub(crate) fn launch(
    config: &AgentConfig,
    sandbox: Sandbox,
    cents: u64,
    under_review: &UnderReview,
) -> Result<Launch, Failure> {
    let mut launch = launch_unchecked(config, sandbox, cents)?;
    // Reviews are asked for by the agent's own command line, and this would be the program for the other way.
    let speaker = launch.agent.acp_speaker();
    if config.protocol == Protocol::Acp && matches!(speaker, AcpSpeaker::Another { .. }) {
        launch.command.clear();
    }
    let program = launch.command.first().map_or(launch.agent.program(), String::as_str).to_owned();
    let found = under_review.program(&program, variable(&launch, "PATH"));
    let found = found.map_err(|why| match why {
        NotTaken::NotInstalled => cannot_run(config, &launch, &AgentTrouble::NotInstalled(program.clone())),
        NotTaken::Relative | NotTaken::UnderReview => {
            not_taken(config, &format!("its program `{program}` {why}"))
        }
    })?;
    refuse_own_files(config, &launch, under_review, &[])?;
    // By its path from here on: who runs it looks it up again.
    let arguments = launch.command.iter().skip(1).cloned();
    launch.command = std::iter::once(found.to_string_lossy().into_owned()).chain(arguments).collect();
    for (_, path) in launch.inherited.iter_mut().filter(|(name, _)| name == "PATH") {
        *path = under_review.without(path);
    }
    Ok(launch)
}

/// Fails if there is no such program, so that nobody waits for one in vain.
pub(crate) fn installed(config: &AgentConfig, sandbox: Sandbox) -> Result<(), Failure> {
    let launch = launch_unchecked(config, sandbox, 0)?;
    let program = launch.command.first().map_or(launch.agent.program(), String::as_str);
    match (UnderReview { places: Vec::new() }).program(program, variable(&launch, "PATH")) {
        Err(NotTaken::NotInstalled) => {
            Err(cannot_run(config, &launch, &AgentTrouble::NotInstalled(program.to_owned())))
        }
        Ok(_) | Err(NotTaken::Relative | NotTaken::UnderReview) => Ok(()),
    }
}

/// Relative arguments are looked up below `roots`, where the files of the change are that the agent runs beside.
pub(super) fn refuse_own_files(
    config: &AgentConfig,
    launch: &Launch,
    under_review: &UnderReview,
    roots: &[&Path],
) -> Result<(), Failure> {
    let arguments = launch.command.get(1..).unwrap_or_default();
    match under_review.named_in(arguments, roots) {
        Some(own) => Err(not_taken(
            config,
            &format!("its argument `{own}` names a file of the repository under review"),
        )),
        None => Ok(()),
    }
}

fn not_taken(config: &AgentConfig, why: &str) -> Failure {
    let id = &config.id;
    Failure::new(
        format!("agent {id} is not run as a reviewer: {why}"),
        format!(
            "a change could replace its own reviewer; put the program outside of the repository and name it in \
             agents.{id}.command by its absolute path, or by its name on PATH"
        ),
    )
}

fn variable<'a>(launch: &'a Launch, name: &str) -> Option<&'a OsStr> {
    launch.inherited.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_os_str())
}

/// An author that cannot be run: another try would end the same way.
pub(crate) fn author_cannot_run(error: &AuthorError) -> Failure {
    Failure::new(error, "check its command with `countersign doctor`, then go on where this stopped")
}

/// The coding agent behind `config` as somebody who writes code, spoken to as its configuration says.
pub(crate) fn writer(config: &AgentConfig, sandbox: Sandbox, cents: u64) -> Result<Chosen, Failure> {
    speaking(config, launch_unchecked(config, sandbox, cents)?)
}

/// As [`writer`], with everything it makes for itself below `scratch`.
pub(crate) fn writer_in(
    config: &AgentConfig,
    sandbox: Sandbox,
    cents: u64,
    scratch: PathBuf,
) -> Result<Chosen, Failure> {
    let launch = launch_unchecked(config, sandbox, cents)?;
    speaking(config, Launch { scratch_root: scratch, ..launch })
}

fn speaking(config: &AgentConfig, launch: Launch) -> Result<Chosen, Failure> {
    let name = config.id.clone();
    let execute = config.allow_commands.as_deref().map(execute);
    author(name, launch.clone(), config.protocol, execute)
        .map_err(|trouble| cannot_run(config, &launch, &trouble))
}

fn execute(allowed: &[String]) -> Execute {
    match allowed.iter().any(|command| command == "*") {
        true => Execute::Anything,
        false => Execute::Listed(allowed.to_vec()),
    }
}

/// As [`launch`], without looking whether there is a program.
pub(crate) fn launch_unchecked(
    config: &AgentConfig,
    sandbox: Sandbox,
    cents: u64,
) -> Result<Launch, Failure> {
    let kind = config.brain.and_then(agent).ok_or_else(|| {
        Failure::new(
            format!("agent {} is no coding agent", config.id),
            "give it a `brain` in countersign.yaml: claude, codex, gemini, opencode, goose, command or acp",
        )
    })?;
    let mut launch = launch_of(kind, sandbox)?;
    launch.command.clone_from(&config.command);
    launch.model.clone_from(&config.model);
    launch.environment.clone_from(&config.environment);
    launch.timeout = config.timeout;
    launch.limits.memory_bytes = config.memory_mb.map(|limit| u64::from(limit) << 20);
    launch.cents = (cents > 0).then_some(cents);
    Ok(launch)
}

/// A coding agent as it is, without anything configured.
pub(crate) fn launch_of(agent: &'static dyn CodingAgent, sandbox: Sandbox) -> Result<Launch, Failure> {
    let warden = Warden::this_program().map_err(|error| {
        Failure::new(format!("countersign cannot find itself: {error}"), "start it by its full path")
    })?;
    if sandbox == Sandbox::Required && !support().suffices() {
        return Err(Failure::new(
            format!(
                "{} is not run: this kernel cannot confine it, and `sandbox: required` is set",
                agent.name()
            ),
            "use a kernel with Landlock ABI 4 or later (Linux 6.7), or set `sandbox: preferred`",
        ));
    }
    let mut launch = Launch::new(agent, warden, default_scratch_root(|name| std::env::var_os(name)));
    launch.sandbox = sandbox;
    launch.login = login(&launch);
    Ok(launch)
}

fn cannot_run(config: &AgentConfig, launch: &Launch, trouble: &AgentTrouble) -> Failure {
    let id = &config.id;
    let hint = match (trouble, launch.agent.acp_speaker()) {
        (AgentTrouble::NotInstalled(missing), AcpSpeaker::Another { program, package })
            if missing == program =>
        {
            format!(
                "install it (npm install -g {package}), name it in agents.{id}.command, or set agents.{id}.protocol to `auto`"
            )
        }
        _ => format!(
            "install it, or name the program in agents.{id}.command; `countersign doctor` lists what is installed"
        ),
    };
    Failure::new(format!("agent {id} cannot be run: {trouble}"), hint)
}

/// A key in the environment is enough. Only without one is the agent given a copy of the user's login to it.
fn login(launch: &Launch) -> Login {
    let is_key = |name: &&str| name.ends_with("_KEY") || name.ends_with("_TOKEN");
    let names = launch.agent.variables().iter().copied().filter(is_key);
    let set = |name: &str| launch.inherited.iter().any(|(known, value)| known == name && !value.is_empty());
    match names.into_iter().any(set) {
        true => Login::Environment,
        false => Login::Copied,
    }
}
