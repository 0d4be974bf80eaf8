//! Reading the working tree the way git does: symlinks are content, not ways to somewhere else.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::io::Read;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use domain::change::{Mode, RepoPath};

use crate::error::GitError;
use crate::repository::LocalAttributes;

/// Larger files are not read: no reviewer could say anything sensible about them.
pub(crate) const LARGEST: u64 = 50 * 1024 * 1024;

/// How far git looks for a NUL when it decides whether content is binary.
pub(crate) const BINARY_PROBE: usize = 8000;

/// How much of a large file is in memory at a time.
const PIECE: usize = 256 * 1024;

/// What is at a path, as far as git would track it.
#[derive(Debug)]
pub(crate) enum Entry {
    File {
        full: PathBuf,
        mode: Mode,
        size: u64,
    },
    Link {
        target: Bytes,
    },
    /// Nothing, a directory, a socket or the like, or a path that leads through a symlink.
    Absent,
}

pub(crate) fn look_up(root: &Path, path: &RepoPath) -> Result<Entry, GitError> {
    let Some(full) = locate(root, path) else {
        return Ok(Entry::Absent);
    };
    let meta = match full.symlink_metadata() {
        Ok(meta) => meta,
        Err(error) if is_absence(&error) => return Ok(Entry::Absent),
        Err(error) => return Err(unreadable(path, &error)),
    };
    if meta.is_symlink() {
        let target = full.read_link().map_err(|e| unreadable(path, &e))?;
        return Ok(Entry::Link { target: os_bytes(target.into_os_string()).into() });
    }
    if !meta.is_file() {
        return Ok(Entry::Absent);
    }
    Ok(Entry::File { mode: file_mode(&meta), size: meta.len(), full })
}

/// Everything in a file, up to [`LARGEST`].
pub(crate) fn read_file(full: &Path, path: &RepoPath) -> Result<Bytes, GitError> {
    let file = std::fs::File::open(full).map_err(|e| unreadable(path, &e))?;
    let size = file.metadata().map_err(|e| unreadable(path, &e))?.len();
    let mut content = Vec::with_capacity(usize::try_from(size.min(LARGEST)).unwrap_or(0) + 1);
    file.take(LARGEST + 1).read_to_end(&mut content).map_err(|e| unreadable(path, &e))?;
    if content.len() as u64 > LARGEST {
        return Err(GitError::TooLarge { path: path.clone(), size: size.max(LARGEST + 1) });
    }
    Ok(content.into())
}

/// Everything in a file, in pieces.
pub(crate) fn stream_file(full: &Path, path: &RepoPath, take: &mut dyn FnMut(&[u8])) -> Result<(), GitError> {
    let mut file = std::fs::File::open(full).map_err(|e| unreadable(path, &e))?;
    stream(&mut file, take).map(|_| ()).map_err(|e| unreadable(path, &e))
}

/// Hands on everything that is read, a piece at a time, and says how much it was.
pub(crate) fn stream(from: &mut dyn Read, take: &mut dyn FnMut(&[u8])) -> std::io::Result<u64> {
    let mut piece = Vec::with_capacity(PIECE);
    let mut total = 0;
    loop {
        piece.clear();
        match Read::take(&mut *from, PIECE as u64).read_to_end(&mut piece)? {
            0 => return Ok(total),
            read => total += read as u64,
        }
        take(&piece);
    }
}

/// The first bytes of a file, enough to tell binary from text.
pub(crate) fn read_beginning(full: &Path, path: &RepoPath) -> Result<Vec<u8>, GitError> {
    let mut beginning = Vec::with_capacity(BINARY_PROBE);
    let file = std::fs::File::open(full).map_err(|e| unreadable(path, &e))?;
    file.take(BINARY_PROBE as u64).read_to_end(&mut beginning).map_err(|e| unreadable(path, &e))?;
    Ok(beginning)
}

/// Whether `info/attributes` holds anything but comments. What is not a plain, small, readable file counts
/// as if it did, unread.
pub(crate) fn local_attributes(common_dir: &Path) -> LocalAttributes {
    const LARGEST: u64 = 64 * 1024;
    let path = common_dir.join("info").join("attributes");
    let content = match path.symlink_metadata() {
        Err(error) if is_absence(&error) => return LocalAttributes::None,
        Ok(meta) if meta.is_file() && meta.len() <= LARGEST => std::fs::read(path),
        Ok(_) | Err(_) => return LocalAttributes::Present,
    };
    let says_nothing = |line: &[u8]| matches!(line.trim_ascii_start().first(), None | Some(b'#'));
    match content {
        Ok(content) if content.split(|b| *b == b'\n').all(says_nothing) => LocalAttributes::None,
        Ok(_) | Err(_) => LocalAttributes::Present,
    }
}

pub(crate) fn is_binary(content: &[u8]) -> bool {
    memchr::memchr(0, &content[..content.len().min(BINARY_PROBE)]).is_some()
}

/// `None` for a path that would leave the working tree, reach into `.git` or pass through a symlink.
fn locate(root: &Path, path: &RepoPath) -> Option<PathBuf> {
    if !is_plain(path) {
        return None;
    }
    let mut full = root.to_owned();
    for folder in path.folders() {
        full.push(os_path(folder));
        if !full.symlink_metadata().ok()?.is_dir() {
            return None;
        }
    }
    full.push(os_path(path.file_name()));
    Some(full)
}

/// Whether every component names something inside the repository.
pub(crate) fn is_plain(path: &RepoPath) -> bool {
    let odd = |part: &[u8]| {
        part.is_empty()
            || part == b"."
            || part == b".."
            || part.eq_ignore_ascii_case(b".git")
            || part.contains(&0)
    };
    !path.as_bytes().split(|b| *b == b'/').any(odd)
}

fn is_absence(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}

pub(crate) fn unreadable(path: &RepoPath, error: &std::io::Error) -> GitError {
    GitError::Unreadable { path: path.clone(), reason: error.to_string() }
}

#[cfg(unix)]
fn file_mode(meta: &Metadata) -> Mode {
    use std::os::unix::fs::PermissionsExt;
    match meta.permissions().mode() & 0o100 {
        0 => Mode::File,
        _ => Mode::Executable,
    }
}

#[cfg(not(unix))]
fn file_mode(_: &Metadata) -> Mode {
    Mode::File
}

#[cfg(unix)]
pub(crate) fn os_path(bytes: &[u8]) -> Cow<'_, OsStr> {
    use std::os::unix::ffi::OsStrExt;
    Cow::Borrowed(OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
pub(crate) fn os_path(bytes: &[u8]) -> Cow<'_, OsStr> {
    Cow::Owned(OsString::from(String::from_utf8_lossy(bytes).into_owned()))
}

#[cfg(unix)]
fn os_bytes(text: OsString) -> Vec<u8> {
    use std::os::unix::ffi::OsStringExt;
    text.into_vec()
}

#[cfg(not(unix))]
fn os_bytes(text: OsString) -> Vec<u8> {
    text.to_string_lossy().into_owned().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_leads_out_of_the_working_tree() {
        for bad in ["../x", "/etc/passwd", "a/../../x", ".git/config", "a//b", "", "a/.GIT/x"] {
            assert!(locate(Path::new("/"), &RepoPath::from(bad)).is_none(), "{bad}");
        }
    }

    #[test]
    fn binary_is_what_holds_a_nul_early_on() {
        let mut late = vec![b'a'; BINARY_PROBE];
        late.push(0);
        assert!(!is_binary(&late));
        assert!(is_binary(b"a\0b"));
    }
}
