//! Files that git's diff of the working tree leaves out. Those that nobody added yet are what will be
//! forgotten if nobody looks.

use domain::change::{Attributes, Content, FileChange, FileSide, Side, Status};

use crate::error::GitError;
use crate::repository::Repository;
use crate::whole;

impl Repository {
    /// Adds the files that are neither tracked nor ignored, as additions, and those that the index says
    /// not to look at, and puts all into order.
    pub(crate) fn add_unlisted(&self, files: &mut Vec<FileChange>) -> Result<(), GitError> {
        let listing = self.listing()?;
        self.add_flagged(files, listing.flagged)?;
        let root = self.require_work_tree("untracked")?;
        for path in listing.untracked {
            if let Some((mode, content)) = whole::on_disk(root, &path)? {
                files.push(addition(FileSide { path, mode, oid: None }, content));
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
        match (deleted.side(Side::Old), added.side(Side::New)) {
            (Some(old), Some(new)) => self.is_as_on_disk(old, new),
            _ => Ok(false),
        }
    }
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

/// Whatever the old side was, text on the new side is shown.
fn join(deleted: FileChange, added: FileChange) -> FileChange {
    let content = match (deleted.content, added.content) {
        (Content::Text(mut old), Content::Text(new)) => {
            old.extend(new);
            Content::Text(old)
        }
        (Content::Binary | Content::Submodule, Content::Text(new)) => Content::Text(new),
        (_, binary @ (Content::Binary | Content::Submodule)) => binary,
    };
    FileChange {
        status: Status::Modified,
        old: deleted.old,
        new: added.new,
        content,
        attributes: added.attributes,
    }
}
