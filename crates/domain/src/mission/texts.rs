//! What a ticket is told about its mission. Plain text: trackers read different markup.

use crate::forge::ReviewSummary;
use crate::publish::{TicketMark, plain_text, ticket_summary};
use crate::text::{brief_line, clean_line};

/// The line by which a report is found again, so that none is posted twice. It is made from the id of the mission, which
/// nobody outside knows: whoever has read how it began cannot write how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker<'a> {
    pub mission: &'a str,
    pub kind: MarkerKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkerKind {
    Start,
    /// How it ended, whichever way.
    Result,
}

impl Marker<'_> {
    pub fn mark(&self) -> TicketMark {
        let kind = match self.kind {
            MarkerKind::Start => "start",
            MarkerKind::Result => "result",
        };
        TicketMark::of_parts("mission", &[self.mission, kind], kind)
    }

    pub fn is_in(&self, body: &str) -> bool {
        self.mark().is_in(body)
    }

    fn under(&self, text: &str) -> String {
        self.mark().under(text)
    }
}

/// Step 2: somebody is at it.
pub fn started(marker: &Marker<'_>, url: &str) -> String {
    marker.under(&format!("Code review started: {}", clean_line(url)))
}

/// Why there is no review, with what helps to find out more.
pub fn failed(marker: &Marker<'_>, step: &str, reason: &str, hint: &str) -> String {
    let mut text = format!("Code review failed while {step}.\n\nReason: {}", plain_text(&brief_line(reason)));
    if !hint.is_empty() {
        text.push_str(&format!("\nWhat to do: {}", plain_text(&brief_line(hint))));
    }
    marker.under(&text)
}

/// The review is made, and its place on the forge cannot be reached: the ticket gets all of it.
pub fn unpublished(
    marker: &Marker<'_>,
    summary: &ReviewSummary,
    reason: &str,
    findings: &[String],
) -> String {
    let mut text = format!(
        "{}\n\nThe review could not be published there: {}",
        ticket_summary(summary).trim_end(),
        plain_text(&brief_line(reason))
    );
    for finding in findings {
        text.push_str(&format!("\n- {}", plain_text(&brief_line(finding))));
    }
    marker.under(&text)
}

impl Marker<'_> {
    /// Step 9: how it went, and where to read it.
    pub fn finished(&self, summary: &ReviewSummary) -> String {
        self.under(&ticket_summary(summary))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_found_again_by_its_line_alone() {
        let marker = Marker { mission: "PROJ-1-abc", kind: MarkerKind::Start };
        let text = started(&marker, "https://gitlab.example.com/a/b/-/merge_requests/7");
        assert!(marker.is_in(&text));
        assert!(!Marker { mission: "PROJ-1-abc", kind: MarkerKind::Result }.is_in(&text));
        assert!(!Marker { mission: "PROJ-1-ab", kind: MarkerKind::Start }.is_in(&text));
    }

    #[test]
    fn a_failure_names_step_reason_and_remedy() {
        let marker = Marker { mission: "PROJ-1-abc", kind: MarkerKind::Result };
        insta::assert_snapshot!(failed(
            &marker,
            "looking for the branch",
            "there is no branch `x`\u{1b}[2J",
            "push it"
        ));
    }
}
