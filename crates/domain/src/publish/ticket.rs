//! Texts for tickets. They are plain: whoever posts one has its tracker show every character as it is, whatever markup it
//! reads. Only what [`addresses`] finds may become a link.

use super::marker::{PublishKey, digest};
use crate::change::Oid;
use crate::forge::ReviewSummary;
use crate::formats::shown::reason;
use crate::review::{Review, Verdict};
use crate::text::clean_line;

/// Lines of ours that end with an address of ours. Words of others never begin a line.
const ADDRESSED: [&str; 3] = ["Code review started: ", "Pull request created: ", "Review: "];
/// Of an id, in characters.
const LENGTH: usize = 16;

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

    /// As [`TicketMark::of_parts`]; with a key, nobody else can make it.
    pub fn sealed(about: &str, parts: &[&str], kind: &str, key: Option<&PublishKey>) -> TicketMark {
        match key {
            None => TicketMark::of_parts(about, parts, kind),
            Some(key) => {
                let mut id = key.code(&format!("{about}\n{kind}\n{}", parts.join("\n")));
                id.truncate(LENGTH);
                TicketMark::new(about, &id, kind)
            }
        }
    }

    pub fn as_str(&self) -> &str {
        &self.line
    }

    pub fn is_in(&self, body: &str) -> bool {
        body.lines().any(|line| line.trim() == self.line)
    }

    /// Whether there is a mark about this and of this kind, whatever its id.
    pub fn is_any(about: &str, kind: &str, body: &str) -> bool {
        let id = |line: &str| -> Option<bool> {
            let rest = line.trim().strip_prefix("countersign:")?.strip_prefix(about)?.strip_prefix(':')?;
            let id = rest.strip_suffix(kind)?.strip_suffix(':')?;
            Some(!id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        };
        body.lines().any(|line| id(line) == Some(true))
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
            TicketMove::Moved { to } => Some(format!("Status: {}", clean_line(to))),
            TicketMove::Impossible { to, reason } => {
                Some(format!("The status was not changed to {}: {}", clean_line(to), clean_line(reason)))
            }
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
        let reason = clean_line(reason);
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

/// The addresses in a text of ours that readers may follow.
pub fn addresses(text: &str) -> Vec<&str> {
    text.lines().filter_map(address).collect()
}

fn address(line: &str) -> Option<&str> {
    let rest = ADDRESSED.iter().find_map(|label| line.strip_prefix(label))?;
    let is_web = rest.starts_with("https://") || rest.starts_with("http://");
    (is_web && !rest.contains(char::is_whitespace)).then_some(rest)
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
    let verdict = told(summary.verdict);
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
        text.push_str(&clean_line(note));
    }
    text
}

/// What a ticket was told by [`ticket_summary`], with whatever else. Nothing for any other text.
pub fn verdict_told(text: &str) -> Option<Verdict> {
    let said = text.lines().find_map(|line| line.trim().strip_prefix("Code review "))?;
    [Verdict::Pass, Verdict::Fail, Verdict::Inconclusive]
        .into_iter()
        .find(|verdict| said.starts_with(told(*verdict)))
}

fn told(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "passed",
        Verdict::Fail => "failed: changes are requested",
        Verdict::Inconclusive => "inconclusive: it proves nothing and counts as not passed",
    }
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
        let is_any = |about, kind| TicketMark::is_any(about, kind, &text);
        assert_eq!(
            [is_any("review", "result"), is_any("review", "start"), is_any("mission", "result")],
            [true, false, false]
        );
        assert!(!TicketMark::is_any("review", "result", "see countersign:review:1f:result"));
    }

    #[test]
    fn a_status_that_cannot_be_reached_is_explained_without_markup() {
        let moved = TicketMove::Impossible { to: "Approved".into(), reason: "[only|Start -> Doing]".into() };
        let head = Oid::parse(&"a".repeat(40)).unwrap();
        insta::assert_snapshot!(handed_in("https://git.example/a/b/pull/7", &head, &moved), @r"
        Pull request created: https://git.example/a/b/pull/7
        Commit: aaaaaaaaaa
        The status was not changed to Approved: [only|Start -> Doing]
        ");
    }

    #[test]
    fn the_verdict_is_read_back_and_nothing_else_is_taken_for_one() {
        for verdict in [Verdict::Pass, Verdict::Fail, Verdict::Inconclusive] {
            let summary = ReviewSummary { url: "u".into(), verdict, score: 1, counts: vec![], notes: vec![] };
            assert_eq!(verdict_told(&ticket_summary(&summary)), Some(verdict));
        }
        assert_eq!(verdict_told("Code review failed while reviewing."), None);
    }

    #[test]
    fn only_addresses_of_ours_are_links() {
        let text = "Code review failed while x.\nReview: https://a.example/7\nReason: Review: https://b.example\n\
                    Review: javascript:alert(1)\nReview: https://c.example and more";
        assert_eq!(addresses(text), ["https://a.example/7"]);
    }
}
