//! The project's own commands, run as confined as an author is.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use brain::agents::{AgentTrouble, AnyCommand, Launch, Role, Waiting};
use brain::confine::Warden;
use domain::config::Sandbox;

use crate::failure::Failure;

/// As much of the end of a command's output as helps somebody who has to correct what it complains about.
const LINES_KEPT: usize = 60;

/// How commands are run in a checkout.
#[derive(Debug, Clone)]
pub(crate) struct Commands {
    pub(crate) sandbox: Sandbox,
    pub(crate) scratch: PathBuf,
    /// Names of variables they may see.
    pub(crate) environment: Vec<String>,
    pub(crate) timeout: Duration,
    pub(crate) stop: Arc<AtomicBool>,
}

/// What a command came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ran {
    Passed { output: String },
    Failed { reason: String, output: String },
}

impl Commands {
    /// Runs a shell command in `folder`, which it may write.
    pub(crate) fn run(&self, command: &str, folder: &Path) -> Result<Ran, Failure> {
        let warden = Warden::this_program().map_err(|error| {
            Failure::new(format!("countersign cannot find itself: {error}"), "start it by its full path")
        })?;
        let mut launch = Launch::new(&AnyCommand, warden, self.scratch.join("scratch"));
        // Everything it says is heard: only what goes to standard error is passed on line by line.
        let script = format!("{{\n{command}\n}} 1>&2 </dev/null");
        launch.command = vec!["/bin/sh".into(), "-c".into(), script];
        launch.sandbox = self.sandbox;
        launch.timeout = self.timeout;
        launch.environment.clone_from(&self.environment);
        toolchains(&mut launch);
        let heard = Mutex::new(Vec::new());
        let hear = |line: &str| {
            if let Ok(mut heard) = heard.lock() {
                heard.push(line.to_owned());
                if heard.len() > 2 * LINES_KEPT {
                    heard.drain(..LINES_KEPT);
                }
            }
        };
        let given_up = || self.stop.load(Ordering::SeqCst);
        let waiting = Waiting { progress: &hear, given_up: &given_up };
        let ran = launch.run(Role::Author, "", None, folder, waiting);
        let heard = heard.into_inner().unwrap_or_default();
        let output = heard[heard.len().saturating_sub(LINES_KEPT)..].join("\n");
        let output = rules::redact_output(&output).into_owned();
        Ok(match ran {
            Ok(_) => Ran::Passed { output },
            Err(AgentTrouble::Failed { exit, .. }) => {
                Ran::Failed { reason: format!("exit code {exit}"), output }
            }
            Err(trouble) => Ran::Failed { reason: trouble.to_string(), output },
        })
    }
}

/// What lies on the path can be run; a toolchain manager finds its toolchains though the home is another.
fn toolchains(launch: &mut Launch) {
    let variable = |launch: &Launch, name: &str| {
        launch.inherited.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    };
    if let Some(path) = variable(launch, "PATH") {
        for folder in std::env::split_paths(&path).filter(|folder| folder.is_absolute() && folder.is_dir()) {
            launch
                .readable
                .extend(folder.parent().map(|parent| parent.join("lib")).filter(|lib| lib.is_dir()));
            launch.readable.push(folder);
        }
    }
    let home = variable(launch, "HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    for (name, usual) in [("RUSTUP_HOME", ".rustup"), ("PYENV_ROOT", ".pyenv"), ("NVM_DIR", ".nvm")] {
        let own = variable(launch, name).map(PathBuf::from);
        let place = own.or_else(|| home.as_ref().map(|home| home.join(usual))).filter(|place| place.is_dir());
        if let Some(place) = place {
            launch.inherited.retain(|(known, _)| known != name);
            launch.inherited.push((name.into(), place.clone().into()));
            launch.environment.push(name.to_owned());
            launch.readable.push(place);
        }
    }
}
