use serde_json::{Map, Value};

use super::{QaFinding, lenient};
use crate::words::{Category, Severity};

/// A JSON value read as findings: those it holds, and how many entries could not be read.
pub(super) struct Entries {
    pub(super) findings: Vec<QaFinding>,
    pub(super) unreadable: usize,
}

impl Entries {
    pub(super) fn is_empty(&self) -> bool {
        self.findings.is_empty() && self.unreadable == 0
    }
}

/// An array of findings, an object with such an array under `findings`, or a single finding. `None` for
/// JSON that is about something else.
pub(super) fn entries(value: &Value) -> Option<Entries> {
    match value {
        Value::Array(items) => {
            let entries = read(items);
            (items.is_empty() || !entries.findings.is_empty()).then_some(entries)
        }
        Value::Object(fields) => match fields.get("findings") {
            Some(Value::Array(items)) => Some(read(items)),
            _ => finding(value).map(|finding| Entries { findings: vec![finding], unreadable: 0 }),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

fn read(items: &[Value]) -> Entries {
    let findings: Vec<_> = items.iter().filter_map(finding).collect();
    let unreadable = items.len() - findings.len();
    Entries { findings, unreadable }
}

/// A description is needed, and a severity or a file; the rest may be missing. A severity that is missing
/// or unknown counts as MAJOR: it has to be looked at.
pub(super) fn finding(value: &Value) -> Option<QaFinding> {
    let fields = value.as_object()?;
    let description = text(fields, &["description", "message", "issue", "problem"])?;
    let file = text(fields, &["file", "path", "file_path", "filename"]);
    let severity = text(fields, &["severity", "level"]);
    if file.is_none() && severity.is_none() {
        return None;
    }
    let (path, line_in_path) = file.map(lenient::read_location).unwrap_or_default();
    let line = ["line_number", "line"].iter().find_map(|key| fields.get(*key)).and_then(lenient::line_number);
    Some(QaFinding {
        file: path,
        line_number: line.or(line_in_path).filter(|line| *line > 0),
        severity: severity.and_then(lenient::severity).unwrap_or(Severity::Major),
        description: description.to_owned(),
        suggested_fix: text(fields, &["suggested_fix", "suggestion", "fix"]).unwrap_or_default().to_owned(),
        category: text(fields, &["category", "dimension"]).map_or(Category::Correctness, lenient::category),
    })
}

fn text<'a>(fields: &'a Map<String, Value>, keys: &[&str]) -> Option<&'a str> {
    keys.iter().find_map(|key| fields.get(*key)?.as_str()).filter(|text| !text.trim().is_empty())
}
