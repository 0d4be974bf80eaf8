use std::io::Read;
use std::path::{Path, PathBuf};

use domain::work::{ContextDocument, Epic, WorkItem, WorkOrder};

use crate::failure::Failure;

/// Larger than any ticket; a mistyped path to something huge should not fill the memory.
pub(crate) const MAX_BYTES: u64 = 4 * 1024 * 1024;

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
            submission: None,
            context: self.context.iter().map(context).collect::<Result<_, _>>()?,
        })
    }
}

pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    read_up_to(path, MAX_BYTES)
}

/// Of `most` bytes, a whole number of MiB. An empty one is none.
pub(crate) fn read_up_to(path: &Path, most: u64) -> Result<String, Failure> {
    let text = read_even_empty(path, most)?;
    if text.trim().is_empty() {
        return Err(Failure::new(
            format!("cannot read {}: it is empty", path.display()),
            "an empty document asks for nothing; leave the option out instead",
        ));
    }
    Ok(text)
}

/// Where it is for others to say what an empty file means.
pub(crate) fn read_even_empty(path: &Path, most: u64) -> Result<String, Failure> {
    Ok(read_document(path, most)?)
}

/// Why a document cannot be read.
pub(crate) enum Unread {
    /// There is no such file, or none for us.
    File(Failure),
    /// What it holds, from this line and column on.
    Content { path: PathBuf, reason: String, hint: &'static str, at: (u64, u64) },
}

impl From<Unread> for Failure {
    fn from(unread: Unread) -> Failure {
        match unread {
            Unread::File(failure) => failure,
            Unread::Content { path, reason, hint, at: (line, column) } => {
                Failure::new(format!("cannot read {}:{line}:{column}: {reason}", path.display()), hint)
            }
        }
    }
}

/// The text of a file, without the mark that some editors put in front of it.
pub(crate) fn read_document(path: &Path, most: u64) -> Result<String, Unread> {
    let failure = |reason: &str, hint: &str| {
        Unread::File(Failure::new(format!("cannot read {}: {reason}", path.display()), hint))
    };
    let content = |reason: String, hint: &'static str, at: (u64, u64)| Unread::Content {
        path: path.to_owned(),
        reason,
        hint,
        at,
    };
    if path.is_dir() {
        return Err(failure("it is a folder", "name the file itself"));
    }
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
        let reason = format!("it is larger than {} MiB", most >> 20);
        return Err(content(reason, "give the document itself, not an archive of several", (1, 1)));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let end = error.utf8_error().valid_up_to();
        let before = String::from_utf8_lossy(&error.as_bytes()[..end]).into_owned();
        let reason = "it is not UTF-8 text".to_owned();
        content(reason, "save it as UTF-8, or convert it with iconv", end_of(&before))
    })?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// Line and column behind a text.
fn end_of(text: &str) -> (u64, u64) {
    let last = text.rsplit('\n').next().unwrap_or_default();
    (text.matches('\n').count() as u64 + 1, last.chars().count() as u64 + 1)
}
