use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What stands behind an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BrainKind {
    /// The built-in rules. They review, and cannot write code.
    Rules,
    /// A model that is called. It reviews, and cannot write code.
    Model,
    Claude,
    Codex,
    Gemini,
    Opencode,
    Goose,
    /// Any program: the prompt on standard input, the answer on standard output.
    Command,
    /// Any program that speaks the Agent Client Protocol.
    Acp,
}

impl BrainKind {
    /// As it is written in `countersign.yaml`.
    pub fn name(self) -> &'static str {
        match self {
            BrainKind::Rules => "rules",
            BrainKind::Model => "model",
            BrainKind::Claude => "claude",
            BrainKind::Codex => "codex",
            BrainKind::Gemini => "gemini",
            BrainKind::Opencode => "opencode",
            BrainKind::Goose => "goose",
            BrainKind::Command => "command",
            BrainKind::Acp => "acp",
        }
    }
}

/// How a coding agent that writes code is spoken to. Reviewers are asked by their command lines, which know schemas.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// Through the Agent Client Protocol where a program that speaks it is installed, else by its command line.
    #[default]
    Auto,
    /// Through the Agent Client Protocol, or not at all. `command` names the program that speaks it.
    Acp,
    /// By the command line of the agent.
    Cli,
}

/// How models are asked. Where they are and their keys come from the environment alone, and which ones does too unless an
/// agent names its own: `CODE_REVIEW_LLM_MODEL_PRIORITY`, `ANTHROPIC_API_KEY` and so on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ModelPolicy {
    pub mode: ReviewMode,
    /// Tokens of one question, all included.
    pub context_tokens: u32,
    pub output_tokens: u32,
    /// A change of more tokens than this is explored by the model instead of being sent to it.
    pub linear_tokens: u32,
    /// Questions asked at the same time.
    pub parallel: u32,
    /// Seconds for a whole review, waiting included.
    pub timeout: u32,
    /// Whether a linear review that failed is tried again as an agentic one.
    pub recovery: bool,
    /// Whether each must-fix finding is put to a fresh call that tries to refute it.
    pub verify: bool,
    /// How many of the models review; a finding counts when more than half of them have it.
    pub consensus: u32,
    /// Turns of the act loop.
    pub iterations: u32,
    /// Whether the review of an identical request is reused.
    pub cache: bool,
    pub budget: Budget,
    /// By `provider:model`.
    pub prices: BTreeMap<String, Price>,
    /// Programs that look at files of the change, by name: those with a `format` in every review, the others for a model
    /// that explores and asks for them.
    pub linters: BTreeMap<String, Linter>,
}

/// A program that looks at files and says what is wrong with them. It is run without a shell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Linter {
    /// The program, found on `PATH` or by its absolute path, and its first arguments. The files come after them.
    pub command: Vec<String>,
    /// Seconds for one run.
    #[serde(default = "Linter::usual_timeout")]
    pub timeout: u32,
    /// Globs of the files it is for; all if there are none. One without a slash is matched in every folder.
    #[serde(default)]
    pub files: Vec<String>,
    /// How to read what it prints. One with a format is run in every review, and what it says about lines that the change
    /// added are findings.
    #[serde(default)]
    pub format: LinterFormat,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LinterFormat {
    /// For a model to read.
    #[default]
    Text,
    /// SARIF 2.1.0 on standard output.
    Sarif,
    /// `path:line: message` or `path:line:column: message`, a line each.
    Lines,
    /// What `eslint --format json` prints.
    Eslint,
    /// What a formatter prints that only checks: the files it would write otherwise, or a diff of them.
    Formatter,
}

impl Linter {
    fn usual_timeout() -> u32 {
        60
    }
}

/// How a model reviews.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReviewMode {
    /// Linear, unless the change is too large for it or it failed.
    #[default]
    Auto,
    /// One structured answer for each bundle of hunks: `LINEAR_DETERMINISTIC`.
    Linear,
    /// The model explores with tools that we run: `AGENTIC_ACT_LOOP`.
    Agentic,
}

/// What may be spent. 0 sets no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Budget {
    pub tokens_per_review: u64,
    pub cents_per_review: u64,
    pub tokens_per_task: u64,
    pub cents_per_task: u64,
    pub tokens_per_day: u64,
    pub cents_per_day: u64,
}

/// In US cents for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Price {
    pub input_cents: u64,
    pub output_cents: u64,
}

/// Whether a reviewer's process has to be confined by the kernel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Sandbox {
    /// As far as the kernel can; the report says where it cannot.
    #[default]
    Preferred,
    /// Nothing is run that cannot be confined.
    Required,
    /// Not at all; the report says so.
    Off,
}

impl Default for ModelPolicy {
    fn default() -> Self {
        ModelPolicy {
            mode: ReviewMode::Auto,
            context_tokens: 32_000,
            output_tokens: 8_000,
            linear_tokens: 400_000,
            parallel: 4,
            timeout: 900,
            recovery: true,
            verify: false,
            consensus: 1,
            iterations: 30,
            cache: true,
            budget: Budget::default(),
            prices: BTreeMap::new(),
            linters: BTreeMap::new(),
        }
    }
}

impl ModelPolicy {
    /// What is wrong with it, for whoever wrote it down.
    pub(super) fn check(&self) -> Result<(), String> {
        let numbers = [
            ("context_tokens", self.context_tokens),
            ("output_tokens", self.output_tokens),
            ("parallel", self.parallel),
            ("timeout", self.timeout),
            ("consensus", self.consensus),
            ("iterations", self.iterations),
        ];
        match numbers.iter().find(|(_, value)| *value == 0) {
            Some((key, _)) => Err(format!("model.{key} is 0; use 1 or more")),
            None => self.check_linters(),
        }
    }

    fn check_linters(&self) -> Result<(), String> {
        for (name, linter) in &self.linters {
            let place = format!("model.linters.{name}");
            let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
            if name.is_empty() || name.len() > 64 || !name.chars().all(is_plain) {
                return Err(format!("{place}: a name has letters, digits, `_` and `-`, 64 at most"));
            }
            let program = linter.command.first().map_or("", String::as_str);
            if program.is_empty() {
                return Err(format!("{place}.command: a program has to be named"));
            }
            refuse_relative(&format!("{place}.command"), program)?;
            if linter.timeout == 0 {
                return Err(format!("{place}.timeout: it needs at least a second"));
            }
        }
        Ok(())
    }
}

/// A program named by a relative path would be a file of the change under review, which must not choose what is run.
pub(super) fn refuse_relative(key: &str, program: &str) -> Result<(), String> {
    if program.contains('/') && !program.starts_with('/') {
        return Err(format!(
            "{key}: `{program}` would be a file of the change; name a program on PATH, or one by its absolute path"
        ));
    }
    Ok(())
}
