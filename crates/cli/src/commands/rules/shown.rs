use domain::config::FILE_NAME;
use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};
use rules::{Example, RULES_FOLDER, RuleInfo};

use crate::pretty::wrap;

/// A rule with what the working tree says of it.
#[derive(Debug)]
pub(super) struct Listed {
    /// As severe as it is by itself.
    pub(super) info: RuleInfo,
    /// With the policy applied.
    pub(super) severity: Severity,
    pub(super) enabled: Enabled,
    pub(super) origin: Origin,
}

/// Whether the policy has the rule applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Enabled {
    Yes,
    No,
}

/// Who wrote the rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    BuiltIn,
    Project,
}

/// A rule as programs are told of it.
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
    /// Whether the project brought it.
    own: bool,
    category: Category,
    dimension: Dimension,
    confidence: Confidence,
    /// Empty for a rule that reads any text.
    languages: Vec<&'static str>,
    examples: Vec<ShownExample>,
}

#[derive(Debug, serde::Serialize)]
struct ShownExample {
    file: String,
    added: String,
    /// The lines that are reported: none of what is fine.
    lines: Vec<u32>,
}

impl From<&Listed> for Shown {
    fn from(listed: &Listed) -> Self {
        let info = &listed.info;
        Shown {
            id: info.id.to_string(),
            title: info.title.to_string(),
            why: info.why.to_string(),
            fix: info.fix.to_string(),
            severity: listed.severity,
            enabled: listed.enabled == Enabled::Yes,
            own: listed.origin == Origin::Project,
            category: info.category,
            dimension: info.dimension.clone(),
            confidence: info.confidence,
            languages: languages(info),
            examples: info.examples.iter().map(shown).collect(),
        }
    }
}

fn languages(info: &RuleInfo) -> Vec<&'static str> {
    info.languages.iter().map(|language| language.as_str()).collect()
}

fn shown(example: &Example) -> ShownExample {
    ShownExample {
        file: example.file.to_string(),
        added: example.added.to_string(),
        lines: example.lines.to_vec(),
    }
}

/// A title with less room than this stands below the name of its rule.
const NARROWEST_TITLE: usize = 40;

/// All rules by category, each in a line, or in as many as a terminal of this width needs.
pub(super) fn table(rules: &[Listed], width: Option<usize>) -> String {
    let ids = rules.iter().map(|rule| rule.info.id.len()).max().unwrap_or_default();
    let groups = Category::ALL.into_iter().filter_map(|category| {
        let of_group = || rules.iter().filter(|rule| rule.info.category == category);
        of_group().next()?;
        let heading = format!("{category}, which counts against {}\n", category.dimension());
        Some(heading + &of_group().map(|rule| row(rule, ids, width)).collect::<String>())
    });
    groups.collect::<Vec<_>>().join("\n")
}

fn row(rule: &Listed, ids: usize, width: Option<usize>) -> String {
    let severity = if rule.enabled == Enabled::Yes { rule.severity.as_str() } else { "disabled" };
    let head = format!("{:ids$}  {severity:10}  ", rule.info.id);
    let text = described(rule);
    match width {
        None => format!("{head}{text}\n"),
        Some(width) if width >= head.len() + NARROWEST_TITLE => {
            lines(wrap(&text, width, &head, &" ".repeat(head.len())))
        }
        Some(width) => format!("{} {severity}\n", rule.info.id) + &lines(wrap(&text, width, "    ", "    ")),
    }
}

/// The title, and what is to be known beside it.
fn described(rule: &Listed) -> String {
    let info = &rule.info;
    let mark = if rule.origin == Origin::Project { "[own] " } else { "" };
    let languages = match languages(info).as_slice() {
        [] => "any".to_owned(),
        languages => languages.join(", "),
    };
    let against = match info.dimension == info.category.dimension() {
        true => String::new(),
        false => format!("; counts against {}", info.dimension),
    };
    format!("{mark}{} ({languages}{against})", info.title)
}

fn lines(lines: Vec<String>) -> String {
    lines.into_iter().map(|line| line + "\n").collect()
}

