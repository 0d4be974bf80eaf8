use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    AgentEntry, ConfigError, ConnectPolicy, LoopPolicy, ModelPolicy, Safeguards, Sandbox, TaskPolicy,
    from_yaml,
};
use crate::cycle::Limits;
use crate::gate::GatePolicy;
use crate::review::{SuppressionPolicy, names};
use crate::text::nearest;
use crate::words::Severity;

/// Where the policy lives, at the root of the repository.
pub const FILE_NAME: &str = "countersign.yaml";

/// What `countersign init` writes: every key with its default and what it is for.
pub const TEMPLATE: &str = include_str!("template.yaml");

const EXAMPLE: &str = "`countersign init --stdout` prints a commented example that is valid";

/// The whole of `countersign.yaml`. Read from the base commit, so that a change cannot loosen its own gate.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    pub gate: GatePolicy,
    pub rules: RulesPolicy,
    pub suppressions: SuppressionPolicy,
    pub limits: Limits,
    /// As written; [`Config::agents`] says which agents there are.
    pub agents: Vec<AgentEntry>,
    pub task: TaskPolicy,
    pub safeguards: Safeguards,
    pub model: ModelPolicy,
    /// For coding agents that review or write code.
    pub sandbox: Sandbox,
    /// People who may call the tools; [`Config::callers`] says who else.
    pub people: Vec<String>,
    /// Of review, fix, review again.
    #[serde(rename = "loop")]
    pub story_loop: LoopPolicy,
    /// The way to forges, trackers and wikis.
    pub connect: ConnectPolicy,
}

/// Changes to rules, by rule id: the built-in ones, those of the project, and as `tool/rule` or `tool/*` those of other
/// programs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RulesPolicy {
    /// Rules that are not applied.
    pub disable: Vec<String>,
    /// Severities other than the rules' own.
    pub severity: BTreeMap<String, Severity>,
}

impl RulesPolicy {
    pub fn disables(&self, rule: &str) -> bool {
        self.disable.iter().any(|named| names(named, rule))
    }

    /// The severity that is wanted for a rule, if it is not its own. What names the rule itself counts before what names
    /// all of a program.
    pub fn severity_of(&self, rule: &str) -> Option<Severity> {
        let exact = self.severity.get(rule);
        exact
            .or_else(|| self.by_name(rule, |named| !named.ends_with('*')))
            .or_else(|| self.by_name(rule, |_| true))
            .copied()
    }

    fn by_name(&self, rule: &str, fits: impl Fn(&str) -> bool) -> Option<&Severity> {
        self.severity
            .iter()
            .find(|(named, _)| fits(named) && names(named, rule))
            .map(|(_, severity)| severity)
    }
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
        let config: Config = if blank { Config::default() } else { from_yaml(file, text, EXAMPLE)? };
        let config = config.overlaid(&variable)?;
        let unfit = |bad: String| ConfigError::new(file, bad, EXAMPLE);
        config.gate.validate().map_err(|bad| unfit(bad.to_string()))?;
        config.limits.validate().map_err(|bad| unfit(bad.to_string()))?;
        config.check_agents().map_err(unfit)?;
        config.story_loop.validate().map_err(unfit)?;
        config.model.check().map_err(unfit)?;
        config.check_people().map_err(unfit)?;
        config.connect.check().map_err(unfit)?;
        Ok(config)
    }

    /// The environment variables that are understood.
    pub fn variables() -> Vec<String> {
        let mut names = Vec::new();
        if let Ok(serde_json::Value::Object(sections)) = serde_json::to_value(Config::default()) {
            sections
                .iter()
                .for_each(|(key, value)| collect_names(&name_below("COUNTERSIGN", key), value, &mut names));
        }
        names
    }

    /// An error for the first of `names` that looks like a setting of this file and is none: most likely a
    /// typing error, and a gate that would silently stay looser than somebody wanted.
    pub fn unknown_variable<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<ConfigError> {
        // Not TASK: programs that are given a task may be told about it in variables of that name.
        const SECTIONS: [&str; 10] = [
            "GATE",
            "RULES",
            "SUPPRESSIONS",
            "LIMITS",
            "AGENTS",
            "SAFEGUARDS",
            "MODEL",
            "SANDBOX",
            "LOOP",
            "CONNECT",
        ];
        let known = Config::variables();
        let is_setting = |name: &str| {
            let rest = name.strip_prefix("COUNTERSIGN_");
            rest.is_some_and(|rest| SECTIONS.iter().any(|section| rest.starts_with(section)))
        };
        let unknown =
            names.into_iter().find(|name| is_setting(name) && !known.iter().any(|known| known == name))?;
        let hint = match nearest(unknown, known.iter().map(String::as_str)) {
            Some(nearest) => format!("did you mean {nearest}?"),
            None => format!("the settings are {}", known.join(", ")),
        };
        Some(ConfigError::new("environment", format!("{unknown} is not a setting"), hint))
    }

    fn overlaid(self, variable: &dyn Fn(&str) -> Option<String>) -> Result<Config, ConfigError> {
        let Ok(mut value) = serde_json::to_value(&self) else { return Ok(self) };
        let mut last = None;
        if let serde_json::Value::Object(sections) = &mut value {
            for (key, section) in sections {
                overlay(&name_below("COUNTERSIGN", key), section, variable, &mut last);
            }
        }
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

fn collect_names(name: &str, value: &serde_json::Value, names: &mut Vec<String>) {
    names.push(name.to_owned());
    if let serde_json::Value::Object(fields) = value {
        fields.iter().for_each(|(key, value)| collect_names(&name_below(name, key), value, names));
    }
}

/// A variable may set a single value, a list (`a,b` or JSON) or, as JSON, a whole section.
fn overlay(
    name: &str,
    value: &mut serde_json::Value,
    variable: &dyn Fn(&str) -> Option<String>,
    last: &mut Option<String>,
) {
    if let Some(text) = variable(name) {
        *last = Some(name.to_owned());
        *value = match value {
            serde_json::Value::Array(_) => list(&text),
            serde_json::Value::String(_) => text.into(),
            _ => serde_json::from_str(&text).unwrap_or(serde_json::Value::String(text)),
        };
    }
    if let serde_json::Value::Object(fields) = value {
        for (key, value) in fields {
            overlay(&name_below(name, key), value, variable, last);
        }
    }
}

fn list(text: &str) -> serde_json::Value {
    let json = text.trim_start().starts_with('[').then(|| serde_json::from_str(text));
    if let Some(Ok(list)) = json {
        return list;
    }
    text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(serde_json::Value::from).collect()
}
