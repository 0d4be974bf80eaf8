use domain::text::short_line;
use reqwest::StatusCode;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use serde_json::Value;

use super::trouble::Trouble;

/// More details than this help nobody.
const MOST_DETAILS: usize = 20;

/// A whole answer of a service.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn status(&self) -> u16 {
        self.status.as_u16()
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok().map(str::trim)
    }

    /// An answer without a body is null: some services say no more than that it is done.
    pub(crate) fn json(&self) -> Result<Value, Trouble> {
        if self.body.is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&self.body).map_err(|error| {
            let kind =
                self.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("no type");
            Trouble::unreadable(format!("the answer is no JSON but {}: {error}", short_line(kind)))
        })
    }

    pub(crate) fn text(self) -> String {
        match String::from_utf8(self.body) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        }
    }

    /// What the service says about a refusal, in the forms that GitHub, GitLab, Jira and Confluence have for it.
    pub(super) fn details(&self) -> Vec<String> {
        let mut details = Vec::new();
        if let Ok(value) = serde_json::from_slice::<Value>(&self.body) {
            collect(&value, &mut details);
        }
        details.truncate(MOST_DETAILS);
        details
    }
}

fn collect(value: &Value, details: &mut Vec<String>) {
    const PLACES: [&str; 6] =
        ["message", "error", "error_description", "errorMessages", "errors", "warningMessages"];
    match value {
        Value::Object(fields) => {
            for place in PLACES {
                fields.get(place).into_iter().for_each(|found| said(found, details));
            }
        }
        Value::Array(_) | Value::String(_) => said(value, details),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// A sentence, a list of them, or sentences by field.
fn said(value: &Value, details: &mut Vec<String>) {
    if details.len() >= MOST_DETAILS {
        return;
    }
    match value {
        Value::String(text) if !text.trim().is_empty() => details.push(short_line(text)),
        Value::Array(items) => items.iter().for_each(|item| said(item, details)),
        Value::Object(fields) => match one_problem(fields) {
            Some(problem) => details.push(problem),
            None => fields.iter().for_each(|(name, value)| {
                let mut inner = Vec::new();
                said(value, &mut inner);
                details.extend(inner.into_iter().map(|text| short_line(&format!("{name}: {text}"))));
            }),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// GitHub's `{resource, field, code, message}` and `{title, detail}` of newer services.
fn one_problem(fields: &serde_json::Map<String, Value>) -> Option<String> {
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    let known = ["code", "message", "title", "detail"].iter().any(|name| text(name).is_some());
    let words: Vec<&str> = ["resource", "field", "code", "title", "detail", "message"]
        .iter()
        .filter_map(|name| text(name))
        .collect();
    (known && !words.is_empty()).then(|| short_line(&words.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn details(body: &Value) -> Vec<String> {
        let body = body.to_string().into_bytes();
        Reply { status: StatusCode::UNPROCESSABLE_ENTITY, headers: HeaderMap::new(), body }.details()
    }

    #[test]
    fn each_service_is_understood_in_its_own_form() {
        let github = json!({"message": "Validation Failed", "errors": [
            {"resource": "PullRequest", "code": "custom", "message": "A pull request already exists for a:b."}, "plain"]});
        let expected =
            ["Validation Failed", "PullRequest custom A pull request already exists for a:b.", "plain"];
        assert_eq!(details(&github), expected);
        assert_eq!(
            details(&json!({"message": {"base": ["is wrong"], "note": ["is empty"]}})),
            ["base: is wrong", "note: is empty"]
        );
        assert_eq!(details(&json!({"error": "insufficient_scope"})), ["insufficient_scope"]);
        assert_eq!(
            details(&json!({"errorMessages": ["No issue"], "errors": {"status": "bad"}})),
            ["No issue", "status: bad"]
        );
        assert_eq!(
            details(&json!({"errors": [{"title": "Not Found", "detail": "page"}]})),
            ["Not Found page"]
        );
    }

    #[test]
    fn details_are_few_and_short() {
        let many = details(&json!({"errors": vec!["x".repeat(10_000); 500]}));
        assert!(many.len() <= MOST_DETAILS && many.iter().all(|detail| detail.len() < 600));
    }
}
