//! The NUL-terminated records in front of the patch: the only place paths, modes and object names are
//! taken from.

use domain::change::{FileSide, Mode, Oid, RepoPath, Status};

use super::parse::{Malformed, Reader};

#[derive(Debug)]
pub(super) struct Record {
    pub(super) status: Status,
    pub(super) old: Option<FileSide>,
    pub(super) new: Option<FileSide>,
}

/// `:<mode> <mode> <oid> <oid> <status>\0<path>\0`, with a second path for renames and copies.
pub(super) fn record(reader: &mut Reader<'_>) -> Result<Record, Malformed> {
    let head = reader.until_nul()?;
    let text = std::str::from_utf8(head).map_err(|_| Malformed::Record)?;
    let mut words = text.strip_prefix(':').ok_or(Malformed::Record)?.split(' ');
    let mut word = || words.next().ok_or(Malformed::Record);
    let (old_mode, new_mode) = (mode(word()?)?, mode(word()?)?);
    let (old_oid, new_oid) = (oid(word()?)?, oid(word()?)?);
    let status = status(word()?)?;
    let path = RepoPath::from_bytes(reader.until_nul()?);
    let new_path = match status {
        Status::Renamed(_) | Status::Copied(_) => RepoPath::from_bytes(reader.until_nul()?),
        _ => path.clone(),
    };
    let side = |mode: Option<Mode>, path, oid| mode.map(|mode| FileSide { path, mode, oid });
    let new = match status {
        // In conflict: the new side is there, but it is not one file.
        Status::Unmerged => {
            Some(FileSide { path: new_path, mode: new_mode.unwrap_or(Mode::File), oid: None })
        }
        _ => side(new_mode, new_path, new_oid),
    };
    let old = side(old_mode, path, old_oid);
    let sides = (old.is_some(), new.is_some());
    let fits = match status {
        Status::Added => sides == (false, true),
        Status::Deleted => sides == (true, false),
        Status::Unmerged => true,
        Status::Modified | Status::TypeChanged | Status::Renamed(_) | Status::Copied(_) => {
            sides == (true, true)
        }
    };
    if fits { Ok(Record { status, old, new }) } else { Err(Malformed::Record) }
}

fn mode(text: &str) -> Result<Option<Mode>, Malformed> {
    let bits = u32::from_str_radix(text, 8).map_err(|_| Malformed::Record)?;
    match bits & 0o170000 {
        0 if bits == 0 => Ok(None),
        0o100000 if bits & 0o100 == 0 => Ok(Some(Mode::File)),
        0o100000 => Ok(Some(Mode::Executable)),
        0o120000 => Ok(Some(Mode::Symlink)),
        0o160000 => Ok(Some(Mode::Submodule)),
        _ => Err(Malformed::Record),
    }
}

/// Zeros stand for content that git has not hashed.
fn oid(text: &str) -> Result<Option<Oid>, Malformed> {
    let oid = Oid::parse(text).ok_or(Malformed::Record)?;
    Ok((!text.bytes().all(|b| b == b'0')).then_some(oid))
}

fn status(text: &str) -> Result<Status, Malformed> {
    let similarity = || text[1..].parse::<u8>().ok().filter(|n| *n <= 100).ok_or(Malformed::Record);
    Ok(match text.as_bytes().first() {
        Some(b'A') => Status::Added,
        Some(b'D') => Status::Deleted,
        Some(b'M') => Status::Modified,
        Some(b'T') => Status::TypeChanged,
        Some(b'U') => Status::Unmerged,
        Some(b'R') => Status::Renamed(similarity()?),
        Some(b'C') => Status::Copied(similarity()?),
        _ => return Err(Malformed::Record),
    })
}
