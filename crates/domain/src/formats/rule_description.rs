use crate::words::{Category, Severity};

/// What a report tells about a rule, apart from what it found.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct RuleDescription {
    pub id: String,
    /// A few words: what it looks for.
    pub title: String,
    /// Why it matters.
    pub why: String,
    /// What to do when it fires.
    pub fix: String,
    /// How bad a finding of it usually is.
    pub severity: Severity,
    pub category: Category,
}
