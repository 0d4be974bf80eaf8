use domain::change::{Attributes, Content, FileChange, RepoPath, Status};

use crate::error::GitError;
use crate::program::Call;
use crate::repository::{AttributeSource, LocalAttributes, Repository};

const MARKS: [&str; 2] = ["linguist-generated", "linguist-vendored"];
const DIFF: &str = "diff";

/// What attributes say about one path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) marks: Attributes,
    pub(crate) diff: Diffing,
}

/// Whether a path may be shown line by line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Diffing {
    /// `diff`, `diff=<driver>` or nothing: what is in the file decides.
    #[default]
    ByContent,
    /// `-diff`, which `binary` stands for, too.
    Never,
}

/// What attributes say about both paths of a file; the same twice unless it was renamed or copied.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ToldOfSides {
    pub(crate) old: Told,
    pub(crate) new: Told,
}

impl Repository {
    /// Why attributes could come from somewhere else than the base, as a note for people. While there is
    /// such a reason, no attribute keeps a file from being reviewed.
    pub(crate) fn doubt_about_attributes(&self) -> Option<&'static str> {
        match (self.place.attributes, self.place.local_attributes) {
            (_, LocalAttributes::Present) => Some(
                "`.git/info/attributes` could hide files from this review, so attributes are not taken into account",
            ),
            (AttributeSource::WhateverIsCheckedOut, LocalAttributes::None) => Some(
                "this git is older than 2.41: the change's own .gitattributes could not be kept out, so attributes are not taken into account",
            ),
            (AttributeSource::Choosable, LocalAttributes::None) => None,
        }
    }

    /// What `.gitattributes` in `tree` says about each file.
    pub(crate) fn attributes_told(
        &self,
        files: &[FileChange],
        tree: &str,
    ) -> Result<Vec<ToldOfSides>, GitError> {
        if files.is_empty() {
            return Ok(Vec::new());
        }
        let mut paths = Vec::new();
        for path in files.iter().flat_map(|file| moved_from(file).into_iter().chain([file.path()])) {
            paths.extend_from_slice(path.as_bytes());
            paths.push(0);
        }
        let diff = files.iter().any(may_depend_on_diff).then_some(DIFF);
        let call = Call::new(self.attributes_of(tree))
            .args(["check-attr", "-z", "--stdin"])
            .args(MARKS)
            .args(diff)
            .capacity(paths.len() * 4)
            .input(paths);
        let printed = self.program.output(&call)?;
        let mut fields = printed.split(|b| *b == 0);
        let mut next = |path: &RepoPath| {
            read_records(&mut fields, path.as_bytes(), diff).ok_or_else(|| GitError::Unexpected {
                command: "check-attr".into(),
                detail: format!("nothing about {path}"),
            })
        };
        let both = |file| {
            let old = moved_from(file).map(&mut next).transpose()?;
            let new = next(file.path())?;
            Ok(ToldOfSides { old: old.unwrap_or(new), new })
        };
        files.iter().map(both).collect()
    }
}

/// The path a file had before, if it had another one.
fn moved_from(file: &FileChange) -> Option<&RepoPath> {
    match file.status {
        Status::Renamed(_) | Status::Copied(_) => file.old.as_ref().map(|old| &old.path),
        Status::Added | Status::Deleted | Status::Modified | Status::TypeChanged | Status::Unmerged => None,
    }
}

/// Whether `-diff` makes a difference to what is shown of the file. For most changes it does not, and is
/// not asked for.
fn may_depend_on_diff(file: &FileChange) -> bool {
    matches!(file.content, Content::Binary) || moved_from(file).is_some()
}

/// Records of path, attribute and value, in the order they were asked for.
fn read_records<'a>(
    fields: &mut impl Iterator<Item = &'a [u8]>,
    path: &[u8],
    diff: Option<&str>,
) -> Option<Told> {
    let mut value = |name: &str| {
        let told = [fields.next()?, fields.next()?];
        (told == [path, name.as_bytes()]).then(|| fields.next())?
    };
    let marks = Attributes { generated: meaning(value(MARKS[0])?), vendored: meaning(value(MARKS[1])?) };
    let diff = match diff {
        Some(name) if value(name)? == b"unset" => Diffing::Never,
        Some(_) | None => Diffing::ByContent,
    };
    Some(Told { marks, diff })
}

fn meaning(value: &[u8]) -> Option<bool> {
    match value {
        b"set" | b"true" | b"" => Some(true),
        b"unset" | b"false" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_must_be_about_the_file_asked_for() {
        let printed = b"a\0linguist-generated\0set\0a\0linguist-vendored\0false\0a\0diff\0unset\0";
        let read = |path: &[u8]| read_records(&mut printed.split(|b| *b == 0), path, Some(DIFF));
        let marks = Attributes { generated: Some(true), vendored: Some(false) };
        assert_eq!(read(b"a"), Some(Told { marks, diff: Diffing::Never }));
        assert_eq!(read(b"b"), None);
    }
}
