use serde_json::Value;

/// What a model may write to: one pull or merge request and its tickets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallScope {
    /// Every name the project has: its path, its number.
    pub projects: Vec<String>,
    pub number: u64,
    pub issues: Vec<String>,
}

/// What servers call these things, without underscores and in lower case.
const PROJECTS: [&str; 4] = ["project", "projectid", "repository", "repo"];
const NUMBERS: [&str; 9] = [
    "prnumber",
    "pullnumber",
    "pullrequestnumber",
    "issuenumber",
    "mriid",
    "mergerequestiid",
    "mergerequestid",
    "iid",
    "number",
];
const ISSUES: [&str; 4] = ["issuekey", "issueidorkey", "issueid", "ticket"];

impl CallScope {
    /// The first argument that names something else, if any does.
    pub fn strays(&self, arguments: &Value) -> Option<String> {
        let fields = arguments.as_object()?;
        let owner = fields.get("owner").and_then(Value::as_str);
        fields.iter().find(|(key, value)| self.is_foreign(key, value, owner)).map(|(key, _)| key.clone())
    }

    fn is_foreign(&self, key: &str, value: &Value, owner: Option<&str>) -> bool {
        let key: String = key.chars().filter(char::is_ascii_alphanumeric).collect();
        let key = key.to_ascii_lowercase();
        let Some(said) = text(value) else { return false };
        let same = |known: &str| known.eq_ignore_ascii_case(&said);
        if PROJECTS.contains(&key.as_str()) {
            let joined = owner.filter(|_| !said.contains('/')).map(|owner| format!("{owner}/{said}"));
            let named = joined.unwrap_or_else(|| said.replace("%2F", "/").replace("%2f", "/"));
            return !self.projects.iter().any(|project| project.eq_ignore_ascii_case(&named));
        }
        if NUMBERS.contains(&key.as_str()) {
            return said.trim() != self.number.to_string();
        }
        ISSUES.contains(&key.as_str()) && !self.issues.iter().any(|issue| same(issue))
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null => None,
        // A list or an object where a name belongs is nothing we can hold against the scope.
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => Some(value.to_string()),
    }
}
