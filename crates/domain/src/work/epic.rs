use serde::Deserialize;

use crate::config::{ConfigError, from_yaml};

/// What a review needs to know of an epic. Keys it does not use are left alone: they belong to whoever
/// runs the epic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Epic {
    pub path: String,
    pub id: String,
    pub title: String,
    pub coordination: Coordination,
}

/// What the tickets of an epic agreed on, so that their work fits together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Coordination {
    pub function_profiles: Vec<FunctionProfile>,
    /// Where new files belong. Empty: anywhere.
    pub directory_structure: Vec<Directory>,
    pub shared_interfaces: Vec<SharedInterface>,
    /// What existing callers rely on. Empty: nothing is promised to them.
    pub breaking_changes_prohibited: Vec<ProhibitedChange>,
    pub performance_contracts: Vec<String>,
    pub security_constraints: Vec<String>,
    pub architectural_decisions: Vec<String>,
}

/// A function the epic's tickets agreed on.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct FunctionProfile {
    pub name: String,
    pub arity: u32,
    #[serde(default)]
    pub intent: String,
}

/// A place for new files.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Directory {
    /// A folder, a file, or a glob, from the root of the repository.
    pub path: String,
    #[serde(default)]
    pub purpose: String,
}

/// A type that several tickets build on.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct SharedInterface {
    pub name: String,
    #[serde(default)]
    pub description: String,
}

/// What must not be broken. With neither paths nor symbols everything public is meant.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ProhibitedChange {
    /// In words.
    pub what: String,
    /// Files whose public functions keep name and parameters: globs.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Functions and types, by name or `Type.name`.
    #[serde(default)]
    pub symbols: Vec<String>,
}

const EXAMPLE: &str = "an epic has an `id`, and under `coordination_requirements` a list `function_profiles` of \
                       `{ name: ..., arity: ... }`";

#[derive(Deserialize)]
struct Document {
    id: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    coordination_requirements: Coordination,
}

impl Epic {
    pub fn parse(path: &str, text: &str) -> Result<Epic, ConfigError> {
        let document: Document = from_yaml(path, text, EXAMPLE)?;
        Ok(Epic {
            path: path.to_owned(),
            id: document.id,
            title: document.title,
            coordination: document.coordination_requirements,
        })
    }
}
