use brain::agents::{Launch, Login, agent, default_scratch_root};
use brain::confine::{Warden, support};
use domain::config::{AgentConfig, Sandbox};

use crate::failure::Failure;

/// How the coding agent behind `config` is run. Fails where trying would be pointless.
pub(crate) fn launch(config: &AgentConfig, sandbox: Sandbox, cents: u64) -> Result<Launch, Failure> {
    let kind = config.brain.and_then(agent).ok_or_else(|| {
        Failure::new(
            format!("agent {} is no coding agent", config.id),
            "give it a `brain` in countersign.yaml: claude, codex, gemini, opencode, goose or command",
        )
    })?;
    let warden = Warden::this_program().map_err(|error| {
        Failure::new(format!("countersign cannot find itself: {error}"), "start it by its full path")
    })?;
    let mut launch = Launch::new(kind, warden, default_scratch_root(|name| std::env::var_os(name)));
    launch.command.clone_from(&config.command);
    launch.model.clone_from(&config.model);
    launch.environment.clone_from(&config.environment);
    launch.sandbox = sandbox;
    launch.timeout = config.timeout;
    launch.cents = (cents > 0).then_some(cents);
    launch.login = login(&launch);
    if let Err(trouble) = launch.program() {
        return Err(Failure::new(
            format!("agent {} cannot be run: {trouble}", config.id),
            format!(
                "install it, or name the program in agents.{}.command; `countersign doctor` lists what is installed",
                config.id
            ),
        ));
    }
    if sandbox == Sandbox::Required && !support().suffices() {
        return Err(Failure::new(
            format!(
                "agent {} is not run: this kernel cannot confine it, and `sandbox: required` is set",
                config.id
            ),
            "use a kernel with Landlock ABI 4 or later (Linux 6.7), or set `sandbox: preferred`",
        ));
    }
    Ok(launch)
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
