use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ConfigError, from_yaml};
use crate::cycle::Limits;
use crate::gate::GatePolicy;
use crate::review::SuppressionPolicy;
use crate::words::Severity;

/// Where the policy lives, at the root of the repository.
pub const FILE_NAME: &str = "countersign.yaml";

/// What `countersign init` writes: every key with its default and what it is for.
pub const TEMPLATE: &str = include_str!("template.yaml");

/// The whole of `countersign.yaml`. Read from the base commit, so that a change cannot loosen its own gate.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    pub gate: GatePolicy,
    pub rules: RulesPolicy,
    pub suppressions: SuppressionPolicy,
    pub limits: Limits,
}

/// Changes to the built-in rules, by rule id.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RulesPolicy {
    /// Rules that are not applied.
    pub disable: Vec<String>,
    /// Severities other than the rules' own.
    pub severity: BTreeMap<String, Severity>,
}

impl Config {
    /// `file` is how errors call it. An empty document is the default policy.
    pub fn parse(file: &str, text: &str) -> Result<Config, ConfigError> {
        Config::parse_with(file, text, |_| None)
    }

    /// As [`Config::parse`], with every scalar also settable from outside: `gate.overall` is
    /// `COUNTERSIGN_GATE_OVERALL`. The operator's environment wins over the file.
    pub fn parse_with(
        file: &str,
        text: &str,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Config, ConfigError> {
        let blank = text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'));
        let config: Config = if blank { Config::default() } else { from_yaml(file, text)? };
        let config = config.overlaid(&variable)?;
        let unfit =
            |bad: String| ConfigError::new(file, bad, "see the comments in `countersign init --stdout`");
        config.gate.validate().map_err(|bad| unfit(bad.to_string()))?;
        config.limits.validate().map_err(|bad| unfit(bad.to_string()))?;
        Ok(config)
    }

    /// The environment variables that are understood, with the values in force.
    pub fn variables(&self) -> Vec<(String, String)> {
        let mut leaves = Vec::new();
        if let Ok(value) = serde_json::to_value(self) {
            collect_leaves("COUNTERSIGN", &value, &mut leaves);
        }
        leaves
    }

    fn overlaid(self, variable: &dyn Fn(&str) -> Option<String>) -> Result<Config, ConfigError> {
        let Ok(mut value) = serde_json::to_value(&self) else { return Ok(self) };
        let mut last = None;
        overlay("COUNTERSIGN", &mut value, variable, &mut last);
        let Some(name) = last else { return Ok(self) };
        serde_json::from_value(value).map_err(|error| {
            ConfigError::new(
                &format!("environment ({name})"),
                error.to_string(),
                "unset the variable or give it a value that countersign.yaml would accept",
            )
        })
    }
}

fn name_below(prefix: &str, key: &str) -> String {
    format!("{prefix}_{}", key.to_ascii_uppercase().replace('-', "_"))
}

fn collect_leaves(name: &str, value: &serde_json::Value, leaves: &mut Vec<(String, String)>) {
    match value {
        serde_json::Value::Object(fields) => {
            for (key, value) in fields {
                collect_leaves(&name_below(name, key), value, leaves);
            }
        }
        serde_json::Value::String(text) => leaves.push((name.to_owned(), text.clone())),
        serde_json::Value::Array(items) => {
            let items: Vec<_> = items.iter().filter_map(serde_json::Value::as_str).collect();
            leaves.push((name.to_owned(), items.join(",")));
        }
        scalar => leaves.push((name.to_owned(), scalar.to_string())),
    }
}

fn overlay(
    name: &str,
    value: &mut serde_json::Value,
    variable: &dyn Fn(&str) -> Option<String>,
    last: &mut Option<String>,
) {
    if let serde_json::Value::Object(fields) = value {
        for (key, value) in fields {
            overlay(&name_below(name, key), value, variable, last);
        }
        return;
    }
    let Some(text) = variable(name) else { return };
    *last = Some(name.to_owned());
    *value = match value {
        serde_json::Value::Array(_) => text
            .split(',')
            .map(str::trim)
            .filter(|item| !item.is_empty())
            .map(serde_json::Value::from)
            .collect(),
        serde_json::Value::String(_) => text.into(),
        _ => serde_json::from_str(&text).unwrap_or(serde_json::Value::String(text)),
    };
}
