//! Files with a mark in the index that makes git take them for unchanged, whatever is on disk
//! (`git update-index --assume-unchanged` and `--skip-worktree`).

use std::collections::HashMap;

use bytes::Bytes;
use domain::change::{Attributes, Content, FileChange, FileSide, Hunk, Mode, RepoPath, Status};

use crate::disk::{self, LARGEST};
use crate::error::GitError;
use crate::listing::{Flag, Flagged};
use crate::objects::Found;
use crate::repository::Repository;
use crate::whole;

impl Repository {
    /// Shows such files as they are on disk, where that is not as they are in the index.
    pub(crate) fn add_flagged(
        &self,
        files: &mut Vec<FileChange>,
        flagged: Vec<Flagged>,
    ) -> Result<(), GitError> {
        let listed: HashMap<RepoPath, usize> = files
            .iter()
            .enumerate()
            .filter_map(|(at, file)| Some((file.new.as_ref()?.path.clone(), at)))
            .collect();
        for flagged in flagged {
            let at = listed.get(&flagged.indexed.path);
            let known = at.map_or_else(|| unchanged(flagged.indexed.clone()), |at| files[*at].clone());
            match (self.as_on_disk(known, &flagged)?, at) {
                (Some(real), Some(at)) => files[*at] = real,
                (Some(real), None) => files.push(real),
                (None, _) => {}
            }
        }
        Ok(())
    }

    /// `None` if what is known of the file, which is about the index, holds for the disk as well.
    fn as_on_disk(&self, known: FileChange, flagged: &Flagged) -> Result<Option<FileChange>, GitError> {
        let root = self.require_work_tree("uncommitted")?;
        let path = &flagged.indexed.path;
        let Some((mode, content)) = whole::on_disk(root, path)? else {
            let missed = is_missed(flagged, known.status);
            return known.old.filter(|_| missed).map(|old| self.deletion(old)).transpose();
        };
        let now = FileSide { path: path.clone(), mode, oid: None };
        if self.is_as_on_disk(&flagged.indexed, &now)? {
            return Ok(None);
        }
        Ok(Some(FileChange { new: Some(now), content, ..known }))
    }

    /// Whether the file on disk, `now`, is byte for byte what `stored` names.
    pub(crate) fn is_as_on_disk(&self, stored: &FileSide, now: &FileSide) -> Result<bool, GitError> {
        let (Some(oid), true) = (&stored.oid, stored.mode == now.mode) else {
            return Ok(false);
        };
        let root = self.require_work_tree("uncommitted")?;
        let content = match disk::look_up(root, &now.path)? {
            disk::Entry::File { full, size, .. } if size <= LARGEST => disk::read_file(&full, &now.path)?,
            disk::Entry::Link { target } => target,
            disk::Entry::File { .. } | disk::Entry::Absent => return Ok(false),
        };
        Ok(match self.objects.by_oid(oid, LARGEST)? {
            Found::Object(before) => before.content == content,
            Found::TooLarge { .. } | Found::Missing | Found::Ambiguous => false,
        })
    }

    fn deletion(&self, old: FileSide) -> Result<FileChange, GitError> {
        let content = match self.whole(&old)? {
            Content::Text(hunks) => Content::Text(hunks.iter().map(reversed).collect()),
            other @ (Content::Binary | Content::Submodule) => other,
        };
        Ok(FileChange {
            status: Status::Deleted,
            old: Some(old),
            new: None,
            content,
            attributes: Attributes::default(),
        })
    }
}

fn unchanged(side: FileSide) -> FileChange {
    FileChange {
        status: Status::Modified,
        old: Some(side.clone()),
        new: Some(side),
        content: Content::Text(Vec::new()),
        attributes: Attributes::default(),
    }
}

/// Whether a file that is not on disk should be there. A sparse checkout leaves files out, a submodule is a
/// folder, and of a copy the original is still there.
fn is_missed(flagged: &Flagged, status: Status) -> bool {
    flagged.flag == Flag::AssumeUnchanged
        && flagged.indexed.mode != Mode::Submodule
        && !matches!(status, Status::Added | Status::Copied(_))
}

/// A hunk of additions as one of removals.
fn reversed(hunk: &Hunk) -> Hunk {
    let mut body = Vec::new();
    for line in hunk.lines() {
        let end: &[u8] = if line.newline { b"\n" } else { b"\n\\ No newline at end of file\n" };
        for part in [b"-", line.text, end] {
            body.extend_from_slice(part);
        }
    }
    Hunk::new(hunk.new, hunk.old, String::new(), Bytes::from(body))
}
