use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::amount::{Amount, Limits};

/// Who has spent what, across processes: one file of JSON lines for each day (by UTC) and each task.
///
/// Lines are only added, under a lock that all processes respect. A line that a crash has torn is skipped; money
/// set aside by a process that has died stays spent.
#[derive(Debug, Clone)]
pub struct Ledger {
    folder: PathBuf,
}

const DAYS_KEPT: u64 = 90;

/// A budget that outlives the process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Account {
    place: Place,
    limits: Limits,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    /// Whichever day it is when something is spent.
    Today,
    Task {
        file: String,
        name: String,
    },
}

impl Account {
    pub(super) fn today(limits: Limits) -> Account {
        Account { place: Place::Today, limits }
    }

    pub(super) fn of_task(task: &str, limits: Limits) -> Account {
        let digest = Sha256::digest(task.as_bytes());
        let short: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        let name = domain::text::file_name_part(task);
        Account { place: Place::Task { file: format!("task-{short}.jsonl"), name }, limits }
    }

    fn file(&self) -> String {
        match &self.place {
            Place::Today => format!("day-{}.jsonl", Timestamp::now().to_zoned(TimeZone::UTC).date()),
            Place::Task { file, .. } => file.clone(),
        }
    }

    fn whose(&self) -> String {
        match &self.place {
            Place::Today => "this day (UTC)".to_owned(),
            Place::Task { name, .. } => format!("task {name}"),
        }
    }
}

/// What was set aside, and in which files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    id: u64,
    files: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Line {
    id: u64,
    at: String,
    what: What,
    #[serde(flatten)]
    amount: Amount,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum What {
    Reserved,
    /// Takes the place of what was reserved under the same id.
    Settled,
}

/// Until when a line is safe. Waiting for the disk takes longer than all else we do for a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// Whatever happens to the machine.
    OnDisk,
    /// Whatever happens to this process.
    ByTheKernel,
}

impl Ledger {
    /// The folder is made where it is missing. Only its owner can read it.
    pub fn open(folder: &Path) -> std::io::Result<Ledger> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let ledger = Ledger { folder: folder.to_owned() };
        ledger.forget_old();
        Ok(ledger)
    }

    /// All accounts, or none of them.
    pub(super) fn reserve(&self, accounts: &[Account], wanted: Amount) -> Result<Entry, String> {
        let _locked = self.lock()?;
        let files: Vec<String> = accounts.iter().map(Account::file).collect();
        for (account, file) in accounts.iter().zip(&files) {
            if account.limits.is_set() {
                let spent = sum(&self.read(file)?);
                account.limits.check(spent, wanted, &account.whose())?;
            }
        }
        let entry = Entry { id: RandomState::new().build_hasher().finish(), files };
        let is_limited = accounts.iter().any(|account| account.limits.is_set());
        let kept = if is_limited { Kept::OnDisk } else { Kept::ByTheKernel };
        self.note(&entry, What::Reserved, wanted, kept)?;
        Ok(entry)
    }

    fn note(&self, entry: &Entry, what: What, amount: Amount, kept: Kept) -> Result<(), String> {
        let line = Line { id: entry.id, at: Timestamp::now().to_string(), what, amount };
        let line = serde_json::to_string(&line).map_err(|error| cannot("write", &error))?;
        entry.files.iter().try_for_each(|file| self.append(file, &line, kept))
    }

    /// Begins a new line where a crash has left half of one.
    fn append(&self, file: &str, line: &str, kept: Kept) -> Result<(), String> {
        let write = || -> std::io::Result<()> {
            let mut options = OpenOptions::new();
            let mut file =
                options.create(true).read(true).append(true).mode(0o600).open(self.folder.join(file))?;
            let torn = ends_within_a_line(&mut file)?;
            let line = format!("{}{line}\n", if torn { "\n" } else { "" });
            file.write_all(line.as_bytes())?;
            match kept {
                Kept::OnDisk => file.sync_data(),
                Kept::ByTheKernel => Ok(()),
            }
        };
        write().map_err(|error| cannot("write", &error))
    }

    fn read(&self, file: &str) -> Result<String, String> {
        match fs::read(self.folder.join(file)) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
            Err(error) => Err(cannot("read", &error)),
        }
    }

    /// Held until the file is closed, which the kernel does for a process that dies.
    fn lock(&self) -> Result<File, String> {
        let mut options = OpenOptions::new();
        let file =
            options.create(true).write(true).truncate(false).mode(0o600).open(self.folder.join("lock"));
        let file = file.map_err(|error| cannot("lock", &error))?;
        loop {
            match flock(&file, FlockOperation::LockExclusive) {
                Ok(()) => return Ok(file),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(cannot("lock", &error)),
            }
        }
    }

    /// Best effort: an old file costs nothing but space.
    fn forget_old(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        let oldest = SystemTime::now() - Duration::from_secs(DAYS_KEPT * 24 * 3600);
        for entry in entries.flatten() {
            let name = entry.file_name();
            let ours = name.to_str().is_some_and(|name| name.ends_with(".jsonl"));
            let modified = entry.metadata().and_then(|metadata| metadata.modified());
            if ours && modified.is_ok_and(|modified| modified < oldest) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

impl Entry {
    pub(super) fn settle(ledger: &Ledger, entry: &Entry, real: Amount) -> Result<(), String> {
        let _locked = ledger.lock()?;
        // If it is lost with the machine, what was set aside stays spent, which is on the safe side.
        ledger.note(entry, What::Settled, real, Kept::ByTheKernel)
    }
}

fn ends_within_a_line(file: &mut File) -> std::io::Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

fn sum(lines: &str) -> Amount {
    let mut by_id: HashMap<u64, (What, Amount)> = HashMap::new();
    for line in lines.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok()) {
        let known = by_id.get(&line.id).map(|(what, _)| *what);
        match (known, line.what) {
            (Some(What::Settled), What::Reserved) => {}
            (None | Some(_), what) => {
                by_id.insert(line.id, (what, line.amount));
            }
        }
    }
    by_id.values().fold(Amount::default(), |total, (_, amount)| total + *amount)
}

fn cannot(what: &str, error: &dyn std::fmt::Display) -> String {
    format!("nothing is spent without accounts, and they cannot be kept: cannot {what} the ledger: {error}")
}
