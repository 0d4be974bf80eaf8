use std::fmt::Write;

use super::{QaFinding, lenient};
use crate::text::clean_line;

/// The numbered list an engineer ticks off. [`super::parse_findings`] reads it back.
pub fn checklist(findings: &[QaFinding]) -> String {
    let mut text = String::from("## Review Findings\n");
    for (index, finding) in findings.iter().enumerate() {
        let QaFinding { file, line_number, severity, description, suggested_fix, category } = finding;
        let location = lenient::location(file.as_ref(), *line_number);
        let _ = write!(text, "\n{}. [ ] **{severity}** ({category}): {location}\n", index + 1);
        let _ = writeln!(text, "    Issue: {}", clean_line(description));
        let fix = clean_line(suggested_fix);
        if !fix.is_empty() {
            let _ = writeln!(text, "    Fix: {fix}");
        }
    }
    text
}
