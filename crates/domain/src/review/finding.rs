use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::wording::normalised;
use super::{Fingerprint, NOTES_RULE, Place};
use crate::change::RepoPath;
use crate::words::{Category, Dimension, Severity};

/// The rule of whatever a model or an agent found.
pub const JUDGED: &str = "model";

/// The rule of a finding that a document names no rule for.
pub(crate) const REVIEWER_RULE: &str = "reviewer";

/// Something wrong with a change, whoever found it. Every format is a view of this.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The rule that fired, or the reviewer's name where there are no rules.
    pub rule: String,
    pub severity: Severity,
    pub category: Category,
    pub dimension: Dimension,
    pub confidence: Confidence,
    pub place: Place,
    /// What is wrong, in one sentence.
    pub message: String,
    /// Why it matters; may be empty.
    pub impact: String,
    /// What to do about it; may be empty.
    pub suggestion: String,
    /// Set by [`Fingerprint::assign`] once all findings of a review are known.
    #[serde(default)]
    pub fingerprint: Fingerprint,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// Advice: shown, never blocking.
    Low,
    Medium,
    High,
}

impl Finding {
    pub fn path(&self) -> Option<&RepoPath> {
        match &self.place {
            Place::Lines(anchor) => Some(&anchor.path),
            Place::File { path } => Some(path),
            Place::Summary => None,
        }
    }

    /// The first line it is about, on whichever side it is anchored.
    pub fn line(&self) -> Option<u32> {
        match &self.place {
            Place::Lines(anchor) => Some(anchor.start),
            Place::File { .. } | Place::Summary => None,
        }
    }

    /// Whether this finding alone keeps a change from passing a gate that fails on `fail_on`.
    pub fn blocks(&self, fail_on: Severity) -> bool {
        self.severity >= fail_on && self.confidence > Confidence::Low
    }

    /// Whether a model, an agent or a person found it, in their own words, and not a rule or a program.
    pub fn is_judged(&self) -> bool {
        [JUDGED, NOTES_RULE, REVIEWER_RULE].contains(&self.rule.as_str())
    }

    /// Adds a remark to what the finding leads to. The message stays: it is part of the identity.
    pub fn note(&mut self, remark: &str) {
        append(&mut self.impact, remark);
    }

    /// Takes in another finding that says the same of the same place. What was merged is listed with what to do, which every
    /// format shows, the short ones too.
    #[must_use]
    pub fn merged_with(mut self, other: &Finding) -> Finding {
        let Finding { severity, category, message, .. } = other;
        let is_repeated = (self.severity, self.category, self.location(), normalised(&self.message))
            == (*severity, *category, other.location(), normalised(message));
        if !is_repeated {
            let message = message.trim_end_matches('.');
            let merged = format!("Merged with {severity} ({category}) at {}: {message}.", other.location());
            append(&mut self.suggestion, &merged);
        }
        for (own, others) in [(&mut self.suggestion, &other.suggestion), (&mut self.impact, &other.impact)] {
            if !others.is_empty() && !own.contains(others) {
                append(own, others);
            }
        }
        self
    }

    /// Secrets are told by their rule, `secret` or `secret-…`, or by the program that looks for nothing else.
    pub fn is_secret(&self) -> bool {
        const SEEKERS: [&str; 3] = ["gitleaks", "trufflehog", "detect-secrets"];
        let seeker = self.rule.split('/').next().unwrap_or_default();
        self.rule == "secret"
            || self.rule.starts_with("secret-")
            || SEEKERS.iter().any(|known| seeker.eq_ignore_ascii_case(known))
    }

    pub fn path_mut(&mut self) -> Option<&mut RepoPath> {
        match &mut self.place {
            Place::Lines(anchor) => Some(&mut anchor.path),
            Place::File { path } => Some(path),
            Place::Summary => None,
        }
    }

    /// Every text in it that came from the change or a reviewer.
    pub fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let quoted = match &mut self.place {
            Place::Lines(anchor) => Some(&mut anchor.text),
            Place::File { .. } | Place::Summary => None,
        };
        [&mut self.message, &mut self.impact, &mut self.suggestion].into_iter().chain(quoted)
    }

    /// `path:line`, `path`, or `the change as a whole`.
    pub fn location(&self) -> String {
        match (self.path(), self.line()) {
            (Some(path), Some(line)) => format!("{path}:{line}"),
            (Some(path), None) => path.to_string(),
            (None, _) => "the change as a whole".to_owned(),
        }
    }
}

fn append(text: &mut String, remark: &str) {
    let said = text.trim_end();
    if !said.is_empty() {
        let end = if said.ends_with(['.', '!', '?', ':', ';']) { " " } else { ". " };
        *text = format!("{said}{end}");
    }
    text.push_str(remark);
}
