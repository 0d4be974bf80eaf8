//! What differs, as git shows it.

mod hunk;
mod parse;
mod patch;
mod quote;
mod raw;

use bytes::Bytes;
use domain::change::{Change, Content, FileChange, Scope, Status, Target};

use crate::error::GitError;
use crate::program::Call;
use crate::repository::{AttributeSource, Repository};

/// Everything that could change the look of a diff, said outright, so that no configuration has a say. Copies are not looked
/// for: a copy is a new file, and all of it is to be reviewed.
const OPTIONS: [&str; 21] = [
    "-r",
    "-z",
    "--raw",
    "-p",
    "-M",
    "-l1000",
    "-U3",
    "-O/dev/null",
    "--inter-hunk-context=0",
    "--diff-algorithm=myers",
    "--indent-heuristic",
    "--no-abbrev",
    "--full-index",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--no-relative",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--submodule=short",
    "--ignore-submodules=dirty",
];

/// The name of a file that nobody can make.
const NO_INDEX: &str = "/proc/none";

/// Most diffs fit, and an untouched part of it costs nothing.
const LIKELY_SIZE: usize = 1024 * 1024;

impl Repository {
    /// The change a scope stands for.
    pub fn change(&self, scope: &Scope) -> Result<Change, GitError> {
        let tree = match &scope.base {
            Some(base) => base.as_str(),
            None => self.place.format.empty_tree(),
        };
        let call = Call::new(self.attributes_of(tree)).capacity(LIKELY_SIZE);
        let mut files = match &scope.head {
            Target::Commit(head) => {
                let call = call.args(["diff-tree"]).args(OPTIONS).args([tree, head.as_str()]);
                self.compare(self.without_index(call))?
            }
            Target::Index => {
                let cached = ["--cached", "--ita-invisible-in-index"];
                self.compare(call.args(["diff-index"]).args(OPTIONS).args(cached).args([tree]))?
            }
            Target::Worktree => self.compare_worktree(call, tree)?,
        };
        self.show_unseen(&mut files, tree)?;
        Ok(Change { scope: scope.clone(), files })
    }

    /// Two commits need none. Git would take files of the working tree for those of a commit where the index says that
    /// they are the same, and look into every one of which the index cannot be sure. A git that cannot be told where to read
    /// attributes from may want them from there.
    fn without_index(&self, call: Call) -> Call {
        match self.place.attributes {
            AttributeSource::Choosable => call.var("GIT_INDEX_FILE", NO_INDEX),
            AttributeSource::WhateverIsCheckedOut => call,
        }
    }

    fn compare(&self, call: Call) -> Result<Vec<FileChange>, GitError> {
        let mut announced = parse::Announced::default();
        let mut watch = |printed: &[u8]| {
            if let Some(oids) = announced.in_all_of(printed) {
                self.objects.expect(oids);
            }
        };
        let printed = Bytes::from(self.program.output_watched(&call.args(["--"]), &mut watch)?);
        parse::parse(&printed)
            .map_err(|error| GitError::Unexpected { command: "diff".into(), detail: error.to_string() })
    }

    fn compare_worktree(&self, call: Call, tree: &str) -> Result<Vec<FileChange>, GitError> {
        self.require_work_tree("uncommitted")?;
        let call = call.args(["diff-index"]).args(OPTIONS).args([tree]).config(&self.silenced_filters()?);
        let mut files = self.compare(call)?;
        files.retain(|file| !is_only_touched(file));
        self.add_unlisted(&mut files)?;
        Ok(files)
    }
}

/// Git lists a file whose time stamp moved before it looks inside; no difference was found there.
fn is_only_touched(file: &FileChange) -> bool {
    let (Some(old), Some(new)) = (&file.old, &file.new) else {
        return false;
    };
    let nothing = matches!(&file.content, Content::Text(hunks) if hunks.is_empty());
    file.status == Status::Modified && nothing && old.mode == new.mode && new.oid.is_none()
}
