use std::io::Write;
use std::path::PathBuf;

use domain::config::{FILE_NAME, TEMPLATE};
use git::Repository;

use crate::failure::Failure;
use crate::output::{self, Exit};
use crate::pretty;

/// Write a commented countersign.yaml with every setting at its default.
#[derive(Debug, clap::Args)]
pub(crate) struct Init {
    /// The repository, or any folder in it.
    #[arg(long, value_name = "PATH", default_value = ".")]
    repo: PathBuf,

    /// Print it instead of writing it.
    #[arg(long)]
    stdout: bool,
}

impl Init {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        if self.stdout {
            output::print(TEMPLATE)?;
            return Ok(Exit::Ok);
        }
        let repository = Repository::discover(&self.repo)?;
        let Some(root) = repository.work_tree() else {
            return Err(Failure::new(
                "a bare repository has no working tree to write to",
                "use `countersign init --stdout`, and commit the result where you work",
            ));
        };
        let path = root.join(FILE_NAME);
        let written =
            std::fs::File::create_new(&path).and_then(|mut file| file.write_all(TEMPLATE.as_bytes()));
        match written {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                return Err(Failure::new(
                    format!("{} exists already and is left as it is", path.display()),
                    "compare it with `countersign init --stdout`",
                ));
            }
            Err(error) => {
                return Err(Failure::new(
                    format!("cannot write {}: {error}", path.display()),
                    "check that the folder can be written to",
                ));
            }
        }
        pretty::note(&format!(
            "Wrote {}. It counts once it is on the base branch: commit it, then run `countersign review`.",
            path.display()
        ));
        Ok(Exit::Ok)
    }
}
