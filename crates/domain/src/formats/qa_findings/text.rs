//! Findings in plain text: the checklist we write, and the lines people and older agents write.

use super::parse::MOST_FINDINGS;
use super::{QaFinding, lenient};
use crate::words::{Category, Severity};

const ISSUE: [&str; 3] = ["issue", "problem", "description"];
const FIX: [&str; 4] = ["fix", "suggested fix", "suggestion", "recommendation"];

/// Items in the exact form of the checklist. Anything else in the text is passed over.
pub(super) fn checklist_items(text: &str) -> Vec<QaFinding> {
    items(text, checklist_item)
}

/// Lines that start with a severity, in any of the usual decorations.
pub(super) fn loose_items(text: &str) -> Vec<QaFinding> {
    items(text, loose_item)
}

/// The text without the items of the checklist and the lines that belong to them. Line breaks stay.
pub(super) fn outside_checklist(text: &str) -> String {
    let mut outside = String::with_capacity(text.len());
    let mut within = false;
    for line in text.split_inclusive('\n') {
        let is_item = checklist_item(line).is_some();
        within |= is_item;
        if is_item || (within && (labelled(line, &ISSUE).is_some() || labelled(line, &FIX).is_some())) {
            outside.push('\n');
        } else {
            outside.push_str(line);
        }
    }
    outside
}

/// `Issue:` and `Fix:` lines belong to the item above them. An item that never said what is wrong is none.
fn items(text: &str, start: fn(&str) -> Option<QaFinding>) -> Vec<QaFinding> {
    let mut findings: Vec<QaFinding> = Vec::new();
    for line in text.lines() {
        if let Some(finding) = start(line) {
            if findings.len() > MOST_FINDINGS {
                break;
            }
            findings.push(finding);
        } else if let Some(finding) = findings.last_mut() {
            if let Some(issue) = labelled(line, &ISSUE) {
                keep_first(&mut finding.description, issue);
            } else if let Some(fix) = labelled(line, &FIX) {
                keep_first(&mut finding.suggested_fix, fix);
            }
        }
    }
    findings.retain(|finding| !finding.description.is_empty());
    findings
}

fn keep_first(field: &mut String, text: &str) {
    if field.is_empty() {
        text.clone_into(field);
    }
}

/// `Fix: text`, also as `- **Fix:** text`.
fn labelled<'a>(line: &'a str, labels: &[&str]) -> Option<&'a str> {
    let line = line.trim();
    let line = line.strip_prefix("- ").or(line.strip_prefix("* ")).unwrap_or(line).trim_start();
    let (label, text) = line.split_once(':')?;
    let label = label.trim_matches('*').trim();
    let known = labels.iter().any(|known| label.eq_ignore_ascii_case(known));
    known.then(|| text.strip_prefix("**").unwrap_or(text).trim())
}

/// `1. [ ] **CRITICAL** (security): src/api/auth.ts:45`
fn checklist_item(line: &str) -> Option<QaFinding> {
    let (number, rest) = lenient::leading_number(line.trim());
    number?;
    let rest = rest.strip_prefix('.')?.trim_start().strip_prefix('[')?;
    let rest = rest.strip_prefix([' ', 'x', 'X'])?.strip_prefix(']')?.trim_start().strip_prefix("**")?;
    let (severity, rest) = rest.split_once("** (")?;
    let (category, location) = rest.split_once("):")?;
    let (file, line_number) = lenient::read_location(location);
    Some(QaFinding {
        file,
        line_number,
        severity: severity.parse().ok()?,
        description: String::new(),
        suggested_fix: String::new(),
        category: lenient::category(category),
    })
}

