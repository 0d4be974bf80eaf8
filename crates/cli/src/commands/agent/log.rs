use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use domain::ports::{ActivityLog, LogLine};
use jiff::Timestamp;

use super::logs::Line;
use crate::output::{self, Listing};

/// A log that has grown to this size begins anew.
const LARGEST: u64 = 10 * 1024 * 1024;
/// How many older files are kept of each log: `qa.log.1` is the newest of them.
const KEPT: u32 = 3;

/// Where the log of an agent is.
pub(super) fn path(folder: &Path, agent: &str) -> PathBuf {
    folder.join(format!("{}.log", domain::text::file_name_part(agent)))
}

/// What a log was before it began anew, the newest first. They need not be there.
pub(super) fn rotated(path: &Path) -> impl Iterator<Item = PathBuf> {
    (1..=KEPT).map(|number| older(path, number))
}

fn older(path: &Path, number: u32) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    PathBuf::from(name)
}

/// `logs/<agent>.log`, and the same for whoever watches. Secrets are masked on the way.
#[derive(Debug)]
pub(crate) struct Logs {
    folder: PathBuf,
    format: Listing,
    files: Mutex<HashMap<String, LogFile>>,
}

impl Logs {
    /// `format` is for whoever watches: as it is logged on standard error, or as JSON on standard output.
    pub(crate) fn in_folder(folder: PathBuf, format: Listing) -> io::Result<Logs> {
        std::fs::create_dir_all(&folder)?;
        // Logs in a checkout are nobody's change.
        let ignore = folder.join(".gitignore");
        if !ignore.exists() {
            std::fs::write(ignore, "*\n")?;
        }
        Ok(Logs { folder, format, files: Mutex::default() })
    }

    fn keep(&self, agent: &str, text: &str) -> io::Result<()> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if !files.contains_key(agent) {
            files.insert(agent.to_owned(), LogFile::open(path(&self.folder, agent), LARGEST)?);
        }
        files.get_mut(agent).map_or(Ok(()), |file| file.append(text))
    }
}

impl ActivityLog for Logs {
    /// A line that cannot be written must not stop the work it tells of.
    fn write(&self, line: &LogLine) {
        let text = rules::redact_output(&line.at(Timestamp::now())).into_owned();
        match self.format {
            Listing::Pretty => crate::pretty::note(&text),
            Listing::Json => _ = output::print(&output::json_line(&Line::parse(&line.agent, &text))),
        }
        let _ = self.keep(&line.agent, &text);
    }
}

/// A log that any number of processes append to. Each notices when it was deleted or began anew.
#[derive(Debug)]
struct LogFile {
    path: PathBuf,
    file: File,
    largest: u64,
}

impl LogFile {
    fn open(path: PathBuf, largest: u64) -> io::Result<LogFile> {
        let file = open(&path)?;
        Ok(LogFile { path, file, largest })
    }

    /// One write per line, so that those of several processes do not mix.
    fn append(&mut self, text: &str) -> io::Result<()> {
        if !self.is_current()? {
            self.file = open(&self.path)?;
        }
        if self.file.metadata()?.len() >= self.largest {
            self.rotate()?;
        }
        self.file.write_all(format!("{text}\n").as_bytes())
    }

    /// Whoever holds the lock on the full file moves it away; whoever comes next finds another in its place. A
    /// line written meanwhile goes to the end of the old one and is not lost.
    fn rotate(&mut self) -> io::Result<()> {
        self.file.lock()?;
        if self.is_current()? {
            for number in (1..KEPT).rev() {
                move_if_there(&older(&self.path, number), &older(&self.path, number + 1))?;
            }
            move_if_there(&self.path, &older(&self.path, 1))?;
        }
        // The lock goes with the file.
        self.file = open(&self.path)?;
        Ok(())
    }

    fn is_current(&self) -> io::Result<bool> {
        let ours = self.file.metadata()?;
        match std::fs::metadata(&self.path) {
            Ok(there) => Ok((there.dev(), there.ino()) == (ours.dev(), ours.ino())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    File::options().create(true).append(true).open(path)
}

fn move_if_there(from: &Path, to: &Path) -> io::Result<()> {
    match std::fs::rename(from, to) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &Path) -> Vec<String> {
        std::fs::read_to_string(path).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_log_that_grew_too_large_begins_anew_and_three_older_ones_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = path(folder.path(), "qa");
        let mut log = LogFile::open(path.clone(), 4).unwrap();
        ["one", "two", "three", "four", "five"].iter().for_each(|line| log.append(line).unwrap());
        assert_eq!(lines(&path), ["five"]);
        let older: Vec<_> = rotated(&path).flat_map(|path| lines(&path)).collect();
        assert_eq!(older, ["four", "three", "two"]);
    }

    #[test]
    fn two_who_write_to_one_log_lose_nothing_when_it_begins_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = path(folder.path(), "qa");
        let writer = |name: &'static str| {
            let path = path.clone();
            std::thread::spawn(move || {
                let mut log = LogFile::open(path, 4_000).unwrap();
                (0..500).for_each(|number| log.append(&format!("{name} {number:04}")).unwrap());
            })
        };
        [writer("a"), writer("b")].into_iter().for_each(|writer| writer.join().unwrap());
        let all = std::iter::once(path.clone()).chain(rotated(&path)).flat_map(|path| lines(&path));
        assert_eq!(all.collect::<std::collections::BTreeSet<_>>().len(), 1_000);
    }

    #[test]
    fn a_log_that_was_deleted_is_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = path(folder.path(), "qa");
        let mut log = LogFile::open(path.clone(), 1_000).unwrap();
        log.append("one").unwrap();
        std::fs::remove_file(&path).unwrap();
        log.append("two").unwrap();
        assert_eq!(lines(&path), ["two"]);
    }
}
