//! The files of a change's new side, written out plainly for somebody who may look but not touch.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use bytes::Bytes;
use domain::change::{Mode, Oid, RepoPath, Scope, Target};

use crate::disk::{self, Entry, LARGEST};
use crate::error::GitError;
use crate::objects::Found;
use crate::program::Call;
use crate::repository::Repository;

/// How much an export may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExportLimits {
    pub files: usize,
    pub bytes: u64,
}

impl Default for ExportLimits {
    fn default() -> ExportLimits {
        ExportLimits { files: 100_000, bytes: 1 << 30 }
    }
}

/// What an export holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Exported {
    pub files: usize,
    pub bytes: u64,
    /// Files that were too large, too many, or not in this clone.
    pub left_out: usize,
}

/// Where the content of a file is.
enum Content {
    Blob(Oid),
    Disk,
}

impl Repository {
    /// Writes the files of the head of `scope` into the empty directory `into`, without a `.git`.
    ///
    /// Nothing is converted, and no filter is run. A symlink becomes a file that holds its target, as git does where there
    /// are no symlinks: so no path of the export leads out of it. Submodules are left out.
    pub fn export(&self, scope: &Scope, into: &Path, limits: ExportLimits) -> Result<Exported, GitError> {
        let mut exported = Exported::default();
        for (path, executable, content) in self.listed(scope)? {
            let room = limits.bytes.saturating_sub(exported.bytes).min(LARGEST);
            let fetched = match content {
                _ if exported.files >= limits.files => Fetched::TooMuch,
                Content::Blob(oid) => match self.objects.by_oid(&oid, room)? {
                    Found::Object(object) => Fetched::Here(object.content, executable),
                    Found::TooLarge { .. } | Found::Missing | Found::Ambiguous => Fetched::TooMuch,
                },
                Content::Disk => self.on_disk(&path, room)?,
            };
            match fetched {
                Fetched::Here(content, executable) => {
                    write(into, &path, &content, executable)?;
                    exported.files += 1;
                    exported.bytes += content.len() as u64;
                }
                Fetched::TooMuch => exported.left_out += 1,
                Fetched::Gone => {}
            }
        }
        Ok(exported)
    }

    /// Every file of the head of `scope`. Of uncommitted work those that git would track, and none that it ignores.
    pub fn files(&self, scope: &Scope) -> Result<Vec<RepoPath>, GitError> {
        Ok(self.listed(scope)?.into_iter().map(|(path, ..)| path).collect())
    }

    fn listed(&self, scope: &Scope) -> Result<Vec<(RepoPath, Executable, Content)>, GitError> {
        let (call, from_disk) = match &scope.head {
            Target::Commit(oid) => (Call::new(["ls-tree", "-r", "-z", "--full-tree", oid.as_str()]), false),
            Target::Index => (Call::new(["ls-files", "-s", "-z", "--full-name"]), false),
            Target::Worktree => {
                self.require_work_tree("uncommitted")?;
                let flags = ["ls-files", "-z", "--full-name", "--cached", "--others", "--exclude-standard"];
                (Call::new(flags), true)
            }
        };
        let printed = self.program.output(&call)?;
        let records = printed.split(|byte| *byte == 0).filter(|record| !record.is_empty());
        let mut files: Vec<_> = match from_disk {
            true => records.map(|path| (RepoPath::from_bytes(path), Executable::No, Content::Disk)).collect(),
            false => records.filter_map(parse_record).collect(),
        };
        // A path with conflicts is there several times.
        files.dedup_by(|one, other| one.0 == other.0);
        files.retain(|(path, ..)| disk::is_plain(path));
        Ok(files)
    }

    fn on_disk(&self, path: &RepoPath, room: u64) -> Result<Fetched, GitError> {
        let root = self.require_work_tree("uncommitted")?;
        Ok(match disk::look_up(root, path)? {
            Entry::File { full, mode, size } if size <= room => {
                let executable = if mode == Mode::Executable { Executable::Yes } else { Executable::No };
                Fetched::Here(disk::read_file(&full, path)?, executable)
            }
            Entry::Link { target } => Fetched::Here(target, Executable::No),
            Entry::File { .. } => Fetched::TooMuch,
            Entry::Absent => Fetched::Gone,
        })
    }
}

/// What became of a file.
enum Fetched {
    Here(Bytes, Executable),
    TooMuch,
    /// Deleted in the working tree, or nothing that has content.
    Gone,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Executable {
    Yes,
    No,
}

/// `<mode> blob <oid>\t<path>` of a tree, or `<mode> <oid> <stage>\t<path>` of the index.
fn parse_record(record: &[u8]) -> Option<(RepoPath, Executable, Content)> {
    let tab = memchr::memchr(b'\t', record)?;
    let mut words = std::str::from_utf8(&record[..tab]).ok()?.split(' ');
    let mode = words.next().filter(|mode| *mode != "160000")?;
    let oid = words.find_map(Oid::parse)?;
    let executable = if mode == "100755" { Executable::Yes } else { Executable::No };
    Some((RepoPath::from_bytes(&record[tab + 1..]), executable, Content::Blob(oid)))
}

/// The directory was empty and nobody else writes to it, and no link was ever put there.
fn write(into: &Path, path: &RepoPath, content: &[u8], executable: Executable) -> Result<(), GitError> {
    let full = into.join(disk::os_path(path.as_bytes()));
    let put = || -> std::io::Result<()> {
        if let Some(folder) = full.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(if executable == Executable::Yes { 0o755 } else { 0o644 });
        }
        options.open(&full)?.write_all(content)
    };
    put().map_err(|error| GitError::Unwritable { path: full.clone(), reason: error.to_string() })
}
