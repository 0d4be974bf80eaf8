//! Texts for tickets. Trackers read wiki markup, Markdown or neither, so these are written to read well as they are.

use super::marker::digest;
use crate::change::Oid;
use crate::forge::ReviewSummary;
use crate::formats::shown::reason;
use crate::review::{Review, Verdict};
use crate::text::{clean_block, clean_line, short_line};

/// The last line of a comment on a ticket, by which it is found again, so that nothing is told twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TicketMark {
    line: String,
}

impl TicketMark {
    /// `countersign:mission:1f3a:start`, a word of its own: no tracker's markup changes it. All three are letters and
    /// digits.
    pub fn new(about: &str, id: &str, kind: &str) -> TicketMark {
        TicketMark { line: format!("countersign:{about}:{id}:{kind}") }
    }

    /// For what is told by its parts: the same parts make the same mark, on every machine.
    pub fn of_parts(about: &str, parts: &[&str], kind: &str) -> TicketMark {
        TicketMark::new(about, &digest(&parts.join("\n")), kind)
    }

    pub fn as_str(&self) -> &str {
        &self.line
    }

    pub fn is_in(&self, body: &str) -> bool {
        body.lines().any(|line| line.trim() == self.line)
    }

    /// The text with the mark below it.
    pub fn under(&self, text: &str) -> String {
        format!("{}\n\n{}", text.trim_end(), self.line)
    }
}

/// What became of a ticket's status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TicketMove {
    /// Nobody wanted it moved.
    Stays,
    /// It is there now, whoever moved it.
    Moved { to: String },
    /// The tracker has no way there, or does not let us.
    Impossible { to: String, reason: String },
}

impl TicketMove {
    /// For people. Nothing where there is nothing to say.
    pub fn told(&self) -> Option<String> {
        match self {
            TicketMove::Stays => None,
            TicketMove::Moved { to } => Some(format!("Status: {}", plain_text(&clean_line(to)))),
            TicketMove::Impossible { to, reason } => Some(format!(
                "The status was not changed to {}: {}",
                plain_text(&clean_line(to)),
                plain_text(&short_line(reason))
            )),
        }
    }
}

/// What a ticket is told when its work is handed in at this commit, with the words that others look for.
pub fn handed_in(url: &str, head: &Oid, moved: &TicketMove) -> String {
    let text = format!("Pull request created: {}\nCommit: {}", clean_line(url), head.short());
    with_move(text, moved)
}

/// What a ticket is told about the review of a commit; `unpublished` says why it cannot be read where it belongs.
pub fn reviewed(
    summary: &ReviewSummary,
    head: &Oid,
    unpublished: Option<&str>,
    moved: &TicketMove,
) -> String {
    let mut text = format!("{}\nCommit: {}", ticket_summary(summary), head.short());
    if let Some(reason) = unpublished {
        let reason = plain_text(&short_line(reason));
        text.push_str(&format!("\nThe review could not be published there: {reason}"));
    }
    with_move(text, moved)
}

fn with_move(text: String, moved: &TicketMove) -> String {
    match moved.told() {
        Some(told) => format!("{text}\n{told}"),
        None => text,
    }
}

/// Text of unknown origin without anything that a tracker could take for markup, a mention or a macro.
pub fn plain_text(text: &str) -> String {
    clean_block(text)
        .chars()
        .map(|c| match c {
            '[' | '{' => '(',
            ']' | '}' => ')',
            '|' => '/',
            '*' | '`' | '~' | '^' | '#' | '<' | '>' | '!' | '\\' => ' ',
            '@' => '\u{FF20}',
            harmless => harmless,
        })
        .collect()
}

/// What a ticket is told about this review, which can be read at `url`.
pub fn summary_of(review: &Review, url: &str) -> ReviewSummary {
    let mut severities: Vec<_> = review.findings.iter().map(|finding| finding.severity).collect();
    severities.sort_by_key(|severity| std::cmp::Reverse(*severity));
    let counts = severities.chunk_by(|a, b| a == b).map(|chunk| (chunk[0], chunk.len())).collect();
    ReviewSummary {
        url: url.to_owned(),
        verdict: review.verdict(),
        score: review.decision.overall_score,
        counts,
        notes: vec![format!("Reason: {}", reason(review))],
    }
}

/// The text of it.
pub fn ticket_summary(summary: &ReviewSummary) -> String {
    let verdict = match summary.verdict {
        Verdict::Pass => "passed",
        Verdict::Fail => "failed: changes are requested",
        Verdict::Inconclusive => "inconclusive: it proves nothing and counts as not passed",
    };
    let counts = match &summary.counts[..] {
        [] => "none".to_owned(),
        counts => {
            let each: Vec<_> = counts.iter().map(|(severity, count)| format!("{severity} {count}")).collect();
            each.join(", ")
        }
    };
    let mut text = format!(
        "Code review {verdict}.\nScore: {} of 100\nFindings: {counts}\nReview: {}",
        summary.score,
        clean_line(&summary.url),
    );
    for note in &summary.notes {
        text.push('\n');
        text.push_str(&plain_text(&clean_line(note)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Severity;

    #[test]
    fn a_ticket_is_told_what_came_of_a_review() {
        let summary = ReviewSummary {
            url: "https://gitlab.example.com/g/p/-/merge_requests/7".into(),
            verdict: Verdict::Fail,
            score: 61,
            counts: vec![(Severity::Critical, 1), (Severity::Medium, 2)],
            notes: vec!["[~admin] {code} @all".into()],
        };
        insta::assert_snapshot!(ticket_summary(&summary));
    }

    #[test]
    fn a_comment_is_found_again_by_its_mark_alone() {
        let mark = TicketMark::of_parts("review", &["task-1", "abc"], "result");
        assert_eq!(mark, TicketMark::of_parts("review", &["task-1", "abc"], "result"));
        assert_ne!(mark, TicketMark::of_parts("review", &["task-1a", "bc"], "result"));
        let text = mark.under("Code review passed.");
        assert!(mark.is_in(&text) && !TicketMark::new("review", "x", "result").is_in(&text));
    }

    #[test]
    fn a_status_that_cannot_be_reached_is_explained_without_markup() {
        let moved = TicketMove::Impossible { to: "Approved".into(), reason: "[only|Start -> Doing]".into() };
        let head = Oid::parse(&"a".repeat(40)).unwrap();
        insta::assert_snapshot!(handed_in("https://git.example/a/b/pull/7", &head, &moved), @r"
        Pull request created: https://git.example/a/b/pull/7
        Commit: aaaaaaaaaa
        The status was not changed to Approved: (only/Start -  Doing)
        ");
    }
}
