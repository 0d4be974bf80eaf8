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
    fn object_names_are_checked() {
        assert!(Oid::parse(&"a1".repeat(20)).is_some());
        assert!(Oid::parse(&"0".repeat(64)).is_some());
        for bad in ["", "abc", &"A1".repeat(20), &"g0".repeat(20)] {
            assert!(Oid::parse(bad).is_none(), "{bad}");
        }
    }
}
