use super::{Hunk, LineKind, Oid, RepoPath, Side};

/// One file of a change: what it was, what it is, and what differs.
#[derive(Debug, Clone)]
pub struct FileChange {
    pub status: Status,
    /// Absent for an added file.
    pub old: Option<FileSide>,
    /// Absent for a deleted file.
    pub new: Option<FileSide>,
    pub content: Content,
    pub attributes: Attributes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Added,
    Deleted,
    Modified,
    /// With the similarity in percent.
    Renamed(u8),
    Copied(u8),
    /// A file became a symlink or submodule, or the other way round.
    TypeChanged,
    /// A path with merge conflicts in the index.
    Unmerged,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSide {
    pub path: RepoPath,
    pub mode: Mode,
    /// Absent where the content is in the working tree only.
    pub oid: Option<Oid>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    File,
    Executable,
    Symlink,
    Submodule,
}

#[derive(Debug, Clone)]
pub enum Content {
    /// Empty for a pure rename, a mode change or an empty file.
    Text(Vec<Hunk>),
    Binary,
    /// A submodule moved to another commit; what changed inside is not part of this repository.
    Submodule,
}

/// What `.gitattributes` of the base commit says about the file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Attributes {
    pub generated: Option<bool>,
    pub vendored: Option<bool>,
}

impl FileChange {
    /// The path to show and to anchor at: the new one, or for a deleted file the old one.
    pub fn path(&self) -> &RepoPath {
        match (&self.new, &self.old) {
            (Some(side), _) | (None, Some(side)) => &side.path,
            (None, None) => unreachable!("a file change has at least one side"),
        }
    }

    pub fn side(&self, side: Side) -> Option<&FileSide> {
        match side {
            Side::Old => self.old.as_ref(),
            Side::New => self.new.as_ref(),
        }
    }

    pub fn hunks(&self) -> &[Hunk] {
        match &self.content {
            Content::Text(hunks) => hunks,
            Content::Binary | Content::Submodule => &[],
        }
    }

    /// Added lines with their numbers in the new file.
    pub fn added(&self) -> impl Iterator<Item = (u32, &[u8])> {
        self.lines_of(LineKind::Added)
    }

    /// Removed lines with their numbers in the old file.
    pub fn removed(&self) -> impl Iterator<Item = (u32, &[u8])> {
        self.lines_of(LineKind::Removed)
    }

    /// The change that would undo this one.
    pub fn reversed(&self) -> FileChange {
        let status = match self.status {
            Status::Added => Status::Deleted,
            Status::Deleted => Status::Added,
            status @ (Status::Modified
            | Status::Renamed(_)
            | Status::Copied(_)
            | Status::TypeChanged
            | Status::Unmerged) => status,
        };
        let content = match &self.content {
            Content::Text(hunks) => Content::Text(hunks.iter().map(Hunk::reversed).collect()),
            Content::Binary => Content::Binary,
            Content::Submodule => Content::Submodule,
        };
        FileChange {
            status,
            old: self.new.clone(),
            new: self.old.clone(),
            content,
            attributes: self.attributes,
        }
    }

    /// What the file was, told from what it is and what differs: nothing has to be read for it. `None` where the hunks do
    /// not fit `after`, or show nothing because it is no text.
    pub fn before(&self, after: &[u8]) -> Option<Vec<u8>> {
        let Content::Text(hunks) = &self.content else { return None };
        let mut text = Vec::with_capacity(after.len());
        let (mut rest, mut line) = (after, 1);
        for hunk in hunks {
            // A span without lines names the line in front of it.
            let first = hunk.new.start.checked_add(u32::from(hunk.new.len == 0))?;
            let (kept, below) = rest.split_at(length_of(rest, first.checked_sub(line)?)?);
            text.extend_from_slice(kept);
            rest = below;
            for shown in hunk.lines() {
                if shown.kind != LineKind::Added {
                    text.extend_from_slice(shown.text);
                    text.extend_from_slice(if shown.newline { b"\n" } else { b"" });
                }
                if shown.kind != LineKind::Removed {
                    let after = rest.strip_prefix(shown.text)?;
                    rest = match shown.newline {
                        true => after.strip_prefix(b"\n")?,
                        false => after.is_empty().then_some(after)?,
                    };
                }
            }
            line = first.checked_add(hunk.new.len)?;
        }
        text.extend_from_slice(rest);
        Some(text)
    }

    fn lines_of(&self, kind: LineKind) -> impl Iterator<Item = (u32, &[u8])> {
        self.hunks()
            .iter()
            .flat_map(Hunk::lines)
            .filter(move |line| line.kind == kind)
            .filter_map(|line| line.new.or(line.old).map(|number| (number, line.text)))
    }
}

/// Of so many lines at the beginning.
fn length_of(text: &[u8], lines: u32) -> Option<usize> {
    let Some(last) = (lines as usize).checked_sub(1) else { return Some(0) };
    memchr::memchr_iter(b'\n', text).nth(last).map(|end| end + 1)
}
