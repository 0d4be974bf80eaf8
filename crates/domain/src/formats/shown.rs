//! How a finding appears in formats that know files and lines after the change, and nothing else.

use std::cmp::Reverse;

use super::escape::{clean, clip, one_line};
use crate::change::{RepoPath, Side};
use crate::review::{Confidence, Finding, Place, Review, Verdict};
use crate::words::Level;

/// The readers of these formats count lines in 32 bits with a sign.
const LAST_LINE: u32 = i32::MAX as u32;

/// The place a finding is shown at, which need not be the place it is about.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shown<'a> {
    pub(super) path: Option<&'a RepoPath>,
    /// First and last line of the file after the change, counted from 1.
    pub(super) lines: Option<(u32, u32)>,
    /// What has to be said because the place shown is not the place meant.
    pub(super) remark: Option<String>,
}

impl<'a> Shown<'a> {
    /// `stand_in` is the file for what concerns the change as a whole, where the format needs one.
    pub(super) fn of(finding: &'a Finding, stand_in: Option<&'a RepoPath>) -> Self {
        match &finding.place {
            Place::Lines(anchor) if anchor.side == Side::New => {
                let start = anchor.start.clamp(1, LAST_LINE);
                let lines = Some((start, anchor.end.clamp(start, LAST_LINE)));
                Shown { path: Some(&anchor.path), lines, remark: None }
            }
            Place::Lines(anchor) => {
                let remark = format!("This is about line {} before the change, which is gone.", anchor.start);
                Shown { path: Some(&anchor.path), lines: None, remark: Some(remark) }
            }
            Place::File { path } => Shown { path: Some(path), lines: None, remark: None },
            Place::Summary => Shown {
                path: stand_in,
                lines: None,
                remark: stand_in.map(|_| "This is about the change as a whole, not about this file.".into()),
            },
        }
    }
}

/// The file that stands in for the change as a whole: the first one reviewed, else the first there is.
pub(super) fn stand_in(review: &Review) -> Option<&RepoPath> {
    let mut reviewed = review.coverage.reviewed_files();
    reviewed.next().or(review.coverage.files.first()).map(|file| &file.path)
}

/// The level of the finding's severity; what nobody is sure of is never an error, as it never blocks.
pub(super) fn level(finding: &Finding) -> Level {
    match finding.confidence {
        Confidence::Low => finding.severity.level().min(Level::Warning),
        Confidence::Medium | Confidence::High => finding.severity.level(),
    }
}

/// What blocks before what does not, the worse before the milder, else in the order of the review.
pub(crate) fn worst_first(review: &Review) -> Vec<&Finding> {
    let mut findings: Vec<_> = review.findings.iter().collect();
    findings.sort_by_key(|f| Reverse((f.blocks(review.decision.fail_on), level(f), f.severity)));
    findings
}

/// Message, remark, reason and fix as plain paragraphs, each of at most `limit` characters.
pub(super) fn body(finding: &Finding, remark: Option<&str>, limit: usize) -> String {
    let field = |text: &str| clip(clean(text).trim(), limit);
    let labelled = |label: &str, text: &str| {
        let text = field(text);
        (!text.is_empty()).then(|| format!("{label}: {text}"))
    };
    let message = match field(&finding.message) {
        empty if empty.is_empty() => format!("{} found something", rule_id(finding)),
        message => message,
    };
    let rest =
        [remark.map(str::to_owned), labelled("Why", &finding.impact), labelled("Fix", &finding.suggestion)];
    [Some(message)].into_iter().chain(rest).flatten().collect::<Vec<_>>().join("\n")
}

/// The rule's name as an identifier that is never empty and never long.
pub(crate) fn rule_id(finding: &Finding) -> String {
    match clip(&one_line(&finding.rule), 128) {
        empty if empty.is_empty() => "unnamed".to_owned(),
        id => id,
    }
}

/// Why the verdict is what it is, in one line.
pub(crate) fn reason(review: &Review) -> String {
    let reason = match review.verdict() {
        Verdict::Pass => "every criterion is met".to_owned(),
        Verdict::Fail => {
            let unmet = review.decision.unmet();
            listed(unmet.map(|c| format!("{} is {}, required {}", c.name, c.actual, c.required)))
        }
        Verdict::Inconclusive => listed(review.troubles.iter().map(|trouble| trouble.message.clone())),
    };
    let corrected = review.decision.corrected.iter().map(String::as_str);
    one_line(&[reason.as_str()].into_iter().chain(corrected).collect::<Vec<_>>().join("; "))
}

fn listed(items: impl Iterator<Item = String>) -> String {
    const MOST: usize = 8;
    let mut items: Vec<_> = items.map(|item| clip(&one_line(&item), 300)).collect();
    let more = items.len().saturating_sub(MOST);
    items.truncate(MOST);
    if more > 0 {
        items.push(format!("and {more} more"));
    }
    items.join("; ")
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::words::Severity;

    #[test]
    fn removed_lines_are_shown_at_the_file_with_a_remark() {
        let mut review = fixture::review();
        if let Place::Lines(anchor) = &mut review.findings[0].place {
            anchor.side = Side::Old;
        }
        let shown = Shown::of(&review.findings[0], None);
        assert_eq!(shown.lines, None);
        assert!(shown.remark.unwrap().contains("line 45 before the change"));
    }

    #[test]
    fn line_zero_and_reversed_ranges_are_put_right() {
        let mut review = fixture::review();
        if let Place::Lines(anchor) = &mut review.findings[0].place {
            (anchor.start, anchor.end) = (0, 0);
        }
        assert_eq!(Shown::of(&review.findings[0], None).lines, Some((1, 1)));
    }

    #[test]
    fn a_doubtful_critical_finding_is_a_warning_and_comes_after_what_blocks() {
        let mut review = fixture::review();
        review.findings[0].confidence = Confidence::Low;
        assert_eq!(level(&review.findings[0]), Level::Warning);
        let severities: Vec<_> = worst_first(&review).iter().map(|finding| finding.severity).collect();
        assert_eq!(severities, [Severity::High, Severity::Critical, Severity::Medium, Severity::Suggestion]);
    }

    #[test]
    fn a_skipped_file_stands_in_only_where_nothing_was_reviewed() {
        let mut review = fixture::review();
        assert_eq!(stand_in(&review), Some(&"src/api/auth.ts".into()));
        review.coverage.files.remove(0);
        assert_eq!(stand_in(&review), Some(&"yarn.lock".into()));
        review.coverage.files.clear();
        assert_eq!(stand_in(&review), None);
    }

    #[test]
    fn every_format_lists_what_was_merged_with_a_finding() {
        let mut review = fixture::review();
        let mut other = review.findings[0].clone();
        other.message = "The token is logged".into();
        review.findings[0] = review.findings[0].clone().merged_with(&other);
        let report = crate::formats::review_report::ReviewReport::from(&review);
        let by_code = crate::formats::code_review_report::CodeReviewReport::from(&review);
        let formats = [
            crate::formats::github::render(&review),
            crate::formats::markdown::render(&review),
            crate::formats::rdjson::render(&review, "1").to_string(),
            crate::formats::sarif::render(&review, "1", &[]).to_string(),
            crate::formats::findings_document::FindingsDocument::from(&review).render(),
            crate::formats::qa_findings::checklist(&[(&review.findings[0]).into()]),
            report.findings.iter().map(|finding| finding.suggestion.as_str()).collect(),
            serde_json::to_string(&by_code).unwrap(),
        ];
        for format in formats {
            assert!(format.contains("The token is logged"), "{format}");
        }
    }
}
