use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use domain::change::{FileChange, Mode, Oid, RepoPath, Scope, Side, Target};
use domain::ports::{SourceError, Sources};

use crate::disk::{self, Entry, LARGEST};
use crate::error::GitError;
use crate::objects::{Found, Objects, StreamOutcome};
use crate::program::{Call, Program};
use crate::repository::Repository;
use crate::tree;

/// The files on both sides of a scope. Can be asked from many threads at once.
#[derive(Debug)]
pub struct GitSources {
    objects: Arc<Objects>,
    program: Program,
    base: Option<Oid>,
    head: Head,
    release: OnceLock<Option<String>>,
}

#[derive(Debug)]
enum Head {
    Commit(Oid),
    Index,
    Worktree(PathBuf),
}

impl Repository {
    /// Access to whole files of either side, for as long as the review lasts.
    pub fn sources(&self, scope: &Scope) -> Result<GitSources, GitError> {
        let head = match &scope.head {
            Target::Commit(oid) => Head::Commit(oid.clone()),
            Target::Index => Head::Index,
            Target::Worktree => Head::Worktree(self.require_work_tree("uncommitted")?.to_owned()),
        };
        Ok(GitSources {
            objects: Arc::clone(&self.objects),
            program: self.program.clone(),
            base: scope.base.clone(),
            head,
            release: OnceLock::new(),
        })
    }
}

impl Sources for GitSources {
    fn read(&self, file: &FileChange, side: Side) -> Result<Option<Bytes>, SourceError> {
        let Some(wanted) = file.side(side).filter(|s| s.mode != Mode::Submodule) else {
            return Ok(None);
        };
        let content = match (&wanted.oid, side, &self.head) {
            (Some(oid), _, _) => self.blob(oid, &wanted.path).map(Some),
            (None, Side::New, Head::Worktree(root)) => self.on_disk(root, &wanted.path),
            (None, Side::New, Head::Commit(_) | Head::Index) | (None, Side::Old, _) => Ok(None),
        };
        content.map_err(|error| source_error(&wanted.path, &error))
    }

    fn stream(
        &self,
        file: &FileChange,
        side: Side,
        take: &mut dyn FnMut(&[u8]),
    ) -> Result<bool, SourceError> {
        let Some(wanted) = file.side(side).filter(|s| s.mode != Mode::Submodule) else {
            return Ok(false);
        };
        let streamed = match (&wanted.oid, side, &self.head) {
            (Some(oid), _, _) => self.stream_blob(oid, &wanted.path, take).map(|()| true),
            (None, Side::New, Head::Worktree(root)) => stream_from_disk(root, &wanted.path, take),
            (None, Side::New, Head::Commit(_) | Head::Index) | (None, Side::Old, _) => Ok(false),
        };
        streamed.map_err(|error| source_error(&wanted.path, &error))
    }

    fn read_path(&self, path: &RepoPath, side: Side) -> Result<Option<Bytes>, SourceError> {
        self.at_path(path, side).map_err(|error| source_error(path, &error))
    }

    fn list_base(&self, folder: &RepoPath) -> Result<Vec<RepoPath>, SourceError> {
        let Some(base) = &self.base else { return Ok(Vec::new()) };
        tree::files_in(&self.objects, base, folder).map_err(|error| source_error(folder, &error))
    }

    fn list_base_below(&self, folder: &RepoPath, most: usize) -> Result<Vec<RepoPath>, SourceError> {
        let Some(base) = &self.base else { return Ok(Vec::new()) };
        tree::files_below(&self.objects, base, folder, most).map_err(|error| source_error(folder, &error))
    }

    fn messages(&self) -> Result<String, SourceError> {
        let Some(base) = &self.base else { return Ok(String::new()) };
        let head = match &self.head {
            Head::Commit(oid) => oid.as_str(),
            Head::Index | Head::Worktree(_) => "HEAD",
        };
        let call = Call::new(["log", "--no-color", "--no-decorate", "--no-show-signature", "--no-notes"])
            .args(["--format=tformat:%B", format!("--max-count={MOST_MESSAGES}").as_str(), head])
            .args([format!("^{base}")])
            .args(["--"]);
        let printed =
            self.program.output(&call).map_err(|error| whole_error("the messages of commits", &error))?;
        Ok(String::from_utf8_lossy(&printed).into_owned())
    }

    fn is_released(&self, word: &str) -> Result<Option<bool>, SourceError> {
        let Some(release) = self.release() else { return Ok(None) };
        let call = Call::new([
            "grep",
            "--quiet",
            "--no-color",
            "-I",
            "--word-regexp",
            "--fixed-strings",
            "-e",
            word,
        ])
        .args([release.as_str()]);
        let ran = self.program.run(&call).map_err(|error| whole_error("the newest release", &error))?;
        Ok(match ran.code {
            Some(0) => Some(true),
            Some(1) => Some(false),
            _ => None,
        })
    }
}

/// More commits of one change say nothing new.
const MOST_MESSAGES: usize = 500;

