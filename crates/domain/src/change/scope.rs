use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::FileChange;

/// A git object name, SHA-1 or SHA-256, in hex.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Oid(String);

impl Oid {
    /// `None` unless `hex` is 40 or 64 lower-case hex digits.
    pub fn parse(hex: &str) -> Option<Oid> {
        let well_formed = matches!(hex.len(), 40 | 64)
            && hex.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        well_formed.then(|| Oid(hex.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Enough of it for people.
    pub fn short(&self) -> &str {
        &self.0[..10]
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Where the new side of a change is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    Commit(Oid),
    Index,
    Worktree,
}

impl Target {
    /// The commit id, or what stands in for it while there is none.
    pub fn as_str(&self) -> &str {
        match self {
            Target::Commit(oid) => oid.as_str(),
            Target::Index => "index",
            Target::Worktree => "worktree",
        }
    }
}

/// Exactly what was compared with what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Scope {
    /// The merge base, which is also where policy is read from. Absent before the first commit.
    pub base: Option<Oid>,
    /// How the base was named or found, for people: `main`, `origin/main`, `HEAD~1`.
    pub base_name: String,
    pub head: Target,
    /// The branch or revision under review, for people.
    pub head_name: String,
    /// What the user should know about how this was chosen.
    pub notes: Vec<String>,
}

impl Scope {
    /// `main (1a2b3c4d5e)`, as it comes: not cleaned.
    pub fn base_label(&self) -> String {
        match &self.base {
            Some(oid) => labelled(&self.base_name, oid),
            None => "the empty tree".to_owned(),
        }
    }

    /// `feature (5f6e7d8c9b)`, as it comes: not cleaned.
    pub fn head_label(&self) -> String {
        match &self.head {
            Target::Commit(oid) => labelled(&self.head_name, oid),
            Target::Index => format!("the index of {}", self.head_name),
            Target::Worktree => format!("the working tree of {}", self.head_name),
        }
    }
}

/// A commit that has no other name is named once.
fn labelled(name: &str, oid: &Oid) -> String {
    if name == oid.short() { name.to_owned() } else { format!("{name} ({})", oid.short()) }
}

/// The object of a review.
#[derive(Debug, Clone)]
pub struct Change {
    pub scope: Scope,
    pub files: Vec<FileChange>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_are_named_with_their_commits() {
        let oid = Oid::parse(&"a1".repeat(20)).unwrap();
        let mut scope = Scope {
            base: Some(oid.clone()),
            base_name: "main".into(),
            head: Target::Commit(oid.clone()),
            head_name: oid.short().to_owned(),
            notes: vec![],
        };
        assert_eq!(
            (scope.base_label(), scope.head_label()),
            ("main (a1a1a1a1a1)".into(), "a1a1a1a1a1".into())
        );
        (scope.base, scope.head) = (None, Target::Worktree);
        scope.head_name = "topic".into();
        assert_eq!(scope.base_label(), "the empty tree");
        assert_eq!(scope.head_label(), "the working tree of topic");
    }

    #[test]
    fn object_names_are_checked() {
        assert!(Oid::parse(&"a1".repeat(20)).is_some());
        assert!(Oid::parse(&"0".repeat(64)).is_some());
        for bad in ["", "abc", &"A1".repeat(20), &"g0".repeat(20)] {
            assert!(Oid::parse(bad).is_none(), "{bad}");
        }
    }
}