/// Everything about a rule.
pub(super) fn page(rule: &Listed, width: Option<usize>) -> String {
    let info = &rule.info;
    let head = format!("{} ({}, {})\n\n{}\n\n", info.id, rule.severity, info.category, info.title);
    let facts: String = facts(rule).into_iter().map(|(label, text)| fact(label, &text, width)).collect();
    let (bad, good): (Vec<&Example>, Vec<&Example>) =
        info.examples.iter().partition(|example| !example.lines.is_empty());
    let first = |examples: Vec<&Example>, title: &str| match examples.first() {
        Some(example) => format!("\n{title}:\n{}", code(example)),
        None => String::new(),
    };
    let accept = format!("\nTo accept one finding: countersign:ignore {} -- reason\n", info.id);
    head + &facts + &first(bad, "reported, where marked with >") + &first(good, "not reported") + &accept
}

fn facts(rule: &Listed) -> Vec<(&'static str, String)> {
    let info = &rule.info;
    let confidence = match info.confidence {
        Confidence::Low => "low, so that it is advice and never blocks",
        Confidence::Medium => "medium",
        Confidence::High => "high",
    };
    let mut facts = vec![
        ("why", info.why.to_string()),
        ("fix", info.fix.to_string()),
        ("in", languages(info).join(", ")),
        ("dimension", info.dimension.to_string()),
        ("confidence", confidence.to_owned()),
    ];
    if rule.severity != info.severity {
        facts.push((
            "policy",
            format!("{FILE_NAME} makes it {}; by itself it is {}", rule.severity, info.severity),
        ));
    }
    if rule.enabled == Enabled::No {
        facts.push(("policy", format!("{FILE_NAME} disables it: reviews do not apply it")));
    }
    if rule.origin == Origin::Project {
        facts.push(("from", format!("{RULES_FOLDER}, a rule of this project")));
    }
    facts.retain(|(_, text)| !text.is_empty());
    facts
}

fn fact(label: &str, text: &str, width: Option<usize>) -> String {
    let label = format!("{:12}", format!("{label}:"));
    match width {
        None => format!("{label}{text}\n"),
        Some(width) => lines(wrap(text, width, &label, &" ".repeat(label.len()))),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(id: &str, title: &'static str, origin: Origin) -> Listed {
        let mut info = rules::catalogue().into_iter().find(|rule| rule.id == "stub").cloned().unwrap();
        info.id = id.to_owned().into();
        info.title = title.into();
        info.why = "Because".into();
        info.fix = "Write it".into();
        info.languages = vec![rules::Language::Python].into();
        info.examples = Vec::new().into();
        (info.category, info.dimension) = (Category::Testing, Dimension::TEST_QUALITY);
        (info.severity, info.confidence) = (Severity::Major, Confidence::Low);
        Listed { severity: info.severity, info, enabled: Enabled::Yes, origin }
    }

    #[test]
    fn rules_are_listed_by_category_and_wrapped_on_a_terminal() {
        let title = "A title that says in many words what the rule finds and where it is";
        let mut rules =
            vec![listed("first", "One", Origin::BuiltIn), listed("own-one", title, Origin::Project)];
        rules[1].info.category = Category::Security;
        let whole = format!(
            "security, which counts against security_performance\n\
             own-one  MAJOR       [own] {title} (Python; counts against test_quality)\n\n\
             testing, which counts against test_quality\nfirst    MAJOR       One (Python)\n"
        );
        assert_eq!(table(&rules, None), whole);
        for (width, begins) in
            [(70, "own-one  MAJOR       [own] A title"), (45, "own-one MAJOR\n    [own] A title")]
        {
            let table = table(&rules, Some(width));
            assert!(table.contains(begins), "{table}");
            assert!(table.lines().skip(1).all(|line| line.len() <= width), "{table}");
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(words(&table), words(&whole));
        }
    }

    #[test]
    fn a_page_says_what_the_policy_does_to_a_rule() {
        let mut rule = listed("own-one", "One", Origin::Project);
        (rule.severity, rule.enabled) = (Severity::Minor, Enabled::No);
        let expected = "own-one (MINOR, testing)\n\nOne\n\nwhy:        Because\nfix:        Write it\nin:         Python\n\
            dimension:  test_quality\nconfidence: low, so that it is advice and never blocks\n\
            policy:     countersign.yaml makes it MINOR; by itself it is MAJOR\n\
            policy:     countersign.yaml disables it: reviews do not apply it\n\
            from:       .countersign/rules, a rule of this project\n\n\
            To accept one finding: countersign:ignore own-one -- reason\n";
        assert_eq!(page(&rule, None), expected);
    }
}
