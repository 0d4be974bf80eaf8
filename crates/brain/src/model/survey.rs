//! What the environment says about models, for people. No value of a key is in it.

use domain::config::ModelPolicy;

use super::priority::{self, MODEL_PRIORITY};
use super::provider::PROVIDERS;

/// One entry of the list of models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// As it was written.
    pub entry: String,
    /// What it is called where it is (without a key), or why it cannot be asked.
    pub usable: Result<String, String>,
}

/// Every entry of the list by itself: one that cannot be used hides none of the others.
pub fn listed_models(variable: impl Fn(&str) -> Option<String>, policy: &ModelPolicy) -> Vec<Listed> {
    let list = variable(MODEL_PRIORITY).unwrap_or_default();
    let entries = list.split(',').map(str::trim).filter(|entry| !entry.is_empty());
    let listed = |entry: &str| {
        let alone = |name: &str| match name {
            MODEL_PRIORITY => Some(entry.to_owned()),
            _ => variable(name),
        };
        let usable = priority::targets(&alone, policy)
            .map(|targets| targets.first().map(super::target::Target::identity).unwrap_or_default());
        Listed { entry: entry.to_owned(), usable }
    };
    entries.map(listed).collect()
}

/// The variables that may hold a key of a model provider.
pub fn key_variables() -> Vec<&'static str> {
    let mut names: Vec<_> = PROVIDERS.iter().flat_map(|provider| provider.keys).copied().collect();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_entry_is_judged_by_itself_and_no_key_is_told() {
        let variable = |name: &str| match name {
            MODEL_PRIORITY => Some("anthropic:a, openai:b,nonsense:c".to_owned()),
            "ANTHROPIC_API_KEY" => Some("sk-secret".to_owned()),
            _ => None,
        };
        let listed = listed_models(variable, &ModelPolicy::default());
        let usable: Vec<_> = listed.iter().map(|listed| listed.usable.is_ok()).collect();
        assert_eq!(usable, [true, false, false]);
        assert!(!format!("{listed:?}").contains("sk-secret"));
        assert!(key_variables().contains(&"GEMINI_API_KEY"));
    }
}
