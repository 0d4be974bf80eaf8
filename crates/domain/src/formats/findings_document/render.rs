use std::fmt::Write;

use jiff::tz::TimeZone;

use super::escape::escape;
use super::{DocumentFinding, FindingsDocument, lenient, lines, marker};
use crate::text::{clean_block, clean_line};
use crate::words::Class;

pub(super) const TITLE: (&str, &str) = ("# Story ", " Code Review Findings - Round ");
pub(super) const GROUPS: [(Class, &str); 3] = [
    (Class::Critical, "## Critical Issues (Must Fix)"),
    (Class::Important, "## Important Issues (Should Fix)"),
    (Class::Minor, "## Minor Issues (Nice to Have)"),
];
pub(super) const SUMMARY: &str = "## Summary";
const LONGEST_PATH: usize = 4_000;

impl FindingsDocument {
    /// The document as markdown: the same bytes for the same findings. Every text is cleaned on the way.
    pub fn render(&self) -> String {
        let document = self.normalised();
        let mut text = String::new();
        document.write_head(&mut text);
        let mut number = 0;
        for (class, heading) in GROUPS {
            let _ = write!(text, "\n{heading}\n");
            for finding in document.group(class) {
                number += 1;
                text.push('\n');
                finding.write(&mut text, number);
            }
        }
        document.write_summary(&mut text);
        text
    }

    fn write_head(&self, text: &mut String) {
        let _ = writeln!(text, "{}{}{}{}\n", TITLE.0, self.story_id, TITLE.1, self.round);
        let date = self.date.map(|date| date.to_zoned(TimeZone::UTC).strftime("%Y-%m-%d %H:%M").to_string());
        write_pair(text, "**Reviewer:**", &self.reviewer);
        write_pair(text, "**Date:**", &date.unwrap_or_default());
        write_pair(text, "**Branch:**", &self.branch);
    }

    fn write_summary(&self, text: &mut String) {
        let _ = writeln!(text, "\n{SUMMARY}\n");
        let _ = writeln!(text, "- **Total findings:** {}", self.findings().count());
        let _ = writeln!(text, "- **Critical:** {}", self.critical.len());
        let _ = writeln!(text, "- **Important:** {}", self.important.len());
        let _ = writeln!(text, "- **Minor:** {}", self.minor.len());
        write_pair(text, "- **Recommendation:**", &self.recommendation);
    }

    /// What [`FindingsDocument::parse`] gives back for the rendered document.
    pub(super) fn normalised(&self) -> FindingsDocument {
        let group =
            |class: Class| self.group(class).iter().map(|finding| finding.normalised(class)).collect();
        FindingsDocument {
            story_id: or(clean_line(&self.story_id), "unnamed"),
            round: self.round,
            reviewer: clean_line(&self.reviewer),
            date: self.date.and_then(|date| {
                date.round(
                    jiff::TimestampRound::new().smallest(jiff::Unit::Minute).mode(jiff::RoundMode::Trunc),
                )
                .ok()
            }),
            branch: clean_line(&self.branch),
            critical: group(Class::Critical),
            important: group(Class::Important),
            minor: group(Class::Minor),
            recommendation: clean_line(&self.recommendation),
        }
    }
}

impl DocumentFinding {
    /// Sub-items are set in under the text of their item, so that markdown takes them for parts of it.
    fn write(&self, text: &mut String, number: usize) {
        let number = format!("{number}. ");
        let indent = " ".repeat(number.len());
        let tick = if self.accepted.as_deref() == Some("") { "[x] " } else { "" };
        let head = format!("{number}{tick}**[{}]:** {}", self.category, escape(&self.description));
        let _ = writeln!(text, "{}", head.trim_end());
        let location = lenient::location(self.file.as_ref(), self.line);
        write_pair(text, &format!("{indent}- **File:**"), &location);
        write_block(text, &indent, "Problem", &self.problem);
        write_block(text, &indent, "Impact", &self.impact);
        write_block(text, &indent, "Fix", &self.fix);
        if let Some(reason) = self.accepted.as_deref().filter(|reason| !reason.is_empty()) {
            let by = self.accepted_by.as_deref().map(|name| format!(" by {name}")).unwrap_or_default();
            write_block(text, &indent, &format!("Accepted{by}"), reason);
        }
        let _ = writeln!(text, "{indent}{}", marker::write(self));
    }

    fn normalised(&self, class: Class) -> DocumentFinding {
        let accepted = self.accepted.as_deref().map(clean_block);
        let file = self.file.clone().filter(|file| (1..=LONGEST_PATH).contains(&file.as_bytes().len()));
        DocumentFinding {
            category: label(&self.category),
            description: clean_line(&self.description),
            line: self.line.filter(|_| file.is_some()),
            file,
            problem: clean_block(&self.problem),
            impact: clean_block(&self.impact),
            fix: clean_block(&self.fix),
            severity: if self.severity.class() == class { self.severity } else { class.severity() },
            rule: self.rule.as_deref().map(clean_line).filter(|rule| !rule.is_empty()),
            fingerprint: self.fingerprint.as_ref().and_then(|known| marker::fingerprint(known.as_str())),
            accepted_by: self
                .accepted_by
                .as_deref()
                .filter(|_| accepted.as_ref().is_some_and(|reason| !reason.is_empty()))
                .and_then(lines::name),
            accepted,
        }
    }
}

/// What may stand in the brackets of an item.
pub(super) fn label(category: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || "-_/&+.".contains(c) { c } else { ' ' };
    let words: String = clean_line(category).chars().take(60).map(plain).collect();
    or(clean_line(&words), "General")
}

fn or(text: String, otherwise: &str) -> String {
    if text.is_empty() { otherwise.to_owned() } else { text }
}

fn write_pair(text: &mut String, key: &str, value: &str) {
    let _ = writeln!(text, "{}", format!("{key} {value}").trim_end());
}

fn write_block(text: &mut String, indent: &str, name: &str, value: &str) {
    let mut lines = value.lines();
    write_pair(text, &format!("{indent}- **{name}:**"), lines.next().unwrap_or_default());
    for line in lines {
        let line = escape(line);
        let _ = writeln!(text, "{}", format!("{indent}  {line}").trim_end());
    }
}
