/// Which version of a file a line number counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The version before the change.
    Left,
    /// The version after it.
    Right,
}

impl Side {
    pub fn name(self) -> &'static str {
        match self {
            Side::Left => "LEFT",
            Side::Right => "RIGHT",
        }
    }
}

/// One line of a diff. An added line has only a new number, a removed one only an old, an unchanged one both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiffLine {
    pub old: Option<u32>,
    pub new: Option<u32>,
}

/// Where an inline comment hangs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    pub path: String,
    pub old_path: String,
    pub side: Side,
    /// None as soon as a push has changed the line: the comment is outdated.
    pub line: Option<u32>,
    pub original_line: u32,
    /// Beginning of a range.
    pub start: Option<(Side, u32)>,
    pub original_start: Option<(Side, u32)>,
    /// The line as the diff had it when the comment was made, and the beginning of its range.
    pub at: DiffLine,
    pub start_at: Option<DiffLine>,
    /// GitLab's codes of the first and last line of a range.
    pub codes: Option<(String, String)>,
    /// GitHub's count of lines from the first hunk header.
    pub position: u32,
    /// From the hunk's header down to the line.
    pub diff_hunk: String,
    pub commit: String,
    pub original_commit: String,
    /// The three commits of the version commented on.
    pub version: super::pull::Version,
}

impl Anchor {
    pub fn is_outdated(&self) -> bool {
        self.line.is_none()
    }
}
