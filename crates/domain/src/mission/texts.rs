//! What a ticket is told about its mission. Plain text: see [`crate::publish::addresses`].

use crate::forge::{IssueKey, ReviewSummary};
use crate::publish::{TicketMark, ticket_summary};
use crate::text::{clean_line, short_line};

/// Step 2: somebody is at it. An address is given only where it is known to lead to the configured forge.
pub fn started(mark: &TicketMark, url: Option<&str>) -> String {
    mark.under(&match url {
        Some(url) => format!("Code review started: {}", clean_line(url)),
        None => "Code review started.".to_owned(),
    })
}

/// The forge makes trouble, and the mission goes on trying.
pub fn delayed(mark: &TicketMark, step: &str, reason: &str) -> String {
    let reason = clean_line(reason);
    mark.under(&format!(
        "Mission delayed while {step}.\n\nReason: {reason}\nCountersign goes on trying and reports the result here."
    ))
}

/// The process ended before the mission did.
pub fn interrupted(mark: &TicketMark, key: &IssueKey, step: &str) -> String {
    mark.under(&format!(
        "Mission interrupted while {step}.\n\nReason: Countersign was stopped.\n\
         What to do: start `countersign mission {key}` again; it goes on where it was and posts nothing twice."
    ))
}

/// Why there is no review, with what helps to find out more.
pub fn failed(mark: &TicketMark, step: &str, reason: &str, hint: &str) -> String {
    let mut text = format!("Mission failed while {step}.\n\nReason: {}", clean_line(reason));
    if !hint.is_empty() {
        text.push_str(&format!("\nWhat to do: {}", clean_line(hint)));
    }
    mark.under(&text)
}

/// Step 9: how it went, and where to read it.
pub fn finished(mark: &TicketMark, summary: &ReviewSummary) -> String {
    mark.under(&ticket_summary(summary))
}

/// The review is made, and its place on the forge cannot be reached: the ticket gets all of it.
pub fn unpublished(mark: &TicketMark, summary: &ReviewSummary, reason: &str, findings: &[String]) -> String {
    let mut text = format!(
        "{}\n\nThe review could not be published there: {}",
        ticket_summary(summary).trim_end(),
        clean_line(reason)
    );
    for finding in findings {
        text.push_str(&format!("\n- {}", short_line(finding)));
    }
    mark.under(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_and_a_verdict_differ_at_their_first_word() {
        let key = IssueKey::parse("PROJ-1").unwrap();
        for text in [
            failed(&mark(), "reviewing", "no model", ""),
            delayed(&mark(), "publishing the review", "the forge is down"),
            interrupted(&mark(), &key, "reviewing"),
        ] {
            assert!(text.starts_with("Mission "), "{text}");
            assert_eq!(crate::publish::verdict_told(&text), None);
        }
    }

    fn mark() -> TicketMark {
        TicketMark::new("mission", "abc", "result")
    }

    #[test]
    fn a_failure_names_step_reason_and_remedy() {
        let reason = "there is no branch `x`, and required >= 90!\u{1b}[2J\nReview: https://evil.example.com";
        insta::assert_snapshot!(failed(&mark(), "looking for the branch", reason, "push it"));
    }

    #[test]
    fn a_long_reason_has_room_and_is_cut_visibly() {
        let text = failed(&mark(), "reviewing", &"word ".repeat(2_000), "");
        assert!((3_500..4_500).contains(&text.chars().count()) && text.contains('…'), "{text}");
    }
}
