use std::path::PathBuf;

use clap::CommandFactory;

use crate::Cli;
use crate::failure::Failure;
use crate::output::{self, Exit};

/// Print the manual page, or write the pages of all commands to a folder.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: countersign man | man -l -")]
pub(crate) struct Man {
    /// Write countersign.1 and one page per command here.
    #[arg(long, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

impl Man {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let unwritable = |error: std::io::Error| {
            Failure::new(
                format!("cannot write the manual: {error}"),
                "give --output a folder that exists and can be written to",
            )
        };
        match self.output {
            Some(folder) => clap_mangen::generate_to(Cli::command(), folder).map_err(unwritable)?,
            None => {
                let mut page = Vec::new();
                clap_mangen::Man::new(Cli::command()).render(&mut page).map_err(unwritable)?;
                output::print(&String::from_utf8_lossy(&page))?;
            }
        }
        Ok(Exit::Ok)
    }
}
