use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use domain::epic::{EpicFile, EpicPart, Position, Problem, ProblemSeverity, Problems, TicketIndex, ticket};
use domain::work::WorkItem;

use crate::documents::{MAX_BYTES, Unread, read_document};
use crate::failure::Failure;

/// An epic with its tickets, as far as they could be read, and what is wrong with them.
pub(super) struct Loaded {
    pub(super) epic: EpicFile,
    /// By index.
    pub(super) tickets: Vec<Option<WorkItem>>,
    /// With the tickets; the epic itself is in order.
    pub(super) problems: Vec<Problem>,
}

/// Fails where there is no file to look at; what is wrong with its content are problems.
pub(super) fn load(path: &Path) -> Result<Result<Loaded, Problems>, Failure> {
    let name = path.display().to_string();
    match read_document(path, MAX_BYTES) {
        Ok(text) => Ok(EpicFile::parse(&name, &text).map(|epic| with_tickets(path, epic))),
        Err(Unread::Content { reason, hint, at, .. }) => {
            Ok(Err(Problems { problems: vec![unreadable(&name, &reason, hint, at)], left_out: 0 }))
        }
        Err(Unread::File(failure)) => Err(failure),
    }
}

/// The text of an epic or a ticket cannot be read from there on.
fn unreadable(file: &str, reason: &str, hint: &str, (line, column): (u64, u64)) -> Problem {
    let problem = Problem::about(ProblemSeverity::Error, file, format!("cannot read this: {reason}"), hint);
    Problem { at: Some(Position { line, column }), ..problem }
}

fn with_tickets(path: &Path, epic: EpicFile) -> Loaded {
    let folder = folder_of(path);
    let limits = Limits::of(&folder);
    let mut loaded = Loaded { tickets: Vec::new(), problems: Vec::new(), epic };
    for index in loaded.epic.document.indices() {
        let read = read_ticket(&folder, &limits, &loaded.epic, index);
        loaded.tickets.push(match read {
            Ok((item, problems)) => {
                loaded.problems.extend(problems);
                Some(item)
            }
            Err(problem) => {
                loaded.problems.push(*problem);
                None
            }
        });
    }
    loaded
}

fn read_ticket(
    folder: &Path,
    limits: &Limits,
    epic: &EpicFile,
    index: TicketIndex,
) -> Result<(WorkItem, Vec<Problem>), Box<Problem>> {
    let name = &epic.document.tickets[index.0].path;
    let path = folder.join(name);
    let wrong = |message: String, expected: &str| {
        Box::new(epic.problem_with(EpicPart::Path(index), ProblemSeverity::Error, message, expected))
    };
    match path.canonicalize() {
        Ok(real) if !limits.hold(&real) => {
            let message = format!("`{name}` is a link that leads out of the repository");
            return Err(wrong(message, "a file in the repository of the epic"));
        }
        Ok(real) if real.is_dir() => {
            return Err(wrong(format!("`{name}` is a folder"), "the markdown file of the ticket"));
        }
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let message = format!("there is no file `{name}` in the folder of the epic");
            return Err(wrong(message, "the markdown of the ticket; paths are relative to the epic"));
        }
        Err(error) => return Err(wrong(format!("`{name}` cannot be read: {error}"), "a readable file")),
    }
    let shown = path.display().to_string();
    match read_document(&path, MAX_BYTES) {
        Ok(text) => {
            let item = WorkItem::parse(&shown, &text);
            let problems = ticket::check(&shown, &item);
            Ok((item, problems))
        }
        Err(Unread::Content { reason, hint, at, .. }) => Err(Box::new(unreadable(&shown, &reason, hint, at))),
        Err(Unread::File(failure)) => Err(wrong(failure.what().to_owned(), failure.hint())),
    }
}

/// Empty for the current folder, so that what is below it is called by its plain name.
fn folder_of(path: &Path) -> PathBuf {
    path.parent().map(Path::to_owned).unwrap_or_default()
}

/// Where a ticket may really be, whatever links stand on the way: in the epic's repository, or, outside of any, in its
/// folder.
struct Limits {
    root: Option<PathBuf>,
}

impl Limits {
    fn of(folder: &Path) -> Limits {
        let folder = Path::new(".").join(folder).canonicalize().ok();
        let repository = folder.as_deref().and_then(|folder| {
            folder.ancestors().find(|folder| folder.join(".git").exists()).map(Path::to_owned)
        });
        Limits { root: repository.or(folder) }
    }

    fn hold(&self, real: &Path) -> bool {
        self.root.as_deref().is_some_and(|root| real.starts_with(root))
    }
}
