//! A file shown as a whole, the way a diff shows a new one.

use std::path::Path;

use domain::change::{Content, FileSide, Hunk, Mode, RepoPath};

use crate::disk::{self, Entry, LARGEST};
use crate::error::GitError;
use crate::objects::Found;
use crate::repository::Repository;

impl Repository {
    /// Everything on one side of a file. Content alone decides whether it is binary.
    pub(crate) fn whole(&self, side: &FileSide) -> Result<Content, GitError> {
        let Some(oid) = &side.oid else {
            let root = self.require_work_tree("uncommitted")?;
            let gone = || GitError::Unreadable { path: side.path.clone(), reason: "it is gone".into() };
            return on_disk(root, &side.path)?.map(|(_, content)| content).ok_or_else(gone);
        };
        match self.objects.by_oid(oid, LARGEST)? {
            Found::Object(object) => Ok(as_content(&object.content)),
            Found::TooLarge { beginning, .. } if disk::is_binary(&beginning) => Ok(Content::Binary),
            Found::TooLarge { size, .. } => Err(GitError::TooLarge { path: side.path.clone(), size }),
            Found::Missing | Found::Ambiguous => Err(GitError::MissingObjects {
                detail: format!("the content of {}, {}", side.path, oid.short()),
            }),
        }
    }
}

/// What is in the working tree now; `None` for what git would not track.
pub(crate) fn on_disk(root: &Path, path: &RepoPath) -> Result<Option<(Mode, Content)>, GitError> {
    Ok(match disk::look_up(root, path)? {
        Entry::Absent => None,
        Entry::Link { target } => Some((Mode::Symlink, as_text(&target))),
        Entry::File { full, mode, size } => {
            let binary = size > LARGEST && disk::is_binary(&disk::read_beginning(&full, path)?);
            let content = if binary { Content::Binary } else { as_content(&disk::read_file(&full, path)?) };
            Some((mode, content))
        }
    })
}

fn as_content(bytes: &[u8]) -> Content {
    if disk::is_binary(bytes) { Content::Binary } else { as_text(bytes) }
}

fn as_text(bytes: &[u8]) -> Content {
    Content::Text(Hunk::whole_file(bytes).into_iter().collect())
}
