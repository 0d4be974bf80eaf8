use std::time::Duration;

use domain::review::Usage;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One question to a model: everything it may know, since nothing is remembered between calls.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Call {
    pub system: String,
    pub messages: Vec<Message>,
    /// The shape of the answer. Sent where the provider understands it, checked in any case.
    pub schema: Option<Schema>,
    pub tools: Vec<Tool>,
    pub max_output_tokens: u32,
    /// The random marker that fences off foreign text in this call, or nothing. Two calls that differ in it
    /// alone are the same question.
    pub fence: String,
    /// Models that are not asked this, by name: what they said to it before could not be read.
    pub passing_over: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    User(String),
    Assistant {
        text: String,
        tool_calls: Vec<ToolCall>,
    },
    /// One for each call of the message before.
    ToolResults(Vec<ToolResult>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    pub name: &'static str,
    pub schema: Value,
}

/// Something a model may ask us to do. It is we who do it, or refuse.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    pub name: String,
    pub description: String,
    /// A JSON schema of the arguments.
    pub input: Value,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    pub id: String,
    pub name: String,
    pub arguments: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult {
    /// Of the call it answers.
    pub id: String,
    pub content: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub text: String,
    pub tool_calls: Vec<ToolCall>,
    pub ended: Ended,
    /// `provider:model`, as it answered: of several that were tried, the one that did.
    pub model: String,
    pub usage: Usage,
    /// Whether it was given to the identical question before, and cost nothing now.
    pub cached: bool,
}

/// How an answer came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The model had said all it wanted to, or waits for its tools.
    Complete,
    /// It ran into the limit of output tokens.
    CutOff,
    /// It would not answer, or the provider would not let it.
    Refused,
}

/// Why there is no answer. None of these texts holds a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    #[error("{model} is limiting its rate{}", in_words(*.retry_after))]
    RateLimited { model: String, retry_after: Option<Duration> },
    #[error("{model} did not answer in time")]
    TimedOut { model: String },
    #[error("{model} refused our credentials: {reason}")]
    Unauthorised { model: String, reason: String },
    /// More tokens than the model can take.
    #[error("the question is too large for {model}: {reason}")]
    TooLarge { model: String, reason: String },
    #[error("{model} failed: {reason}")]
    Failed { model: String, reason: String },
    /// Nothing was sent.
    #[error("{0}")]
    OverBudget(String),
    /// Nothing was sent.
    #[error("{0}")]
    NotConfigured(String),
}

fn in_words(retry_after: Option<Duration>) -> String {
    match retry_after {
        Some(wait) => {
            format!(" and asks to wait {} s, longer than the time that is left", wait.as_secs().max(1))
        }
        None => ", and the time for this review is up".to_owned(),
    }
}

/// Answers questions.
pub trait Mind: Send + Sync {
    /// For logs and reports: `model`, or the names of the models behind it.
    fn name(&self) -> String;

    /// By name, those that may answer, in the order in which they are asked.
    fn models(&self) -> Vec<String> {
        vec![self.name()]
    }

    /// The caller may drop the future: nothing is kept waiting, and nothing is counted twice.
    fn ask(&self, call: &Call) -> impl Future<Output = Result<Answer, CallError>> + Send;
}
