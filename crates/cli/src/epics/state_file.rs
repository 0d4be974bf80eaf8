use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use domain::cycle::TicketStatus;
use domain::epic::state_file::{FILE_NAME, TicketState};
use domain::epic::{EpicState, TicketId};
use domain::text::short_line;

use super::REPORT_NAME;
use crate::failure::Failure;
use crate::pretty;

/// Nobody keeps more than that beside an epic.
const LARGEST: u64 = 256 << 20;
/// Of one file.
const MOST_BACKUPS: u32 = 1000;

/// A state file that no run in the store wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    /// There is none, or no ticket in it was begun.
    Nothing,
    /// Which tickets were, and how they stand.
    Begun(String),
    /// Why.
    Unreadable(String),
}

/// `epic-state.json` beside an epic. Written as a whole or not at all; what others keep in it stays.
#[derive(Debug)]
pub(crate) struct StateFile {
    path: PathBuf,
    /// Counts what there is to show.
    news: AtomicU64,
    shown: Mutex<Shown>,
}

#[derive(Debug, Default)]
struct Shown {
    /// The news that the file has.
    news: u64,
    /// The file as we left it, and with whose fields.
    left: Option<(Stamp, EpicState)>,
}

/// Tells whether somebody else has written to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    length: u64,
    modified: (i64, i64),
}

impl StateFile {
    pub(crate) fn beside(epic: &Path, id: &TicketId) -> StateFile {
        StateFile { path: state_path(epic, id), news: AtomicU64::new(0), shown: Mutex::default() }
    }

    /// The report goes with the state.
    pub(crate) fn report(&self, id: &TicketId) -> PathBuf {
        let usual = self.path.file_name().is_some_and(|name| name == FILE_NAME);
        self.path.with_file_name(if usual { REPORT_NAME.to_owned() } else { own_name(id, REPORT_NAME) })
    }

    /// What is there before a run begins that the store does not know.
    pub(crate) fn found(&self) -> Found {
        if stamp(&self.path).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
            return Found::Nothing;
        }
        let state = match self.read() {
            Ok(state) => state,
            Err(reason) => return Found::Unreadable(reason),
        };
        let begun = |ticket: &TicketState| {
            let is_new = matches!(ticket.status, TicketStatus::Pending | TicketStatus::Queued);
            !is_new || ticket.revision_count > 0 || !ticket.review_history.is_empty()
        };
        let begun = state.tickets.iter().filter(|(_, ticket)| begun(ticket));
        let begun: Vec<String> =
            begun.map(|(id, ticket)| format!("{} is {}", short_line(id), ticket.status.as_str())).collect();
        if begun.is_empty() { Found::Nothing } else { Found::Begun(begun.join(", ")) }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Copies the file to a name beside it that is free.
    pub(crate) fn backup(&self) -> Result<PathBuf, Failure> {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let copied = || -> std::io::Result<PathBuf> {
            let mut from = std::fs::File::open(&self.path)?;
            for number in 1..=MOST_BACKUPS {
                let path = self.path.with_file_name(format!("{name}.backup-{number}"));
                match std::fs::File::create_new(&path) {
                    Ok(mut to) => {
                        std::io::copy(&mut from, &mut to)?;
                        to.sync_all()?;
                        return Ok(path);
                    }
                    Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                    Err(error) => return Err(error),
                }
            }
            Err(std::io::Error::other(format!("there are {MOST_BACKUPS} backups already")))
        };
        copied().map_err(|error| {
            Failure::new(
                format!("cannot make a backup of {}: {error}", self.path.display()),
                "make room there, or move the file away",
            )
        })
    }

