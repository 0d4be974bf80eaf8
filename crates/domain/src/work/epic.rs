use serde::Deserialize;

use crate::config::{ConfigError, from_yaml};

/// What a review needs to know of an epic. Keys it does not use are left alone: they belong to whoever
/// runs the epic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Epic {
    pub path: String,
    pub id: String,
    pub title: String,
    pub function_profiles: Vec<FunctionProfile>,
}

/// A function the epic's tickets agreed on.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct FunctionProfile {
    pub name: String,
    pub arity: u32,
    #[serde(default)]
    pub intent: String,
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

#[derive(Default, Deserialize)]
struct Coordination {
    #[serde(default)]
    function_profiles: Vec<FunctionProfile>,
}

impl Epic {
    pub fn parse(path: &str, text: &str) -> Result<Epic, ConfigError> {
        let document: Document = from_yaml(path, text, EXAMPLE)?;
        Ok(Epic {
            path: path.to_owned(),
            id: document.id,
            title: document.title,
            function_profiles: document.coordination_requirements.function_profiles,
        })
    }
}
