use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use super::location::{Located, located};
use super::{MOST_RESULTS, Score, ToolReport, ToolResult, one_word};
use crate::review::Confidence;
use crate::text::{brief_line, short_line};
use crate::words::{Category, Level};

/// Why a file is no SARIF that can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadSarif {
    #[error("it is no JSON: {0}")]
    Json(String),
    #[error("it is no SARIF: there are no `runs`")]
    NoRuns,
    #[error("it is SARIF {0}, and 2.1.0 is what is read")]
    Version(String),
}

/// Reads every result that complains about a line. Those that the program itself marked as suppressed, passed or absent
/// are left out.
pub fn read_sarif(text: &str) -> Result<ToolReport, BadSarif> {
    let document: Value = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| BadSarif::Json(short_line(&error.to_string())))?;
    let version = document.get("version").and_then(Value::as_str).unwrap_or("2.1.0");
    if !version.starts_with("2.1") {
        return Err(BadSarif::Version(short_line(version)));
    }
    let runs = document.get("runs").and_then(Value::as_array).ok_or(BadSarif::NoRuns)?;
    let tools: BTreeSet<String> = runs.iter().map(tool).collect();
    Ok(ToolReport {
        tools: tools.into_iter().collect(),
        results: runs.iter().flat_map(results).take(MOST_RESULTS).collect(),
    })
}

fn tool(run: &Value) -> String {
    let name = run.pointer("/tool/driver").and_then(|driver| text(driver, "name"));
    one_word(&short_line(name.unwrap_or("a tool")))
}

fn results(run: &Value) -> Vec<ToolResult> {
    let tool = tool(run);
    let rules = Rules::of(run);
    let results = list(run, "results").unwrap_or_default();
    let read = |one| result(one, run, &tool, &rules);
    results.into_iter().filter(|result| counts(result)).filter_map(read).collect()
}

/// The rules that a run describes: those of the program itself, and those of its extensions, where programs with packs of
/// rules put them.
struct Rules<'a> {
    driver: Vec<&'a Value>,
    extensions: Vec<(Option<&'a str>, Vec<&'a Value>)>,
    by_id: HashMap<&'a str, &'a Value>,
}

impl<'a> Rules<'a> {
    fn of(run: &'a Value) -> Rules<'a> {
        let of = |component: &'a Value| list(component, "rules").unwrap_or_default();
        let driver = run.pointer("/tool/driver").map(of).unwrap_or_default();
        let extensions = run.get("tool").and_then(|tool| list(tool, "extensions")).unwrap_or_default();
        let extensions: Vec<_> = extensions.into_iter().map(|one| (text(one, "name"), of(one))).collect();
        let mut by_id = HashMap::new();
        for rule in driver.iter().chain(extensions.iter().flat_map(|(_, rules)| rules)).copied() {
            if let Some(id) = text(rule, "id") {
                by_id.entry(id).or_insert(rule);
            }
        }
        Rules { driver, extensions, by_id }
    }

    /// By its place where the result says it and the rule there is the one it names, else by its name.
    fn rule(&self, result: &Value, id: &str) -> Option<&'a Value> {
        let reference = result.get("rule");
        let index = number(result, "ruleIndex").or_else(|| number(reference?, "index"));
        let listed = self.component(reference.and_then(|reference| reference.get("toolComponent")));
        let by_index = index.and_then(|index| listed?.get(usize::try_from(index).ok()?).copied());
        by_index
            .filter(|rule| id.is_empty() || text(rule, "id").is_none_or(|own| own == id))
            .or_else(|| self.by_id.get(id).copied())
    }

    fn component(&self, named: Option<&Value>) -> Option<&Vec<&'a Value>> {
        let Some(named) = named else { return Some(&self.driver) };
        let by_index = || self.extensions.get(usize::try_from(number(named, "index")?).ok()?);
        let by_name =
            || self.extensions.iter().find(|(name, _)| name.is_some() && *name == text(named, "name"));
        by_index().or_else(by_name).map(|(_, rules)| rules)
    }
}

fn counts(result: &Value) -> bool {
    let kind = text(result, "kind").unwrap_or("fail");
    let suppressed = list(result, "suppressions").is_some_and(|all| !all.is_empty());
    kind == "fail" && !suppressed && text(result, "baselineState") != Some("absent")
}

