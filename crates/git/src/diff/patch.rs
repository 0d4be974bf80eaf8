//! The patch behind the records: one section for each, in the same order.

use domain::change::{Content, FileSide, Hunk, Mode, Status};

use super::hunk::hunk;
use super::parse::{Malformed, Reader};
use super::quote::quoted;
use super::raw::Record;

/// Lines git puts between `diff --git` and the first hunk. Paths in them are quoted, so none of them can
/// hold a line feed and pass for something else.
const HEADERS: [&[u8]; 13] = [
    b"old mode ",
    b"new mode ",
    b"deleted file mode ",
    b"new file mode ",
    b"copy from ",
    b"copy to ",
    b"rename from ",
    b"rename to ",
    b"similarity index ",
    b"dissimilarity index ",
    b"index ",
    b"--- ",
    b"+++ ",
];

enum Section {
    Hunks(Vec<Hunk>),
    Binary,
    /// Nothing was printed for this record.
    None,
}

/// What the patch says about one record.
pub(super) fn content(reader: &mut Reader<'_>, record: &Record) -> Result<Content, Malformed> {
    if record.status == Status::Unmerged {
        return unmerged(reader, record);
    }
    match (&record.old, &record.new) {
        (Some(old), Some(new)) if kind(old) != kind(new) => {
            let before = printed(section(reader, old, old)?)?;
            let after = printed(section(reader, new, new)?)?;
            Ok(replaced((old, before), (new, after)))
        }
        (Some(old), Some(new)) => changed(reader, record, old, new),
        (Some(only), None) | (None, Some(only)) => Ok(whole(only, printed(section(reader, only, only)?)?)),
        (None, None) => Err(Malformed::Record),
    }
}

fn changed(
    reader: &mut Reader<'_>,
    record: &Record,
    old: &FileSide,
    new: &FileSide,
) -> Result<Content, Malformed> {
    let found = section(reader, old, new)?;
    let may_be_silent = record.status == Status::Modified && old.mode == new.mode && new.oid.is_none();
    match found {
        Section::None if may_be_silent => Ok(Content::Text(Vec::new())),
        found => Ok(whole(new, printed(found)?)),
    }
}

fn printed(section: Section) -> Result<Content, Malformed> {
    match section {
        Section::Hunks(hunks) => Ok(Content::Text(hunks)),
        Section::Binary => Ok(Content::Binary),
        Section::None => Err(Malformed::Section),
    }
}

/// The one line of a submodule's diff says only which commit it is at.
fn whole(side: &FileSide, content: Content) -> Content {
    match side.mode {
        Mode::Submodule => Content::Submodule,
        Mode::File | Mode::Executable | Mode::Symlink => content,
    }
}

/// One kind of thing took the place of another: git shows a deletion and an addition. What a submodule
/// holds is not part of this repository, so only the other side has lines to show.
fn replaced(old: (&FileSide, Content), new: (&FileSide, Content)) -> Content {
    let mut hunks = Vec::new();
    for (side, content) in [old, new] {
        match content {
            Content::Text(more) if side.mode != Mode::Submodule => hunks.extend(more),
            Content::Text(_) | Content::Submodule => {}
            Content::Binary => return Content::Binary,
        }
    }
    Content::Text(hunks)
}

#[derive(PartialEq, Eq)]
enum KindOfFile {
    Regular,
    Symlink,
    Submodule,
}

fn kind(side: &FileSide) -> KindOfFile {
    match side.mode {
        Mode::File | Mode::Executable => KindOfFile::Regular,
        Mode::Symlink => KindOfFile::Symlink,
        Mode::Submodule => KindOfFile::Submodule,
    }
}

fn unmerged(reader: &mut Reader<'_>, record: &Record) -> Result<Content, Malformed> {
    let path = record.new.as_ref().or(record.old.as_ref()).ok_or(Malformed::Record)?;
    // The one place where git does not quote.
    let expected = [b"* Unmerged path ", path.path.as_bytes(), b"\n"].concat();
    if reader.skip(&expected) { Ok(Content::Text(Vec::new())) } else { Err(Malformed::Section) }
}

fn section(reader: &mut Reader<'_>, old: &FileSide, new: &FileSide) -> Result<Section, Malformed> {
    let (old, new) = (quoted(b"a/", old.path.as_bytes()), quoted(b"b/", new.path.as_bytes()));
    let expected = [b"diff --git ", old.as_slice(), b" ", &new, b"\n"].concat();
    if !reader.skip(&expected) {
        return Ok(Section::None);
    }
    while HEADERS.iter().any(|header| reader.rest().starts_with(header)) {
        reader.line()?;
    }
    if reader.rest().starts_with(b"Binary files ") {
        reader.line()?;
        return Ok(Section::Binary);
    }
    let mut hunks = Vec::new();
    while reader.rest().starts_with(b"@@ -") {
        hunks.push(hunk(reader)?);
    }
    Ok(Section::Hunks(hunks))
}
