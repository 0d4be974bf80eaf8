use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the loop between reviewer and fixer goes about it. How often is for `limits` to say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LoopPolicy {
    /// `rules`, `model` or an agent.
    pub reviewer: String,
    /// `rules` or an agent.
    pub fixer: String,
    /// Where findings documents are written: relative to the root of the repository, or absolute.
    pub documents: String,
    /// A shell command that has to succeed after each fix. Empty for none.
    pub test_command: String,
    /// A shell command whose last number is the coverage in percent. Empty for none.
    pub coverage_command: String,
    pub coverage_minimum: u8,
    /// Seconds for each of the two commands.
    pub command_timeout: u32,
    /// Names of variables that the two commands may see besides those every program gets.
    pub environment: Vec<String>,
    /// How often a fixer that crashed, or whose work was refused, is started again in one round.
    pub fixer_retries: u32,
    pub early_stop: EarlyStop,
    pub late_findings: LateFindings,
}

/// What to do about a loop that leads nowhere before its rounds are used up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EarlyStop {
    /// A human is asked at once.
    #[default]
    Escalate,
    /// The rounds are used up.
    Never,
}

/// What becomes of a finding that an earlier round could have had: new, below CRITICAL, on lines that nobody touched
/// since.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LateFindings {
    /// It counts as any other.
    #[default]
    Block,
    /// It is recorded, and keeps nothing from passing.
    Advise,
}

const LONGEST_COMMAND_SECONDS: u32 = 24 * 60 * 60;
const MOST_RETRIES: u32 = 20;

impl Default for LoopPolicy {
    fn default() -> Self {
        LoopPolicy {
            reviewer: "rules".to_owned(),
            fixer: "rules".to_owned(),
            documents: "docs/progress".to_owned(),
            test_command: String::new(),
            coverage_command: String::new(),
            coverage_minimum: 80,
            command_timeout: 1800,
            environment: Vec::new(),
            fixer_retries: 2,
            early_stop: EarlyStop::default(),
            late_findings: LateFindings::default(),
        }
    }
}

impl LoopPolicy {
    pub(super) fn validate(&self) -> Result<(), String> {
        let within = |name: &str, value: u32, least: u32, most: u32| match (least..=most).contains(&value) {
            true => Ok(()),
            false => Err(format!("loop.{name} is {value}; use {least} to {most}")),
        };
        within("coverage_minimum", self.coverage_minimum.into(), 0, 100)?;
        within("command_timeout", self.command_timeout, 1, LONGEST_COMMAND_SECONDS)?;
        within("fixer_retries", self.fixer_retries, 0, MOST_RETRIES)?;
        match self.documents.trim().is_empty() {
            true => Err("loop.documents is empty; it has to name a folder".to_owned()),
            false => Ok(()),
        }
    }
}