fn result(result: &Value, run: &Value, tool: &str, rules: &Rules<'_>) -> Option<ToolResult> {
    let place = result.pointer("/locations/0/physicalLocation")?;
    let region = place.get("region")?;
    let line = number(region, "startLine").filter(|line| *line > 0)?;
    let id = text(result, "ruleId").or_else(|| result.pointer("/rule/id")?.as_str()).unwrap_or_default();
    let rule = rules.rule(result, id);
    let Located { path, inside } = located(place.get("artifactLocation")?, run)?;
    Some(ToolResult {
        tool: tool.to_owned(),
        rule: short_line(if id.is_empty() {
            rule.and_then(|rule| text(rule, "id")).unwrap_or_default()
        } else {
            id
        }),
        level: level(result, rule),
        category: rule.map_or(Category::Readability, category),
        score: rule.and_then(score),
        confidence: confidence(result, rule),
        message: message(result, rule),
        path,
        inside,
        line,
        end_line: number(region, "endLine").unwrap_or(line).max(line),
    })
}

/// What is written as a number by some and as a text by others.
fn score(rule: &Value) -> Option<Score> {
    let told = rule.pointer("/properties/security-severity")?;
    let points = told.as_f64().or_else(|| told.as_str()?.trim().parse().ok())?;
    Some(match points {
        points if points < 4.0 => Score::Low,
        points if points < 7.0 => Score::Medium,
        _ => Score::High,
    })
}

/// Who doubts itself is not surer with us.
fn confidence(result: &Value, rule: Option<&Value>) -> Confidence {
    let own = || result.pointer("/properties/issue_confidence");
    let told = rule.and_then(|rule| rule.pointer("/properties/precision")).or_else(own);
    match told.and_then(Value::as_str) {
        Some(low) if low.eq_ignore_ascii_case("low") => Confidence::Low,
        Some(_) | None => Confidence::Medium,
    }
}

/// The result's own level, else its rule's, else a warning, as the standard has it.
fn level(result: &Value, rule: Option<&Value>) -> Level {
    let usual = || rule?.pointer("/defaultConfiguration/level")?.as_str();
    match text(result, "level").or_else(usual).unwrap_or("warning") {
        "error" => Level::Error,
        "note" | "none" => Level::Info,
        _ => Level::Warning,
    }
}

/// By the tags that most programs give their rules.
fn category(rule: &Value) -> Category {
    let tags = rule.pointer("/properties/tags").and_then(Value::as_array);
    let tags: Vec<&str> = tags.into_iter().flatten().filter_map(Value::as_str).collect();
    let has = |words: &[&str]| {
        tags.iter().any(|tag| words.iter().any(|word| tag.to_ascii_lowercase().contains(word)))
    };
    let scored = rule.pointer("/properties/security-severity").is_some();
    if scored || has(&["security", "cwe", "owasp"]) {
        Category::Security
    } else if has(&["performance", "perf"]) {
        Category::Performance
    } else if has(&["correctness", "bug", "reliability"]) {
        Category::Correctness
    } else if has(&["test"]) {
        Category::Testing
    } else {
        Category::Readability
    }
}

fn message(result: &Value, rule: Option<&Value>) -> String {
    let own = result.pointer("/message/text").or_else(|| result.pointer("/message/markdown"));
    let named = || {
        let id = result.pointer("/message/id")?.as_str()?;
        rule?.get("messageStrings")?.get(id)?.get("text")
    };
    let described = || rule?.pointer("/shortDescription/text");
    let template = own.or_else(named).or_else(described).and_then(Value::as_str).unwrap_or("no message");
    let arguments: Vec<&str> = result
        .pointer("/message/arguments")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    brief_line(&filled(template, &arguments))
}

/// `{0}` stands for the first argument.
fn filled(template: &str, arguments: &[&str]) -> String {
    let mut text = template.to_owned();
    for (number, argument) in arguments.iter().enumerate().take(10) {
        text = text.replace(&format!("{{{number}}}"), argument);
    }
    text
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}

fn list<'a>(value: &'a Value, key: &str) -> Option<Vec<&'a Value>> {
    value.get(key).and_then(Value::as_array).map(|list| list.iter().collect())
}

fn number(value: &Value, key: &str) -> Option<u32> {
    value.get(key).and_then(Value::as_u64).and_then(|number| u32::try_from(number).ok())
}
