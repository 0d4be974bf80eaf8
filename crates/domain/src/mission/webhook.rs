use serde_json::Value;

use crate::forge::IssueKey;
use crate::text::short_line;

/// What Jira sends when a ticket is created or changed, as far as a mission needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JiraWebhook {
    pub key: IssueKey,
    /// `jira:issue_updated` and its like.
    pub event: String,
    /// Empty if the payload has none, or has it as a document: then the ticket is asked, whose server gives text.
    pub description: String,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this is no webhook of Jira: {0}")]
pub struct BadWebhook(String);

impl JiraWebhook {
    pub fn parse(payload: &[u8]) -> Result<JiraWebhook, BadWebhook> {
        let payload: Value =
            serde_json::from_slice(payload).map_err(|error| BadWebhook(error.to_string()))?;
        let issue = payload.get("issue").ok_or_else(|| BadWebhook("it has no `issue`".to_owned()))?;
        let key = issue
            .get("key")
            .and_then(Value::as_str)
            .ok_or_else(|| BadWebhook("it has no `issue.key`".to_owned()))?;
        let key = IssueKey::parse(key).map_err(|bad| BadWebhook(bad.to_string()))?;
        let event = payload.get("webhookEvent").and_then(Value::as_str).map(short_line).unwrap_or_default();
        let description = match issue.get("fields").and_then(|fields| fields.get("description")) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_))
            | None => String::new(),
        };
        Ok(JiraWebhook { key, event, description })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_and_description_are_read_and_a_document_is_left_to_its_server() {
        let text = br#"{"webhookEvent":"jira:issue_updated","issue":{"key":"PROJ-1","fields":{"description":"hello"}}}"#;
        assert_eq!(JiraWebhook::parse(text).unwrap().description, "hello");
        let rich = br#"{"issue":{"key":"PROJ-1","fields":{"description":{"type":"doc","content":[]}}}}"#;
        assert_eq!(JiraWebhook::parse(rich).unwrap().description, "");
    }

    #[test]
    fn anything_else_is_refused_with_a_reason() {
        for (payload, reason) in
            [("{}", "no `issue`"), (r#"{"issue":{"key":"../x"}}"#, "PROJ-123"), ("[", "EOF")]
        {
            let error = JiraWebhook::parse(payload.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
