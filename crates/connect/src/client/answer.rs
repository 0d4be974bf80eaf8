use domain::ports::PortError;
use rmcp::model::CallToolResult;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::refusal::unreadable;
use super::secrets::Secrets;

/// What a tool answered, within its bounds.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Structured where the server has it so, else parsed from text.
    structured: Option<Value>,
    text: String,
    /// What must not be said about it.
    secrets: Secrets,
}

impl Answer {
    pub(super) fn of(
        result: &CallToolResult,
        largest: usize,
        secrets: &Secrets,
    ) -> Result<Answer, PortError> {
        let mut text = String::new();
        for part in result.content.iter().filter_map(|part| part.as_text()) {
            if text.len() + part.text.len() > largest {
                return Err(unreadable("", &format!("the answer is longer than {largest} bytes")));
            }
            text.push_str(&part.text);
        }
        let structured = result.structured_content.clone().or_else(|| serde_json::from_str(&text).ok());
        Ok(Answer { structured, text, secrets: secrets.clone() })
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn value(&self) -> Option<&Value> {
        self.structured.as_ref()
    }

    /// As the shape a profile expects. FastMCP wraps what is no object in `result`.
    pub fn read<T: DeserializeOwned>(&self, action: &str) -> Result<T, PortError> {
        let wrapped = self.structured.as_ref().and_then(|value| match value.as_object() {
            Some(fields) if fields.len() == 1 => fields.get("result"),
            Some(_) | None => None,
        });
        let wrapped = wrapped.map(|value| match value.as_str() {
            Some(text) => serde_json::from_str(text).unwrap_or_else(|_| value.clone()),
            None => value.clone(),
        });
        let value = wrapped.or_else(|| self.structured.clone());
        let Some(value) = value else { return Err(unreadable(action, "the answer is not JSON")) };
        serde_json::from_value(value).map_err(|error| {
            let error = self.secrets.mask(&error.to_string());
            unreadable(action, &format!("the answer has another shape: {error}"))
        })
    }
}
