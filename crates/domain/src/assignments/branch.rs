use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::change::Oid;
use crate::tasks::Invalid;

const LONGEST: usize = 200;

/// As [`fault`] has it, but for characters nobody sees.
const PATTERN: &str = r"^(?!(HEAD|@)$)(?!refs/|-)(?!.*(\.\.|@\{|//|/\.|\.lock(/|$)|\.$))(?![./])[^\x00-\x20\x7f-\x9f~^:?*\[\\]*[^\x00-\x20\x7f-\x9f~^:?*\[\\/]$";

/// The name of a branch as `git check-ref-format --branch` would take it, and nothing that git could take
/// for an option, a revision expression or a way out of its folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(extend("pattern" = PATTERN, "maxLength" = LONGEST))]
pub struct BranchName(String);

/// A branch that was looked at and found to hold work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Examined {
    pub head: Oid,
    /// What it was compared with, as people call it.
    pub base: String,
    /// Where it left its base.
    pub base_commit: Oid,
    /// How many commits it is ahead.
    pub commits: u32,
}

/// What a branch is to be compared with, and on whose word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BaseChoice {
    /// What a review would compare with.
    Usual,
    /// Whoever gave the work out said so.
    Given(String),
    /// The one whose work is reviewed said so: it may show a reviewer more than the usual base, never less.
    Claimed(String),
}

/// Why a branch cannot be submitted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BranchTrouble {
    #[error("there is no branch {branch}{}; commit the work to a branch of that name, or submit the branch it is on", alternatives(.near))]
    Missing { branch: BranchName, near: Vec<String> },
    #[error("{branch} is a tag, not a branch; commit the work to a branch and submit that")]
    IsTag { branch: BranchName },
    #[error("branch {branch} is gone; bring it back with the work on it, then submit again")]
    Gone { branch: BranchName },
    #[error("branch {branch} shares no history with {base}; rebase the work onto {base}, then submit again")]
    Unrelated { branch: BranchName, base: String },
    #[error(
        "compared with {base}, commits of {branch} that are not in {usual} would go unreviewed; leave base out, or name {usual}"
    )]
    HidesCommits { branch: BranchName, base: String, usual: String },
    #[error("there is no base {base}; name a branch or commit that exists")]
    NoBase { base: String },
    #[error("there is nothing to compare {branch} with; name the branch or commit it began at as its base")]
    BaseUnknown { branch: BranchName },
    #[error("branch {branch} has no commits that {base} does not have; commit the work first, then submit")]
    NoWork { branch: BranchName, base: String },
    #[error("branch {branch} ends with the same files as {base}; commit the work first, then submit")]
    NoDifference { branch: BranchName, base: String },
    /// The repository could not be read. What is said is for whoever runs it.
    #[error("the repository cannot be read: {0}")]
    Unreadable(String),
}

fn alternatives(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!(" (there is {})", names.join(", ")) }
}

impl BranchName {
    pub fn parse(text: &str) -> Result<BranchName, Invalid> {
        match fault(text) {
            None => Ok(BranchName(text.to_owned())),
            Some(reason) => Err(Invalid::new("branch_name", reason)),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What is wrong with it as the name of a branch, if anything is.
fn fault(name: &str) -> Option<String> {
    let said = |reason: &str| Some(reason.to_owned());
    if name.is_empty() {
        return said("is missing");
    }
    if name.len() > LONGEST {
        return Some(format!("is longer than {LONGEST} characters"));
    }
    if name == "HEAD" || name == "@" {
        return said("is not the name of a branch");
    }
    if name.starts_with("refs/") {
        return said("is a whole ref; leave refs/heads/ out");
    }
    if name.starts_with('-') {
        return said("may not begin with `-`");
    }
    if let Some(c) = name.chars().find(|c| is_forbidden(*c)) {
        return Some(format!("holds {c:?}, which no branch may"));
    }
    if name.contains("..") || name.contains("@{") {
        return said("may not hold `..` or `@{`");
    }
    if name.ends_with('.') {
        return said("may not end with `.`");
    }
    let is_bad = |part: &str| part.is_empty() || part.starts_with('.') || part.ends_with(".lock");
    if name.split('/').any(is_bad) {
        return said("has a part between its `/` that is empty, begins with `.` or ends with `.lock`");
    }
    None
}

fn is_forbidden(c: char) -> bool {
    c.is_control()
        || c.is_whitespace()
        || crate::text::is_invisible(c)
        || matches!(c, '~' | '^' | ':' | '?' | '*' | '[' | '\\')
}

impl fmt::Display for BranchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for BranchName {
    /// Why not. Which field of what it was read from, the reader knows better.
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        BranchName::parse(&text).map_err(|invalid| invalid.reason)
    }
}

impl From<BranchName> for String {
    fn from(branch: BranchName) -> String {
        branch.0
    }
}
