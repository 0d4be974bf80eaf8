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

    fn lines_of(&self, kind: LineKind) -> impl Iterator<Item = (u32, &[u8])> {
        self.hunks()
            .iter()
            .flat_map(Hunk::lines)
            .filter(move |line| line.kind == kind)
            .filter_map(|line| line.new.or(line.old).map(|number| (number, line.text)))
    }
}
