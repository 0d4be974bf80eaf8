use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};
use rules::{Example, RuleInfo};

/// A rule as listings show it.
#[derive(Debug, serde::Serialize)]
pub(super) struct Shown {
    id: String,
    title: String,
    why: String,
    fix: String,
    /// With the policy applied.
    severity: Severity,
    /// Whether reviews apply it.
    enabled: bool,
    category: Category,
    dimension: Dimension,
    confidence: Confidence,
    /// Empty for a rule that reads any text.
    languages: Vec<&'static str>,
    examples: Vec<ShownExample>,
}

/// Whether the policy has the rule applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Enabled {
    Yes,
    No,
}

#[derive(Debug, serde::Serialize)]
struct ShownExample {
    file: String,
    added: String,
    /// The lines that are reported: none of what is fine.
    lines: Vec<u32>,
}

impl Shown {
    pub(super) fn of(info: &RuleInfo, enabled: Enabled) -> Self {
        Shown {
            id: info.id.to_string(),
            title: info.title.to_string(),
            why: info.why.to_string(),
            fix: info.fix.to_string(),
            severity: info.severity,
            enabled: enabled == Enabled::Yes,
            category: info.category,
            dimension: info.dimension.clone(),
            confidence: info.confidence,
            languages: info.languages.iter().map(|language| language.as_str()).collect(),
            examples: info.examples.iter().map(shown).collect(),
        }
    }
}

fn shown(example: &Example) -> ShownExample {
    ShownExample {
        file: example.file.to_string(),
        added: example.added.to_string(),
        lines: example.lines.to_vec(),
    }
}

pub(super) fn table(rules: &[Shown]) -> String {
    let id = rules.iter().map(|rule| rule.id.len()).max().unwrap_or_default();
    let dimension = rules.iter().map(|rule| rule.dimension.as_str().len()).max().unwrap_or_default();
    rules
        .iter()
        .map(|rule| {
            let languages = match rule.languages.as_slice() {
                [] => "any".to_owned(),
                languages => languages.join(", "),
            };
            let dimension = format!("{:dimension$}", rule.dimension.as_str());
            let severity = if rule.enabled { rule.severity.as_str() } else { "disabled" };
            format!("{:id$}  {severity:10}  {dimension}  {} ({languages})\n", rule.id, rule.title)
        })
        .collect()
}

pub(super) fn page(rule: &RuleInfo) -> String {
    let languages = match rule.languages.as_ref() {
        [] => String::new(),
        languages => {
            let names: Vec<&str> = languages.iter().map(|language| language.as_str()).collect();
            format!("\nin:  {}", names.join(", "))
        }
    };
    let head = format!(
        "{} ({}, {})\n\n{}\n\nwhy: {}\nfix: {}{languages}\n",
        rule.id, rule.severity, rule.category, rule.title, rule.why, rule.fix
    );
    let (bad, good): (Vec<&Example>, Vec<&Example>) =
        rule.examples.iter().partition(|example| !example.lines.is_empty());
    let first = |examples: Vec<&Example>, title: &str| match examples.first() {
        Some(example) => format!("\n{title}:\n{}", code(example)),
        None => String::new(),
    };
    let accept = format!("\nTo accept one finding: countersign:ignore {} -- reason\n", rule.id);
    head + &first(bad, "reported, where marked with >") + &first(good, "not reported") + &accept
}

fn code(example: &Example) -> String {
    (1..)
        .zip(example.added.lines())
        .map(|(number, line)| {
            let mark = if example.lines.contains(&number) { '>' } else { ' ' };
            format!("  {mark} {line}").trim_end().to_owned() + "\n"
        })
        .collect()
}
