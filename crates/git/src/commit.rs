use domain::change::Oid;

use crate::disk::LARGEST;
use crate::error::GitError;
use crate::objects::{Found, Kind, Object};
use crate::repository::Repository;
use crate::text;

/// As much of a commit as choosing a base needs.
#[derive(Debug, Clone)]
pub(crate) struct Commit {
    pub(crate) oid: Oid,
    pub(crate) first_parent: Option<Oid>,
    /// Fit to be shown.
    pub(crate) subject: String,
}

impl Commit {
    fn read(object: &Object) -> Commit {
        let text = String::from_utf8_lossy(&object.content);
        let (header, message) = text.split_once("\n\n").unwrap_or((&text, ""));
        let parent = header.lines().find_map(|line| line.strip_prefix("parent "));
        let subject = message.trim_start().lines().next().unwrap_or_default();
        Commit {
            oid: object.oid.clone(),
            first_parent: parent.and_then(Oid::parse),
            subject: text::shortened(subject, 72),
        }
    }

    /// `1234567890 the subject`, for notes.
    pub(crate) fn described(&self) -> String {
        format!("{} {}", self.oid.short(), self.subject).trim_end().to_owned()
    }
}

impl Repository {
    /// The commit a revision stands for, tags followed. `None` if there is no such thing, or if it is
    /// something else than a commit.
    pub(crate) fn commit(&self, name: &str) -> Result<Option<Commit>, GitError> {
        match self.objects.get(name, LARGEST)? {
            Found::Object(object) if object.kind == Kind::Commit => Ok(Some(Commit::read(&object))),
            Found::Object(object) if object.kind == Kind::Tag => {
                match self.objects.get(&format!("{}^{{commit}}", object.oid), LARGEST)? {
                    Found::Object(peeled) => Ok(Some(Commit::read(&peeled))),
                    Found::TooLarge { .. } | Found::Missing | Found::Ambiguous => Ok(None),
                }
            }
            Found::Ambiguous => Err(GitError::AmbiguousRevision(name.to_owned())),
            Found::Object(_) | Found::TooLarge { .. } | Found::Missing => Ok(None),
        }
    }

    /// The commit a person named.
    pub(crate) fn named_commit(&self, name: &str) -> Result<Commit, GitError> {
        check_revision(name)?;
        let unknown = |near| GitError::UnknownRevision { name: name.to_owned(), near };
        match self.commit(name) {
            Ok(Some(commit)) => Ok(commit),
            // What git refuses outright, such as `main@{upstream}` where there is none, is unknown, too.
            Ok(None) | Err(GitError::Failed { .. }) => Err(unknown(self.names_near(name)?)),
            Err(other) => Err(other),
        }
    }
}

fn check_revision(name: &str) -> Result<(), GitError> {
    let bad = |reason| Err(GitError::BadRevision { name: name.to_owned(), reason });
    if name.trim().is_empty() {
        return bad("it is empty");
    }
    if name.starts_with('-') {
        return bad("it begins with a dash");
    }
    if name.chars().any(char::is_control) {
        return bad("it holds control characters");
    }
    if name.contains("..") {
        return bad("it is a range; name the base and the head apart");
    }
    Ok(())
}
