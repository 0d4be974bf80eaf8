//! Texts for tickets. Trackers read wiki markup, Markdown or neither, so these are written to read well as they are.

use crate::forge::ReviewSummary;
use crate::formats::shown::reason;
use crate::review::{Review, Verdict};
use crate::text::{clean_block, clean_line};

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
}
