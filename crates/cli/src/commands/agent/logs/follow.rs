use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use super::tail::LONGEST_LINE;

/// No more than this at once, so that one busy log does not keep the others waiting.
const MOST_AT_ONCE: u64 = 1024 * 1024;

/// Reads what is added to a log, through rotation, truncation and deletion.
#[derive(Debug)]
pub(super) struct Follower {
    path: PathBuf,
    file: Option<File>,
    at: u64,
    /// The beginning of a line that has not ended yet.
    rest: Vec<u8>,
}

impl Follower {
    /// Begins at `at`, or at the beginning of the log if it is shorter than that by now.
    pub(super) fn new(path: PathBuf, at: u64) -> Follower {
        let file = File::open(&path).ok();
        Follower { path, file, at, rest: Vec::new() }
    }

    /// The lines that were completed since the last time.
    pub(super) fn news(&mut self) -> io::Result<Vec<String>> {
        let mut lines = Vec::new();
        self.read(&mut lines)?;
        if self.was_replaced() {
            // What was written between the last look and the rotation is still in the old file.
            self.read(&mut lines)?;
            self.end_line(&mut lines);
            self.file = File::open(&self.path).ok();
            self.at = 0;
            self.read(&mut lines)?;
        }
        Ok(lines)
    }

    fn read(&mut self, lines: &mut Vec<String>) -> io::Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        if file.metadata()?.len() < self.at {
            self.at = 0;
            self.rest.clear();
        }
        file.seek(SeekFrom::Start(self.at))?;
        let mut bytes = Vec::new();
        self.at += file.take(MOST_AT_ONCE).read_to_end(&mut bytes)? as u64;
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            match piece.split_last() {
                Some((b'\n', line)) => {
                    self.rest.extend_from_slice(line);
                    self.end_line(lines);
                }
                Some(_) | None => self.rest.extend_from_slice(piece),
            }
            self.rest.truncate(LONGEST_LINE);
        }
        Ok(())
    }

    fn end_line(&mut self, lines: &mut Vec<String>) {
        let line = std::mem::take(&mut self.rest);
        if !line.is_empty() {
            lines.push(String::from_utf8_lossy(&line).into_owned());
        }
    }

    /// Whether another file has the log's name now. One that is merely gone may still be written to.
    fn was_replaced(&self) -> bool {
        let identity = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
        let there = std::fs::metadata(&self.path).ok().map(identity);
        let ours = self.file.as_ref().and_then(|file| file.metadata().ok()).map(identity);
        there.is_some() && there != ours
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn append(path: &std::path::Path, text: &str) {
        let mut file = File::options().create(true).append(true).open(path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    #[test]
    fn nothing_is_lost_or_shown_twice_through_rotation_and_truncation() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("qa.log");
        let mut follower = Follower::new(path.clone(), 0);
        assert_eq!(follower.news().unwrap(), [""; 0]);
        append(&path, "one\ntw");
        assert_eq!(follower.news().unwrap(), ["one"]);
        append(&path, "o\n");
        assert_eq!(follower.news().unwrap(), ["two"]);

        append(&path, "three\n");
        std::fs::rename(&path, folder.path().join("qa.log.1")).unwrap();
        append(&path, "four\n");
        assert_eq!(follower.news().unwrap(), ["three", "four"]);

        std::fs::write(&path, "5\n").unwrap();
        assert_eq!(follower.news().unwrap(), ["5"]);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(follower.news().unwrap(), [""; 0]);
        append(&path, "six\n");
        assert_eq!(follower.news().unwrap(), ["six"]);
    }

    #[test]
    fn what_was_there_before_is_not_shown_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("qa.log");
        append(&path, "old\n");
        let mut follower = Follower::new(path.clone(), 4);
        append(&path, "new\n");
        assert_eq!(follower.news().unwrap(), ["new"]);
    }
}