    /// Shows what `state` says is so now. Of several who have something to show at once, one writes for all.
    pub(crate) fn show(&self, state: impl Fn() -> EpicState) -> Result<(), Failure> {
        let mine = self.news.fetch_add(1, Ordering::SeqCst) + 1;
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if shown.news >= mine {
            return Ok(());
        }
        let news = self.news.load(Ordering::SeqCst);
        let old = self.old(&mut shown);
        if old.is_none() && self.path.exists() {
            let kept = self.backup()?;
            let (path, kept) = (self.path.display(), kept.display());
            pretty::note(&pretty::safe(&format!("{path} could not be read; it is kept as {kept}")));
        }
        let merged = EpicState::merged(old, state());
        let stamp = self.write(&merged.to_json()).map_err(|error| {
            Failure::new(
                format!("cannot write {}: {error}", self.path.display()),
                "make room there, and check its permissions; then go on with `countersign epic resume`",
            )
        })?;
        // Only what others keep in it is needed again; ours is written anew each time.
        *shown = Shown { news, left: Some((stamp, merged)) };
        Ok(())
    }

    /// `state` with what others keep in the file, as it is shown there.
    pub(crate) fn with_others(&self, state: EpicState) -> EpicState {
        EpicState::merged(self.old(&mut Shown::default()), state)
    }

    /// What is there now. Something that cannot be read is nothing: the store has what is ours.
    fn old(&self, shown: &mut Shown) -> Option<EpicState> {
        let stamp = stamp(&self.path).ok()?;
        match shown.left.take() {
            Some((left, state)) if left == stamp => Some(state),
            Some(_) | None => self.read().ok(),
        }
    }

    fn read(&self) -> Result<EpicState, String> {
        let length = stamp(&self.path).map_err(|error| error.to_string())?.length;
        if length > LARGEST {
            return Err(format!("it is longer than {LARGEST} bytes"));
        }
        let text = std::fs::read_to_string(&self.path).map_err(|error| error.to_string())?;
        EpicState::parse(&text).map_err(|bad| bad.to_string())
    }

    /// How a file is called, before and behind what is random, that is not written to its end.
    fn unfinished(&self) -> (String, &'static str) {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        (format!(".{name}."), ".tmp")
    }

    /// Removes what somebody who was killed has left. Only for whoever holds the epic.
    pub(crate) fn tidy(&self) {
        let (prefix, suffix) = self.unfinished();
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        for entry in std::fs::read_dir(folder.unwrap_or(Path::new("."))).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with(&prefix) && name.ends_with(suffix) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }

    fn write(&self, text: &str) -> std::io::Result<Stamp> {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let (prefix, suffix) = self.unfinished();
        let mut file = tempfile::Builder::new()
            .prefix(&prefix)
            .suffix(suffix)
            .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))
            .tempfile_in(folder.unwrap_or(Path::new(".")))?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_data()?;
        file.persist(&self.path).map_err(|error| error.error)?;
        stamp(&self.path)
    }
}

/// Where the state of an epic is kept. Where another epic of the folder has the usual name already, it is left to it.
pub(crate) fn state_path(epic: &Path, id: &TicketId) -> PathBuf {
    let usual = whose(epic).is_none_or(|other| other == id.as_str());
    epic.with_file_name(if usual { FILE_NAME.to_owned() } else { own_name(id, FILE_NAME) })
}

/// How a file of an epic is called that shares its folder with another.
pub(crate) fn own_name(id: &TicketId, usual: &str) -> String {
    format!("{id}.{usual}")
}

/// The epic whose state has the usual name beside this one.
pub(crate) fn whose(epic: &Path) -> Option<String> {
    let path = epic.with_file_name(FILE_NAME);
    if std::fs::metadata(&path).ok()?.len() > LARGEST {
        return None;
    }
    EpicState::parse(&std::fs::read_to_string(&path).ok()?).ok()?.epic_id
}

fn stamp(path: &Path) -> std::io::Result<Stamp> {
    let found = std::fs::metadata(path)?;
    Ok(Stamp { inode: found.ino(), length: found.len(), modified: (found.mtime(), found.mtime_nsec()) })
}
