//! The end of a log, read from the end: what it costs depends on what is shown, not on what is there.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::UNIX_EPOCH;

use super::line::second_of_day;
use crate::commands::agent::log;

const BLOCK: usize = 64 * 1024;
/// The rest of a longer line is not shown.
pub(super) const LONGEST_LINE: usize = 64 * 1024;
const DAY: i64 = 24 * 60 * 60;
/// Several processes write to one log, and may do so a little out of turn.
const OUT_OF_TURN: i64 = 60;

/// A line and when it was written, if it says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dated {
    at: Option<i64>,
    pub(super) text: String,
}

/// The end of a log.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Tail {
    /// The oldest first.
    pub(super) lines: Vec<Dated>,
    /// How long the log was. What comes after that is not in `lines`.
    pub(super) end: u64,
}

/// The newest lines of a log and of what was rotated away from it, at most `most` of those that are `wanted`.
/// Nothing if there is no such log.
pub(super) fn newest(path: &Path, most: usize, wanted: &dyn Fn(&str) -> bool) -> io::Result<Option<Tail>> {
    let mut clock: Option<Clock> = None;
    let (mut lines, mut end) = (Vec::new(), 0);
    for part in std::iter::once(path.to_owned()).chain(log::rotated(path)) {
        let file = match File::open(&part) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::other("it is not a plain file"));
        }
        if part == path {
            end = metadata.len();
        }
        let modified = metadata.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let modified = modified.map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or_default());
        let clock = clock.get_or_insert(Clock { at: modified });
        let mut backwards = Backwards { file, unread: metadata.len(), pieces: Vec::new(), carry: Vec::new() };
        while lines.len() < most
            && let Some(line) = backwards.next_line()?
        {
            let text = String::from_utf8_lossy(&line).into_owned();
            let at = clock.turn_back(&text);
            if wanted(&text) {
                lines.push(Dated { at, text });
            }
        }
    }
    lines.reverse();
    Ok(clock.map(|_| Tail { lines, end }))
}

/// The lines of several logs in the order in which they were written. Each log keeps its own order, and a line that
/// carries no time belongs to the one before it.
pub(super) fn merged(logs: Vec<(usize, Vec<Dated>)>, most: usize) -> Vec<(usize, Dated)> {
    let mut all = Vec::new();
    for (log, lines) in logs {
        let mut latest = i64::MIN;
        for line in lines {
            latest = line.at.map_or(latest, |at| latest.max(at));
            all.push((latest, log, line));
        }
    }
    all.sort_by_key(|(at, _, _)| *at);
    let surplus = all.len().saturating_sub(most);
    all.into_iter().skip(surplus).map(|(_, log, line)| (log, line)).collect()
}

/// Logs carry no date. The last line is from the day on which the file was written last; where the time of day
/// jumps up on the way back, a midnight lies between.
struct Clock {
    at: i64,
}

impl Clock {
    fn turn_back(&mut self, line: &str) -> Option<i64> {
        let on_that_day = self.at - self.at.rem_euclid(DAY) + second_of_day(line)?;
        self.at = if on_that_day > self.at + OUT_OF_TURN { on_that_day - DAY } else { on_that_day };
        Some(self.at)
    }
}

/// Hands out lines from the end to the beginning.
struct Backwards {
    file: File,
    /// How much lies before what was read.
    unread: u64,
    /// Whole lines of the present block, the last of them last.
    pieces: Vec<Vec<u8>>,
    /// The end of a line whose beginning has not been read yet.
    carry: Vec<u8>,
}

impl Backwards {
    fn next_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            if let Some(line) = self.pieces.pop() {
                return Ok(Some(line));
            }
            if self.unread == 0 {
                let line = std::mem::take(&mut self.carry);
                return Ok((!line.is_empty()).then_some(line));
            }
            self.read_block()?;
        }
    }

    fn read_block(&mut self) -> io::Result<()> {
        let size = self.unread.min(BLOCK as u64);
        self.unread -= size;
        self.file.seek(SeekFrom::Start(self.unread))?;
        let mut block = Vec::with_capacity(BLOCK + self.carry.len());
        (&mut self.file).take(size).read_to_end(&mut block)?;
        block.append(&mut self.carry);
        let mut pieces = block.split(|byte| *byte == b'\n').map(<[u8]>::to_vec);
        self.carry = pieces.next().unwrap_or_default();
        self.carry.truncate(LONGEST_LINE);
        self.pieces = pieces.filter(|line| !line.is_empty()).collect();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(text: &str) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("qa.log");
        std::fs::write(&path, text).unwrap();
        (folder, path)
    }

    fn texts(path: &Path, most: usize) -> Vec<String> {
        newest(path, most, &|_| true).unwrap().unwrap().lines.into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn the_newest_lines_come_in_their_order_across_blocks() {
        let lines: Vec<String> = (0..20_000).map(|n| format!("10:00:00 INFO [qa] line {n}")).collect();
        let (_folder, path) = write(&(lines.join("\n") + "\n"));
        assert_eq!(texts(&path, 3), lines[19_997..]);
        assert_eq!(texts(&path, 15_000), lines[5_000..]);
        assert_eq!(texts(&path, 50_000), lines);
        assert_eq!(texts(&path, 0), [""; 0]);
    }

    #[test]
    fn rotated_files_go_on_where_the_log_begins() {
        let (_folder, path) = write("three\n");
        std::fs::write(path.with_extension("log.1"), "one\ntwo\n").unwrap();
        assert_eq!(texts(&path, 2), ["two", "three"]);
        assert_eq!(texts(&path, 9), ["one", "two", "three"]);
    }

    #[test]
    fn a_line_without_end_costs_no_more_than_its_length() {
        let (_folder, path) = write(&"x".repeat(5_000_000));
        let lines = texts(&path, 5);
        assert_eq!((lines.len(), lines[0].len()), (1, LONGEST_LINE));
    }

    #[test]
    fn a_log_that_is_not_there_is_nothing() {
        let (_folder, path) = write("");
        assert_eq!(newest(&path, 5, &|_| true).unwrap(), Some(Tail::default()));
        assert_eq!(newest(&path.with_extension("none"), 5, &|_| true).unwrap(), None);
        assert!(newest(path.parent().unwrap(), 5, &|_| true).is_err());
    }

    #[test]
    fn logs_are_merged_across_midnight_and_keep_their_own_order() {
        let dated = |lines: &[&str]| {
            let mut clock = Clock { at: 10 * DAY + 3600 };
            let mut dated: Vec<Dated> = lines
                .iter()
                .rev()
                .map(|line| Dated { at: clock.turn_back(line), text: (*line).to_owned() })
                .collect();
            dated.reverse();
            dated
        };
        let one = dated(&["23:59:58 a", "00:00:02 c", "no time d"]);
        let two = dated(&["23:59:59 b", "00:30:01 e", "00:30:00 f"]);
        let texts: Vec<_> =
            merged(vec![(0, one), (1, two)], 5).into_iter().map(|(_, line)| line.text).collect();
        assert_eq!(texts, ["23:59:59 b", "00:00:02 c", "no time d", "00:30:01 e", "00:30:00 f"]);
    }
}
