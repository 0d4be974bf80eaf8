use clap::CommandFactory;
use clap_complete::Shell;

use crate::Cli;
use crate::failure::Failure;
use crate::output::{self, Exit};

/// Print completions for a shell.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: countersign completions bash > ~/.local/share/bash-completion/completions/countersign"
)]
pub(crate) struct Completions {
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "countersign", &mut script);
        output::print(&String::from_utf8_lossy(&script))?;
        Ok(Exit::Ok)
    }
}
