use std::collections::HashMap;

use serde_json::{Value, json};

use super::{literal, word};
use crate::formats::RuleDescription;
use crate::formats::shown::rule_id;
use crate::review::{Confidence, Finding};
use crate::words::{Category, Level, Severity};

/// The rules of a run and where each of them stands, so that results can point at them.
pub(super) struct Catalogue {
    positions: HashMap<String, usize>,
    entries: Vec<Value>,
}

impl Catalogue {
    /// Of two descriptions with the same id the first counts.
    pub(super) fn new(rules: &[RuleDescription]) -> Self {
        let mut catalogue = Catalogue { positions: HashMap::new(), entries: Vec::new() };
        for rule in rules {
            if !catalogue.positions.contains_key(&rule.id) {
                catalogue.add(rule.id.clone(), described(rule));
            }
        }
        catalogue
    }

    /// The id and the position of the finding's rule, which is added if nobody described it.
    pub(super) fn entry(&mut self, finding: &Finding) -> (String, usize) {
        let id = rule_id(finding);
        let position = match self.positions.get(&id) {
            Some(position) => *position,
            None => self.add(id.clone(), undescribed(&id, finding)),
        };
        (id, position)
    }

    pub(super) fn entries(&self) -> &[Value] {
        &self.entries
    }

    fn add(&mut self, id: String, entry: Value) -> usize {
        self.entries.push(entry);
        self.positions.insert(id, self.entries.len() - 1);
        self.entries.len() - 1
    }
}

fn described(rule: &RuleDescription) -> Value {
    let mut entry = json!({
        "id": rule.id,
        "shortDescription": { "text": sentence(&rule.title) },
        "fullDescription": { "text": sentence(&rule.why) },
    });
    let help = [("Why", &rule.why), ("Fix", &rule.fix)].map(|(label, text)| (label, sentence(text)));
    let lines = |mark: &str| help.each_ref().map(|(label, text)| format!("{mark}{label}:{mark} {text}"));
    entry["help"] = json!({ "text": lines("").join("\n"), "markdown": lines("**").join("\n\n") });
    complete(entry, rule.severity, rule.category, Confidence::High)
}

/// The first finding of the rule is all that is known about it.
fn undescribed(id: &str, finding: &Finding) -> Value {
    let text = format!("Findings of {}.", literal(id));
    let help = "See the message of each finding for why it matters and what to do about it.";
    let entry = json!({
        "id": id,
        "shortDescription": { "text": text },
        "fullDescription": { "text": text },
        "help": { "text": help, "markdown": help },
    });
    complete(entry, finding.severity, finding.category, finding.confidence)
}

fn complete(mut entry: Value, severity: Severity, category: Category, confidence: Confidence) -> Value {
    if let Some(name) = entry["id"].as_str().and_then(friendly_name) {
        entry["name"] = json!(name);
    }
    entry["defaultConfiguration"] = json!({ "level": word(severity.level()) });
    entry["properties"] = json!({
        "tags": [category.as_str(), category.dimension().as_str()],
        "precision": confidence,
        "problem.severity": problem_severity(severity.level()),
    });
    if category == Category::Security {
        entry["properties"]["security-severity"] = json!(security_severity(severity));
    }
    entry
}

fn problem_severity(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Info => "recommendation",
    }
}

/// On GitHub's scale above 9.0 is critical, from 7.0 high, from 4.0 medium.
fn security_severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical => "9.5",
        Severity::High => "8.0",
        Severity::Major => "6.5",
        Severity::Medium => "5.0",
        Severity::Low => "3.0",
        Severity::Minor => "2.0",
        Severity::Suggestion => "1.0",
    }
}

fn sentence(text: &str) -> String {
    let text = literal(text.trim());
    if text.ends_with(['.', '!', '?']) { text } else { text + "." }
}

/// `sql-injection` as `SqlInjection`, the form viewers show rule names in; nothing where that adds nothing.
fn friendly_name(id: &str) -> Option<String> {
    let capitalised = |word: &str| {
        let mut chars = word.chars();
        chars.next().map(|first| first.to_uppercase().chain(chars).collect::<String>()).unwrap_or_default()
    };
    let name: String = id.split(|c: char| !c.is_alphanumeric()).map(capitalised).collect();
    (!name.is_empty() && name.to_lowercase() != id.to_lowercase()).then_some(name)
}
