use domain::change::{Attributes, FileChange};

use crate::error::GitError;
use crate::program::Call;
use crate::repository::Repository;

const NAMES: [&str; 2] = ["linguist-generated", "linguist-vendored"];

impl Repository {
    /// Fills in what `.gitattributes` in `tree` says about each file.
    pub(crate) fn mark_attributes(&self, files: &mut [FileChange], tree: &str) -> Result<(), GitError> {
        if files.is_empty() {
            return Ok(());
        }
        let mut paths = Vec::new();
        for file in files.iter() {
            paths.extend_from_slice(file.path().as_bytes());
            paths.push(0);
        }
        let call = Call::new(self.attributes_of(tree))
            .args(["check-attr", "-z", "--stdin"])
            .args(NAMES)
            .capacity(paths.len() * 3)
            .input(paths);
        let printed = self.program.output(&call)?;
        let mut fields = printed.split(|b| *b == 0);
        for file in files {
            file.attributes =
                read_pair(&mut fields, file.path().as_bytes()).ok_or_else(|| GitError::Unexpected {
                    command: "check-attr".into(),
                    detail: format!("nothing about {}", file.path()),
                })?;
        }
        Ok(())
    }
}

/// Two records of path, attribute and value, in the order they were asked for.
fn read_pair<'a>(fields: &mut impl Iterator<Item = &'a [u8]>, path: &[u8]) -> Option<Attributes> {
    let mut value = |name: &str| {
        let told = [fields.next()?, fields.next()?];
        (told == [path, name.as_bytes()]).then(|| fields.next().map(meaning))?
    };
    Some(Attributes { generated: value(NAMES[0])?, vendored: value(NAMES[1])? })
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
        let printed = b"a\0linguist-generated\0set\0a\0linguist-vendored\0false\0";
        let read = |path: &[u8]| read_pair(&mut printed.split(|b| *b == 0), path);
        assert_eq!(read(b"a"), Some(Attributes { generated: Some(true), vendored: Some(false) }));
        assert_eq!(read(b"b"), None);
    }
}
