//! Answers that were given before. The identical question is not paid for twice.

mod folder;
mod key;

#[cfg(test)]
mod tests;

use std::time::Duration;

use domain::review::Usage;
use serde_json::Value;

use crate::call::{Answer, Call, CallError, Ended, Mind};
use crate::json_schema::Validator;

pub use folder::CacheFolder;

/// A mind that remembers.
///
/// Kept is only what can be used again: a complete answer, and in the shape that was asked for. One that fails
/// its schema is asked for anew the next time, or a review that failed once would fail for ever.
#[derive(Debug)]
pub struct CachedMind<M> {
    mind: M,
    folder: CacheFolder,
    scope: String,
}

impl<M: Mind> CachedMind<M> {
    /// `scope` is whatever determines the answer beside the call: which models, and where they are.
    pub fn new(mind: M, folder: CacheFolder, scope: impl Into<String>) -> Self {
        CachedMind { mind, folder, scope: scope.into() }
    }
}

impl<M: Mind> Mind for CachedMind<M> {
    fn name(&self) -> String {
        self.mind.name()
    }

    fn models(&self) -> Vec<String> {
        self.mind.models()
    }

    async fn ask(&self, call: &Call) -> Result<Answer, CallError> {
        let key = key::of(call, &self.scope);
        let folder = self.folder.clone();
        let sought = key.clone();
        let found = tokio::task::spawn_blocking(move || folder.read(&sought)).await.ok().flatten();
        if let Some(kept) = found {
            return Ok(kept.into_answer(&call.fence));
        }
        let answer = self.mind.ask(call).await?;
        if is_worth_keeping(call, &answer) {
            let folder = self.folder.clone();
            let kept = folder::Kept::from_answer(&answer, &call.fence);
            // A cache that cannot be written is no reason to lose an answer.
            let _ = tokio::task::spawn_blocking(move || folder.write(&key, &kept)).await;
        }
        Ok(answer)
    }
}

fn is_worth_keeping(call: &Call, answer: &Answer) -> bool {
    if answer.cached || answer.ended != Ended::Complete {
        return false;
    }
    match &call.schema {
        Some(schema) if answer.tool_calls.is_empty() => serde_json::from_str::<Value>(&answer.text)
            .is_ok_and(|value| fits(&schema.schema, &value) && !objects_to_nothing(&value)),
        Some(_) | None => true,
    }
}

fn fits(schema: &Value, value: &Value) -> bool {
    Validator::new(schema).is_some_and(|validator| validator.errors(value).is_empty())
}

/// A reviewer that says "fail" and not why is asked anew the next time.
fn objects_to_nothing(report: &Value) -> bool {
    let nothing = report.get("findings").and_then(Value::as_array).is_some_and(Vec::is_empty);
    nothing && report.get("verdict").and_then(Value::as_str) == Some("fail")
}

impl folder::Kept {
    fn into_answer(self, fence: &str) -> Answer {
        Answer {
            text: key::with_fence(&self.text, fence),
            tool_calls: self.tool_calls,
            ended: Ended::Complete,
            model: self.model,
            usage: Usage::default(),
            cached: true,
        }
    }

    fn from_answer(answer: &Answer, fence: &str) -> folder::Kept {
        folder::Kept {
            text: key::without_fence(&answer.text, fence),
            tool_calls: answer.tool_calls.clone(),
            model: answer.model.clone(),
        }
    }
}

/// Older answers are not used: the model behind a name changes.
const LONGEST_KEPT: Duration = Duration::from_secs(30 * 24 * 3600);
