use std::io::Read;
use std::path::{Path, PathBuf};

use domain::work::{ContextDocument, Epic, WorkItem, WorkOrder};

use crate::failure::Failure;

/// Larger than any ticket; a mistyped path to something huge should not fill the memory.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// The documents a change is held against.
#[derive(Debug, clap::Args)]
pub(crate) struct Documents {
    /// The ticket the change implements (markdown with acceptance criteria as a checklist).
    #[arg(long, value_name = "FILE.md", conflicts_with = "story")]
    ticket: Option<PathBuf>,

    /// The epic the ticket belongs to (YAML with coordination requirements).
    #[arg(long, value_name = "FILE.yaml")]
    epic: Option<PathBuf>,

    /// The story the change implements (markdown).
    #[arg(long, value_name = "FILE.md")]
    story: Option<PathBuf>,

    /// A document on architecture or standards that a model or agent is told of; may be repeated.
    #[arg(long, value_name = "FILE")]
    context: Vec<PathBuf>,
}

impl Documents {
    pub(crate) fn read(&self) -> Result<WorkOrder, Failure> {
        let item = |path: &PathBuf| -> Result<WorkItem, Failure> {
            Ok(WorkItem::parse(&path.to_string_lossy(), &read_text(path)?))
        };
        let epic = |path: &PathBuf| -> Result<Epic, Failure> {
            Ok(Epic::parse(&path.to_string_lossy(), &read_text(path)?)?)
        };
        let context = |path: &PathBuf| -> Result<ContextDocument, Failure> {
            Ok(ContextDocument { title: path.to_string_lossy().into_owned(), text: read_text(path)? })
        };
        Ok(WorkOrder {
            ticket: self.ticket.as_ref().map(item).transpose()?,
            story: self.story.as_ref().map(item).transpose()?,
            epic: self.epic.as_ref().map(epic).transpose()?,
            context: self.context.iter().map(context).collect::<Result<_, _>>()?,
        })
    }
}

pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    read_up_to(path, MAX_BYTES)
}

/// Of `most` bytes, a whole number of MiB.
pub(crate) fn read_up_to(path: &Path, most: u64) -> Result<String, Failure> {
    let failure =
        |reason: &str, hint: &str| Failure::new(format!("cannot read {}: {reason}", path.display()), hint);
    let mut bytes = Vec::new();
    std::fs::File::open(path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes)).map_err(
        |error| {
            failure(
                &error.to_string(),
                "the path is relative to the current folder; check its spelling and permissions",
            )
        },
    )?;
    if bytes.len() as u64 > most {
        return Err(failure(
            &format!("it is larger than {} MiB", most >> 20),
            "give the document itself, not an archive of several",
        ));
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| failure("it is not UTF-8 text", "save it as UTF-8, or convert it with iconv"))?;
    if text.trim().is_empty() {
        return Err(failure(
            "it is empty",
            "an empty document asks for nothing; leave the option out instead",
        ));
    }
    Ok(text)
}
