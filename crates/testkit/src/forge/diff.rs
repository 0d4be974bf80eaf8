use super::model::anchor::{DiffLine, Side};

/// One file of a diff.
#[derive(Debug, Clone)]
pub(super) struct FileDiff {
    pub(super) old_path: String,
    pub(super) new_path: String,
    pub(super) change: Change,
    pub(super) old_mode: String,
    pub(super) new_mode: String,
    pub(super) old_sha: String,
    pub(super) new_sha: String,
    pub(super) additions: usize,
    pub(super) deletions: usize,
    /// From the first hunk's header on, without git's own header. Empty for binary files and pure renames.
    pub(super) patch: String,
    pub(super) hunks: Vec<Hunk>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Added,
    Removed,
    Modified,
    Renamed,
}

#[derive(Debug, Clone)]
pub(super) struct Hunk {
    pub(super) header: String,
    /// Each with the text as the diff shows it, its sign included.
    pub(super) lines: Vec<(DiffLine, String)>,
    /// GitHub's position of the first line: headers of all hunks but the first count.
    first_position: u32,
}

impl Hunk {
    /// The numbers its header begins with, old and new.
    pub(super) fn starts(&self) -> (u32, u32) {
        header(&self.header).unwrap_or_default()
    }
}

/// A line found in a diff.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) hunk: usize,
    pub(super) line: DiffLine,
    pub(super) position: u32,
    pub(super) diff_hunk: String,
}

impl FileDiff {
    /// The line with that number on that side, if the diff shows it there. Unchanged lines are found on either side.
    pub(super) fn find(&self, side: Side, number: u32) -> Option<Found> {
        self.hunks.iter().enumerate().find_map(|(at, hunk)| {
            let on_side = |line: &DiffLine| match side {
                Side::Left => line.old,
                Side::Right => line.new,
            };
            let index = hunk.lines.iter().position(|(line, _)| on_side(line) == Some(number))?;
            let shown = hunk.lines.iter().take(index + 1).map(|(_, text)| text.as_str());
            let diff_hunk = std::iter::once(hunk.header.as_str()).chain(shown).collect::<Vec<_>>().join("\n");
            let position = hunk.first_position + index as u32;
            Some(Found { hunk: at, line: hunk.lines[index].0, position, diff_hunk })
        })
    }

    /// The line with exactly these numbers.
    pub(super) fn exact(&self, line: DiffLine) -> Option<Found> {
        let (side, number) = match (line.old, line.new) {
            (_, Some(new)) => (Side::Right, new),
            (Some(old), None) => (Side::Left, old),
            (None, None) => return None,
        };
        self.find(side, number).filter(|found| found.line == line)
    }

    pub(super) fn lines(&self) -> usize {
        self.hunks.iter().map(|hunk| hunk.lines.len() + 1).sum()
    }
}

/// Reads what `git diff --raw -z` and `git diff --patch` print for the same commits.
pub(super) fn parse(raw: &[u8], patch: &str) -> Vec<FileDiff> {
    let raw = String::from_utf8_lossy(raw).into_owned();
    let mut fields = raw.split('\0');
    let mut sections = sections(patch).into_iter();
    let mut files = Vec::new();
    while let Some(meta) = fields.next().filter(|meta| meta.starts_with(':')) {
        let meta: Vec<&str> = meta[1..].split(' ').collect();
        let [old_mode, new_mode, old_sha, new_sha, letter] = meta[..] else { break };
        let Some(old_path) = fields.next() else { break };
        let new_path =
            if letter.starts_with(['R', 'C']) { fields.next().unwrap_or(old_path) } else { old_path };
        let section = sections.next().unwrap_or_default();
        // A file that became something else is shown as one removed and one added.
        let section = if letter == "T" { sections.next().unwrap_or_default() } else { section };
        let (hunks, patch) = hunks(section);
        let counts = |sign| {
            hunks
                .iter()
                .flat_map(|hunk: &Hunk| &hunk.lines)
                .filter(|(_, text)| text.starts_with(sign))
                .count()
        };
        files.push(FileDiff {
            old_path: old_path.to_owned(),
            new_path: new_path.to_owned(),
            change: change(letter),
            old_mode: old_mode.to_owned(),
            new_mode: new_mode.to_owned(),
            old_sha: old_sha.to_owned(),
            new_sha: new_sha.to_owned(),
            additions: counts('+'),
            deletions: counts('-'),
            patch,
            hunks,
        });
    }
    files
}

fn change(letter: &str) -> Change {
    match letter.as_bytes().first() {
        Some(b'A') => Change::Added,
        Some(b'D') => Change::Removed,
        Some(b'R') => Change::Renamed,
        _ => Change::Modified,
    }
}

/// One text per file. Inside a hunk every line begins with a sign, so the beginning of a file is unmistakable.
fn sections(patch: &str) -> Vec<&str> {
    let mut starts: Vec<usize> = patch.match_indices("\ndiff --git ").map(|(at, _)| at + 1).collect();
    if patch.starts_with("diff --git ") {
        starts.insert(0, 0);
    }
    let ends = starts.iter().skip(1).copied().chain([patch.len()]).collect::<Vec<_>>();
    starts.iter().zip(ends).map(|(&start, end)| &patch[start..end]).collect()
}

fn hunks(section: &str) -> (Vec<Hunk>, String) {
    let Some(start) = section.find("\n@@ ").map(|at| at + 1) else { return (Vec::new(), String::new()) };
    let patch = section[start..].trim_end_matches('\n');
    let mut hunks: Vec<Hunk> = Vec::new();
    let (mut old, mut new, mut position) = (0, 0, 0);
    for text in patch.split('\n') {
        if let Some((from, to)) = header(text) {
            (old, new) = (from, to);
            position += u32::from(!hunks.is_empty());
            hunks.push(Hunk { header: text.to_owned(), lines: Vec::new(), first_position: position + 1 });
            continue;
        }
        position += 1;
        let line = match text.as_bytes().first() {
            Some(b'+') => DiffLine { old: None, new: Some(new) },
            Some(b'-') => DiffLine { old: Some(old), new: None },
            Some(b'\\') => DiffLine { old: None, new: None },
            _ => DiffLine { old: Some(old), new: Some(new) },
        };
        old += u32::from(line.old.is_some());
        new += u32::from(line.new.is_some());
        if let Some(hunk) = hunks.last_mut() {
            hunk.lines.push((line, text.to_owned()));
        }
    }
    (hunks, patch.to_owned())
}

/// First line numbers of `@@ -old,count +new,count @@`.
fn header(text: &str) -> Option<(u32, u32)> {
    let (old, _, new, _) = ranges(text)?;
    Some((old, new))
}

fn ranges(text: &str) -> Option<(u32, u32, u32, u32)> {
    let rest = text.strip_prefix("@@ -")?;
    let (old, rest) = rest.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let range = |text: &str| -> Option<(u32, u32)> {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let ((old, old_count), (new, new_count)) = (range(old)?, range(new)?);
    Some((old, old_count, new, new_count))
}

/// Where a line of the old version is in the new one, by a diff without context.
pub(super) fn follow(patch: &str, line: u32) -> Option<u32> {
    let mut shift: i64 = 0;
    for (old, old_count, _, new_count) in patch.lines().filter_map(ranges) {
        if old_count > 0 && (old..old + old_count).contains(&line) {
            return None;
        }
        let last = if old_count == 0 { old } else { old + old_count - 1 };
        if last < line {
            shift += i64::from(new_count) - i64::from(old_count);
        }
    }
    u32::try_from(i64::from(line) + shift).ok()
}
