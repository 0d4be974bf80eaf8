use schemars::JsonSchema;
use serde::Serialize;

use super::forms::{INSIDE, Listed, Prohibitions, Statements, WORDS};
use crate::config::ConfigError;

/// What a review needs to know of an epic; the whole of one is an [`EpicDocument`](crate::epic::EpicDocument).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Epic {
    pub path: String,
    pub id: String,
    pub title: String,
    pub coordination: Coordination,
}

/// What the tickets of an epic agreed on, so that their work fits together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(default, deny_unknown_fields)]
pub struct Coordination {
    #[schemars(with = "Listed<FunctionProfile>")]
    pub function_profiles: Vec<FunctionProfile>,
    /// Where new files belong. Empty: anywhere.
    #[schemars(with = "Listed<Directory>")]
    pub directory_structure: Vec<Directory>,
    #[schemars(with = "Listed<SharedInterface>")]
    pub shared_interfaces: Vec<SharedInterface>,
    /// What existing callers rely on. Empty: nothing is promised to them.
    #[schemars(with = "Prohibitions")]
    pub breaking_changes_prohibited: Vec<ProhibitedChange>,
    #[schemars(with = "Statements")]
    pub performance_contracts: Vec<String>,
    #[schemars(with = "Statements")]
    pub security_constraints: Vec<String>,
    #[schemars(with = "Statements")]
    pub architectural_decisions: Vec<String>,
}

/// A function the epic's tickets agreed on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FunctionProfile {
    #[schemars(regex(pattern = WORDS))]
    pub name: String,
    #[schemars(range(max = 255))]
    pub arity: u32,
    #[schemars(default)]
    pub intent: String,
}

/// A place for new files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Directory {
    /// A folder, a file, or a glob, from the root of the repository.
    #[schemars(regex(pattern = INSIDE))]
    pub path: String,
    #[schemars(default)]
    pub purpose: String,
}

/// A type that several tickets build on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SharedInterface {
    #[schemars(regex(pattern = WORDS))]
    pub name: String,
    #[schemars(default)]
    pub description: String,
}

/// What must not be broken. With neither paths nor symbols everything public is meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ProhibitedChange {
    /// In words.
    #[schemars(regex(pattern = WORDS))]
    pub what: String,
    /// Files whose public functions keep name and parameters: globs.
    #[schemars(default, inner(regex(pattern = WORDS)))]
    pub paths: Vec<String>,
    /// Functions and types, by name or `Type.name`.
    #[schemars(default, inner(regex(pattern = WORDS)))]
    pub symbols: Vec<String>,
}

impl Epic {
    /// From any epic, also one that cannot be run: what is not for reviewers is not looked at.
    pub fn parse(path: &str, text: &str) -> Result<Epic, ConfigError> {
        crate::epic::read::for_review(path, text)
    }
}