fn loose_item(line: &str) -> Option<QaFinding> {
    let (severity, certain, rest) = leading_severity(without_marker(line.trim()))?;
    let (category, rest) = leading_category(rest);
    let rest = rest.trim_start_matches([':', '-', '–', '—', ' ', '*']);
    let (location, message) = split_location(rest);
    let (file, line_number) = location.map(lenient::read_location).unwrap_or_default();
    let says_nothing = message.is_empty() && file.is_none();
    let counts_something = message.starts_with(|c: char| c.is_ascii_digit()) || is_none(message);
    if says_nothing || (file.is_none() && (counts_something || !certain)) {
        return None;
    }
    Some(QaFinding {
        file,
        line_number,
        severity,
        description: message.to_owned(),
        suggested_fix: String::new(),
        category: category.unwrap_or(Category::Correctness),
    })
}

fn is_none(message: &str) -> bool {
    let word = message.trim_end_matches('.').to_ascii_lowercase();
    matches!(word.as_str(), "none" | "n/a" | "no issues" | "no findings" | "nothing")
}

/// Without the bullet or number and the check box in front.
fn without_marker(line: &str) -> &str {
    let (number, rest) = lenient::leading_number(line);
    let line = match number {
        Some(_) => rest.strip_prefix(['.', ')']).unwrap_or(line),
        None => {
            line.strip_prefix("- ").or(line.strip_prefix("* ")).or(line.strip_prefix("+ ")).unwrap_or(line)
        }
    };
    let line = line.trim_start();
    ["[ ]", "[x]", "[X]"].iter().find_map(|tick| line.strip_prefix(tick)).unwrap_or(line).trim_start()
}

/// The severity, whether it can only be meant as one, and what follows. `**HIGH**`, `[HIGH]` and `HIGH:`
/// leave no doubt; `High:` does, unless a place follows.
fn leading_severity(line: &str) -> Option<(Severity, bool, &str)> {
    let decorated = line.trim_start_matches(['*', '[', '`']);
    let end = decorated.find(|c: char| !c.is_ascii_alphabetic())?;
    let (word, rest) = decorated.split_at(end);
    let severity: Severity = word.parse().ok()?;
    let is_decorated = decorated.len() < line.len();
    let closed = rest.trim_start_matches(['*', ']', '`']);
    let separated = closed.trim_start().starts_with([':', '-', '–', '—', '(']) || rest.starts_with(":**");
    if !is_decorated && !separated {
        return None;
    }
    let certain = is_decorated || word.bytes().all(|b| b.is_ascii_uppercase());
    Some((severity, certain, closed))
}

/// `(security)` directly behind the severity.
fn leading_category(rest: &str) -> (Option<Category>, &str) {
    let parts = rest.trim_start().strip_prefix('(').and_then(|inner| inner.split_once(')'));
    match parts {
        Some((category, rest)) if category.len() <= 40 => (Some(lenient::category(category)), rest),
        Some(_) | None => (None, rest),
    }
}

/// The place in front (`path:12 - message`, `path:12: message`) or behind in brackets (`message (path:12)`).
fn split_location(rest: &str) -> (Option<&str>, &str) {
    let rest = rest.trim();
    let first = rest.split_whitespace().next().unwrap_or_default();
    let place = first.trim_end_matches([':', ',']);
    if is_place(place) {
        let message = rest[first.len()..].trim_start_matches([':', '-', '–', '—', ' ']);
        return (Some(place), message.trim());
    }
    if let Some((message, place)) = rest.trim_end_matches('.').rsplit_once('(')
        && let Some(place) = place.strip_suffix(')').filter(|place| is_place(place))
    {
        return (Some(place), message.trim());
    }
    (None, rest)
}

/// Has a line number, or looks like a file in a folder.
fn is_place(word: &str) -> bool {
    let word = word.trim_matches('`');
    let (path, line) = lenient::read_location(word);
    let name = word.rsplit('/').next().unwrap_or_default();
    let looks_like_a_file = word.contains('/') && name.contains('.') && !word.contains("//");
    path.is_some() && !word.contains(char::is_whitespace) && (line.is_some() || looks_like_a_file)
}