impl GitSources {
    /// The nearest tag below the base that is called like a version.
    fn release(&self) -> Option<&String> {
        let find = || {
            let base = self.base.as_ref()?;
            let call = Call::new(["describe", "--tags", "--abbrev=0"])
                .args([
                    "--match=v[0-9]*",
                    "--match=[0-9]*",
                    "--match=*[-@/_]v[0-9]*",
                    "--match=*[-@/_][0-9]*.[0-9]*",
                ])
                .args([base.as_str()]);
            let printed = self.program.output(&call).ok()?;
            let name = String::from_utf8(printed).ok()?.trim().to_owned();
            (!name.is_empty() && !name.starts_with('-')).then(|| format!("refs/tags/{name}"))
        };
        self.release.get_or_init(find).as_ref()
    }

    fn at_path(&self, path: &RepoPath, side: Side) -> Result<Option<Bytes>, GitError> {
        let oid = match (side, &self.head) {
            (Side::Old, _) => match &self.base {
                Some(base) => tree::blob_at(&self.objects, base, path)?,
                None => None,
            },
            (Side::New, Head::Commit(head)) => tree::blob_at(&self.objects, head, path)?,
            (Side::New, Head::Index) => self.in_index(path, InIndex::Anything)?,
            (Side::New, Head::Worktree(root)) => match self.on_disk(root, path)? {
                Some(content) => return Ok(Some(content)),
                None => self.in_index(path, InIndex::NotCheckedOut)?,
            },
        };
        oid.map(|oid| self.blob(&oid, path)).transpose()
    }

    fn blob(&self, oid: &Oid, path: &RepoPath) -> Result<Bytes, GitError> {
        if let Some(content) = self.objects.read_ahead(oid) {
            return Ok(content);
        }
        match self.objects.by_oid(oid, LARGEST)? {
            Found::Object(object) => Ok(object.content),
            Found::TooLarge { size, .. } => Err(GitError::TooLarge { path: path.clone(), size }),
            Found::Missing | Found::Ambiguous => Err(missing_content(path, oid)),
        }
    }

    fn stream_blob(&self, oid: &Oid, path: &RepoPath, take: &mut dyn FnMut(&[u8])) -> Result<(), GitError> {
        if let Some(content) = self.objects.read_ahead(oid) {
            take(&content);
            return Ok(());
        }
        match self.objects.stream(oid, take)? {
            StreamOutcome::Whole => Ok(()),
            StreamOutcome::Missing => Err(missing_content(path, oid)),
        }
    }

    fn on_disk(&self, root: &Path, path: &RepoPath) -> Result<Option<Bytes>, GitError> {
        match disk::look_up(root, path)? {
            Entry::File { full, .. } => disk::read_file(&full, path).map(Some),
            Entry::Link { target } => Ok(Some(target)),
            Entry::Absent => Ok(None),
        }
    }

    fn in_index(&self, path: &RepoPath, which: InIndex) -> Result<Option<Oid>, GitError> {
        if !disk::is_plain(path) {
            return Ok(None);
        }
        let call = Call::new(["--literal-pathspecs", "ls-files", "-t", "-s", "-z", "--full-name", "--"])
            .args([disk::os_path(path.as_bytes())]);
        let printed = self.program.output(&call)?;
        Ok(printed.split(|b| *b == 0).find_map(|record| parse_index_record(record, path, which)))
    }
}

fn missing_content(path: &RepoPath, oid: &Oid) -> GitError {
    GitError::MissingObjects { detail: format!("the content of {path}, {}", oid.short()) }
}

/// What is not there is no file.
fn stream_from_disk(root: &Path, path: &RepoPath, take: &mut dyn FnMut(&[u8])) -> Result<bool, GitError> {
    match disk::look_up(root, path)? {
        Entry::File { full, .. } => disk::stream_file(&full, path, take)?,
        Entry::Link { target } => take(&target),
        Entry::Absent => return Ok(false),
    }
    Ok(true)
}

/// Which entries of the index count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InIndex {
    Anything,
    /// What a sparse checkout leaves out of the working tree although it is there in spirit.
    NotCheckedOut,
}

/// `<tag> <mode> <oid> <stage>\t<path>`; only what is neither in conflict nor a submodule counts.
fn parse_index_record(record: &[u8], wanted: &RepoPath, which: InIndex) -> Option<Oid> {
    let tab = memchr::memchr(b'\t', record)?;
    if &record[tab + 1..] != wanted.as_bytes() {
        return None;
    }
    let mut words = std::str::from_utf8(&record[..tab]).ok()?.split(' ');
    let (tag, mode, oid, stage) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let counts = which == InIndex::Anything || tag == "S";
    (counts && mode != "160000" && stage == "0").then(|| Oid::parse(oid))?
}

fn whole_error(what: &str, error: &GitError) -> SourceError {
    SourceError { path: what.to_owned(), reason: format!("{error}; {}", error.hint()) }
}

fn source_error(path: &RepoPath, error: &GitError) -> SourceError {
    let reason = match error {
        GitError::Unreadable { reason, .. } => reason.clone(),
        other => format!("{other}; {}", other.hint()),
    };
    SourceError { path: path.to_string(), reason }
}
