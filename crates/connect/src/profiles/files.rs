//! Files of a change that a server lists one by one, each with its hunks.

use domain::change::{Content, FileChange, FileSide, Mode, RepoPath, Status};
use domain::forge::parse_diff;
use domain::ports::PortError;

use super::shapes::unreadable;

/// All of them, and those whose lines are not shown.
pub(super) fn changes<T: Into<FilePart>>(
    action: &str,
    listed: Vec<T>,
    is_withheld: fn(&T) -> bool,
) -> Result<(Vec<FileChange>, Vec<RepoPath>), PortError> {
    let (mut files, mut withheld) = (Vec::new(), Vec::new());
    for file in listed {
        let hidden = is_withheld(&file);
        let file = file.into().into_change(action)?;
        withheld.extend(hidden.then(|| file.path().clone()));
        files.push(file);
    }
    Ok((files, withheld))
}

/// One file. The names come from beside the hunks and need no quoting.
pub(super) struct FilePart {
    pub(super) status: Status,
    pub(super) old: (String, Mode),
    pub(super) new: (String, Mode),
    /// As git writes them; empty where no line changed, or none is shown.
    pub(super) hunks: String,
}

impl FilePart {
    fn into_change(self, action: &str) -> Result<FileChange, PortError> {
        let side = |(path, mode): (String, Mode)| {
            Some(FileSide { path: RepoPath::from_bytes(path), mode, oid: None })
        };
        let (old, new) = match self.status {
            Status::Added => (None, side(self.new)),
            Status::Deleted => (side(self.old), None),
            _ => (side(self.old), side(self.new)),
        };
        let content = content(action, &self.hunks)?;
        Ok(FileChange { status: self.status, old, new, content, attributes: Default::default() })
    }
}

fn content(action: &str, hunks: &str) -> Result<Content, PortError> {
    if hunks.starts_with("Binary files") {
        return Ok(Content::Binary);
    }
    if !hunks.starts_with("@@") {
        return Ok(Content::Text(Vec::new()));
    }
    let end = if hunks.ends_with('\n') { "" } else { "\n" };
    let mut files = parse_diff(&format!("diff --git a/x b/x\n--- a/x\n+++ b/x\n{hunks}{end}"))
        .map_err(|bad| unreadable(action, &bad.to_string()))?;
    // Whatever else stands in there is not this file's.
    match (files.pop(), files.is_empty()) {
        (Some(file), true) => Ok(file.content),
        _ => Err(unreadable(action, "the hunks of a file hold more than hunks")),
    }
}
