//! Files that nobody added yet. To git they are no part of any diff; to a review of the working tree they
//! are what will be forgotten if nobody looks.

use domain::change::{Attributes, Content, FileChange, FileSide, Hunk, Mode, RepoPath, Side, Status};

use crate::disk::{self, Entry, LARGEST};
use crate::error::GitError;
use crate::objects::Found;
use crate::program::Call;
use crate::repository::Repository;

impl Repository {
    /// Adds the files that are neither tracked nor ignored, as additions, and puts all into order.
    pub(crate) fn add_untracked(&self, files: &mut Vec<FileChange>) -> Result<(), GitError> {
        let root = self.require_work_tree("untracked")?;
        let call = Call::new(["ls-files", "-z", "--others", "--exclude-standard", "--full-name"]);
        let printed = self.program.output(&call)?;
        for path in printed.split(|b| *b == 0).filter(|path| !path.is_empty()) {
            // Git ends the name of a repository inside this one with a slash: not ours to review.
            if path.ends_with(b"/") {
                continue;
            }
            let path = RepoPath::from_bytes(path);
            if let Some((side, content)) = read_untracked(root, path)? {
                files.push(addition(side, content));
            }
        }
        files.sort_by(|a, b| a.path().cmp(b.path()).then(b.old.is_some().cmp(&a.old.is_some())));
        self.join_readded(files)
    }

    /// A file that was taken out of the index but is still there shows as deleted and as untracked: to
    /// the review it is one file, modified if its content differs.
    fn join_readded(&self, files: &mut Vec<FileChange>) -> Result<(), GitError> {
        let mut joined: Vec<FileChange> = Vec::with_capacity(files.len());
        for file in files.drain(..) {
            let same_path = joined.last().is_some_and(|last| {
                last.status == Status::Deleted && file.status == Status::Added && last.path() == file.path()
            });
            match joined.pop_if(|_| same_path) {
                None => joined.push(file),
                Some(deleted) if self.is_same_content(&deleted, &file)? => {}
                Some(deleted) => joined.push(join(deleted, file)),
            }
        }
        *files = joined;
        Ok(())
    }

    fn is_same_content(&self, deleted: &FileChange, added: &FileChange) -> Result<bool, GitError> {
        let (Some(old), Some(new)) = (deleted.side(Side::Old), added.side(Side::New)) else {
            return Ok(false);
        };
        let (Some(oid), true) = (&old.oid, old.mode == new.mode) else {
            return Ok(false);
        };
        let root = self.require_work_tree("untracked")?;
        let now = match disk::look_up(root, &new.path)? {
            Entry::File { full, size, .. } if size <= LARGEST => disk::read_file(&full, &new.path)?,
            Entry::Link { target } => target,
            Entry::File { .. } | Entry::Absent => return Ok(false),
        };
        Ok(match self.objects.by_oid(oid, LARGEST)? {
            Found::Object(before) => before.content == now,
            Found::TooLarge(_) | Found::Missing | Found::Ambiguous => false,
        })
    }
}

/// `None` for what git would not track either.
fn read_untracked(root: &std::path::Path, path: RepoPath) -> Result<Option<(FileSide, Content)>, GitError> {
    let (mode, content) = match disk::look_up(root, &path)? {
        Entry::Absent => return Ok(None),
        Entry::Link { target } => (Mode::Symlink, as_text(&target)),
        Entry::File { full, mode, size } => {
            let binary = size > LARGEST && disk::is_binary(&disk::read_beginning(&full, &path)?);
            let content = if binary { Content::Binary } else { as_content(&disk::read_file(&full, &path)?) };
            (mode, content)
        }
    };
    Ok(Some((FileSide { path, mode, oid: None }, content)))
}

fn as_content(bytes: &[u8]) -> Content {
    if disk::is_binary(bytes) { Content::Binary } else { as_text(bytes) }
}

fn as_text(bytes: &[u8]) -> Content {
    Content::Text(Hunk::whole_file(bytes).into_iter().collect())
}

fn addition(side: FileSide, content: Content) -> FileChange {
    FileChange {
        status: Status::Added,
        old: None,
        new: Some(side),
        content,
        attributes: Attributes::default(),
    }
}

fn join(deleted: FileChange, added: FileChange) -> FileChange {
    let content = match (deleted.content, added.content) {
        (Content::Text(mut old), Content::Text(new)) => {
            old.extend(new);
            Content::Text(old)
        }
        (Content::Submodule, new) => new,
        (Content::Text(_) | Content::Binary, _) => Content::Binary,
    };
    FileChange {
        status: Status::Modified,
        old: deleted.old,
        new: added.new,
        content,
        attributes: added.attributes,
    }
}
