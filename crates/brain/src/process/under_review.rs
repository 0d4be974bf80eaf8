use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::find_program;

/// Where the repository under review is. Nothing that judges a change is taken from in there: it may be the change's
/// own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnderReview {
    pub places: Vec<PathBuf>,
}

/// Why a program is not run. Completes "its program ...".
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotTaken {
    #[error("is named by a relative path, which would be a file of the change")]
    Relative,
    #[error("is not installed")]
    NotInstalled,
    #[error("is a file of the repository under review")]
    UnderReview,
}

impl UnderReview {
    /// The file that would be run for `wanted`: by its absolute path, or found on `path` outside of the repository.
    pub fn program(&self, wanted: &str, path: Option<&OsStr>) -> Result<PathBuf, NotTaken> {
        if wanted.contains('/') && !wanted.starts_with('/') {
            return Err(NotTaken::Relative);
        }
        let safe = path.map(|path| self.without(path));
        match find_program(wanted, safe.as_deref()) {
            Some(program) if self.holds(&program) => Err(NotTaken::UnderReview),
            Some(program) => Ok(program),
            None if find_program(wanted, path).is_some() => Err(NotTaken::UnderReview),
            None => Err(NotTaken::NotInstalled),
        }
    }

    /// A search path without places that the change may have put something into.
    pub fn without(&self, path: &OsStr) -> OsString {
        let safe = std::env::split_paths(path).filter(|place| place.is_absolute() && !self.holds(place));
        std::env::join_paths(safe).unwrap_or_default()
    }

    /// The first argument that names a file of the repository, by itself or as the value of an option. Those that are
    /// relative are looked up in each of `roots`.
    pub fn named_in<'a>(&self, arguments: &'a [String], roots: &[&Path]) -> Option<&'a str> {
        let is_own = |word: &str| match Path::new(word) {
            path if path.is_absolute() => path.is_file() && self.holds(path),
            path => roots.iter().any(|root| root.join(path).is_file()),
        };
        let names = |argument: &&String| {
            let value = argument.split_once('=').map_or("", |(_, value)| value);
            [argument.as_str(), value].into_iter().any(|word| !word.is_empty() && is_own(word))
        };
        arguments.iter().find(names).map(String::as_str)
    }

    /// Whether a place is in the repository, by its name or by what that leads to.
    pub fn holds(&self, place: &Path) -> bool {
        let real = place.canonicalize().unwrap_or_else(|_| place.to_owned());
        self.places.iter().any(|own| {
            let own = own.canonicalize().unwrap_or_else(|_| own.clone());
            real.starts_with(&own) || place.starts_with(&own)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn repository() -> (tempfile::TempDir, UnderReview) {
        let folder = tempfile::tempdir().unwrap();
        let repository = folder.path().join("repo");
        std::fs::create_dir(&repository).unwrap();
        for program in [repository.join("judge"), folder.path().join("judge")] {
            std::fs::write(&program, "").unwrap();
            std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        (folder, UnderReview { places: vec![repository] })
    }

    #[test]
    fn a_program_of_the_repository_is_not_taken_however_it_is_named() {
        let (folder, under_review) = repository();
        let own = folder.path().join("repo/judge");
        let link = folder.path().join("link");
        symlink(&own, &link).unwrap();
        let path = own.parent().unwrap().as_os_str();
        for wanted in ["judge", own.to_str().unwrap(), link.to_str().unwrap()] {
            assert_eq!(under_review.program(wanted, Some(path)), Err(NotTaken::UnderReview), "{wanted}");
        }
        assert_eq!(under_review.program("./judge", Some(path)), Err(NotTaken::Relative));
        assert_eq!(under_review.program("no-such-program", Some(path)), Err(NotTaken::NotInstalled));
    }

    #[test]
    fn a_program_beside_the_repository_is_found_behind_one_inside() {
        let (folder, under_review) = repository();
        let path = std::env::join_paths([folder.path().join("repo"), folder.path().to_owned()]).unwrap();
        assert_eq!(under_review.program("judge", Some(&path)), Ok(folder.path().join("judge")));
        assert_eq!(under_review.without(&path), folder.path().as_os_str());
    }

    #[test]
    fn an_argument_that_names_a_file_of_the_repository_is_found() {
        let (folder, under_review) = repository();
        let root = folder.path().join("repo");
        let absolute = root.join("judge").display().to_string();
        let outside = folder.path().join("judge").display().to_string();
        let named = |word: &str| under_review.named_in(&[word.to_owned()], &[&root]).is_some();
        assert!(named("judge") && named("./judge") && named(&absolute) && named("--script=judge"));
        assert!(!named(&outside) && !named("--fast") && !named("acp") && !named("."));
    }
}
