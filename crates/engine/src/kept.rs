//! A review as it is kept with its task, so that its report can be had for as long as the task is.

use std::collections::BTreeSet;

use domain::formats::findings_document::{DocumentFinding, FindingsDocument};
use domain::formats::review_report::ReviewReport;
use domain::review::{Fingerprint, Review, Statement, Verdict, recognise};
use domain::tasks::AuditEvent;
use domain::text::short_line;
use serde::{Deserialize, Serialize};

const MOST_REMARKS: usize = 20;
/// Of each of the two lists of findings, no more than this is kept.
const MOST_BYTES: usize = 256 * 1024;

/// The report and the findings document of a review, cleaned. The worst findings come first, and what does not fit is
/// counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptReview {
    pub verdict: Verdict,
    /// What the change was compared with, by name and commit; empty in reviews that were kept long ago.
    #[serde(default)]
    pub base: String,
    /// What was reviewed, by name and commit.
    #[serde(default)]
    pub head: String,
    pub report: ReviewReport,
    pub findings: FindingsDocument,
    /// Findings that did not fit.
    pub left_out: usize,
    /// How many files the change was about, the skipped ones included. Unknown of reviews that were kept long ago.
    #[serde(default)]
    pub files: Option<usize>,
    /// What else there is to know, as where it was posted and what its ticket was told. One clean line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

/// What became of a finding since the review before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    New,
    StillThere,
    /// It was fixed once.
    BackAgain,
    Fixed,
}

impl KeptReview {
    /// Under which it stands in the detail of an event.
    pub const KEY: &'static str = "review";

    pub fn of(review: &Review) -> KeptReview {
        let mut report = ReviewReport::from(review).cleaned();
        let mut findings = FindingsDocument::from(review);
        cut(&mut report.findings, &mut 0);
        let (mut bytes, mut left_out) = (0, 0);
        for group in [&mut findings.critical, &mut findings.important, &mut findings.minor] {
            left_out += cut(group, &mut bytes);
        }
        KeptReview {
            verdict: review.verdict(),
            base: short_line(&review.subject.scope.base_label()),
            head: short_line(&review.subject.scope.head_label()),
            report,
            findings,
            left_out,
            files: Some(review.coverage.files.len()),
            // What came last is what was done with it.
            remarks: review
                .remarks
                .iter()
                .rev()
                .take(MOST_REMARKS)
                .rev()
                .map(|line| short_line(line))
                .collect(),
        }
    }

    /// `pass of feature (5f6e7d8c9b) against main (1a2b3c4d5e)`
    pub fn subject(&self) -> String {
        match self.head.is_empty() {
            true => self.verdict.as_str().to_owned(),
            false => format!("{} of {} against {}", self.verdict.as_str(), self.head, self.base),
        }
    }

    /// The newest one among the events of a task.
    pub fn in_events(events: &[AuditEvent]) -> Option<KeptReview> {
        events.iter().rev().find_map(|event| {
            let detail = event.detail.get("detail").unwrap_or(&event.detail);
            serde_json::from_value(detail.get(KeptReview::KEY)?.clone()).ok()
        })
    }

    /// Every finding of this review, and those of the review before that are gone. `earlier` are the reviews of the same
    /// work before this one, the oldest first.
    pub fn against(&self, earlier: &[KeptReview]) -> Vec<(Standing, DocumentFinding)> {
        let all = recognised(
            earlier.iter().chain([self]).map(|review| review.findings.findings().cloned().collect()),
        );
        let Some((findings, earlier)) = all.split_last() else { return Vec::new() };
        let before: BTreeSet<&Fingerprint> = earlier.last().into_iter().flat_map(identities).collect();
        let ever: BTreeSet<&Fingerprint> = earlier.iter().flat_map(identities).collect();
        let now: BTreeSet<&Fingerprint> = identities(findings).collect();
        let standing = |finding: &DocumentFinding| match &finding.fingerprint {
            Some(identity) if before.contains(identity) => Standing::StillThere,
            Some(identity) if ever.contains(identity) => Standing::BackAgain,
            Some(_) | None => Standing::New,
        };
        let present = findings.iter().map(|finding| (standing(finding), finding.clone()));
        let is_gone = |finding: &&DocumentFinding| {
            finding.fingerprint.as_ref().is_some_and(|identity| !now.contains(identity))
        };
        let gone = earlier.last().into_iter().flatten().filter(is_gone);
        present.chain(gone.map(|finding| (Standing::Fixed, finding.clone()))).collect()
    }
}

fn identities<'a>(
    findings: impl IntoIterator<Item = &'a DocumentFinding>,
) -> impl Iterator<Item = &'a Fingerprint> {
    findings.into_iter().filter_map(|finding| finding.fingerprint.as_ref())
}

/// The findings of one review after the other. Those that only say in other words what was said before have the
/// fingerprint they had then.
fn recognised(reviews: impl Iterator<Item = Vec<DocumentFinding>>) -> Vec<Vec<DocumentFinding>> {
    let mut all: Vec<Vec<DocumentFinding>> = Vec::new();
    for mut review in reviews {
        let known =
            recognise(review.iter().filter_map(statement), all.iter().flatten().filter_map(statement));
        for fingerprint in review.iter_mut().filter_map(|finding| finding.fingerprint.as_mut()) {
            if let Some(before) = known.get(fingerprint) {
                fingerprint.clone_from(before);
            }
        }
        all.push(review);
    }
    all
}

fn statement(finding: &DocumentFinding) -> Option<Statement<'_>> {
    Some(Statement {
        fingerprint: finding.fingerprint.as_ref()?,
        severity: finding.severity,
        message: &finding.problem,
        code: "",
    })
}

impl Standing {
    pub fn as_str(self) -> &'static str {
        match self {
            Standing::New => "new",
            Standing::StillThere => "still_there",
            Standing::BackAgain => "back_again",
            Standing::Fixed => "fixed",
        }
    }
}

/// Takes away what lies beyond the limit and says how much that was.
fn cut<T: Serialize>(list: &mut Vec<T>, bytes: &mut usize) -> usize {
    let fits = |item: &T, bytes: &mut usize| {
        *bytes += serde_json::to_string(item).map_or(MOST_BYTES, |json| json.len());
        *bytes <= MOST_BYTES
    };
    let kept = list.iter().take_while(|item| fits(item, bytes)).count();
    let gone = list.len() - kept;
    list.truncate(kept);
    gone
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::words::Severity;

    fn finding(identity: &str) -> DocumentFinding {
        serde_json::from_value(serde_json::json!({
            "category": "Security", "description": identity, "problem": "", "impact": "", "fix": "",
            "severity": Severity::Major, "fingerprint": identity,
        }))
        .unwrap()
    }

    fn review(identities: &[&str]) -> KeptReview {
        let report = serde_json::json!({
            "ticket_id": "t", "reviewed_at": "2026-02-03T10:00:00Z", "reviewer": "r", "status": "fail", "overall_score": 1,
            "revision_count": 0, "findings": [], "blocking_issues": [], "approved": false,
            "dimension_scores": {},
            "pass_criteria_met": {"all_critical_dimensions_pass": true, "no_blocking_issues": true,
                "overall_score_above_threshold": true},
        });
        let findings = FindingsDocument {
            story_id: "s".into(),
            round: 1,
            reviewer: "r".into(),
            date: None,
            branch: "b".into(),
            critical: vec![],
            important: identities.iter().map(|identity| finding(identity)).collect(),
            minor: vec![],
            recommendation: String::new(),
        };
        KeptReview {
            verdict: Verdict::Fail,
            base: "main (1a2b3c4d5e)".into(),
            head: "topic (5f6e7d8c9b)".into(),
            report: serde_json::from_value(report).unwrap(),
            findings,
            left_out: 0,
            files: None,
            remarks: Vec::new(),
        }
    }

    #[test]
    fn findings_are_told_apart_by_what_the_reviews_before_said() {
        let earlier = [review(&["old", "gone"]), review(&["same", "gone"])];
        let now = review(&["new", "same", "old"]);
        let told: Vec<_> = now
            .against(&earlier)
            .into_iter()
            .map(|(standing, finding)| (standing, finding.description))
            .collect();
        let expected = [
            (Standing::New, "new"),
            (Standing::StillThere, "same"),
            (Standing::BackAgain, "old"),
            (Standing::Fixed, "gone"),
        ];
        assert_eq!(told, expected.map(|(standing, name)| (standing, name.to_owned())));
    }

    #[test]
    fn a_finding_in_other_words_is_still_there() {
        let spot = "0123456789abcdef";
        let (before, now) = (format!("{spot}{:016}", 1), format!("{spot}{:016}", 2));
        let said = |identity: &str, problem: &str| {
            let mut review = review(&[identity]);
            review.findings.important[0].problem = problem.into();
            review
        };
        let earlier = [said(&before, "No test covers subtraction")];
        let standings = |problem: &str| -> Vec<Standing> {
            said(&now, problem).against(&earlier).into_iter().map(|(standing, _)| standing).collect()
        };
        assert_eq!(standings("Subtraction is not covered by any test"), [Standing::StillThere]);
        assert_eq!(standings("Anybody can wipe the database"), [Standing::New, Standing::Fixed]);
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let mut list = vec!["x".repeat(100_000); 5];
        assert_eq!(cut(&mut list, &mut 0), 3);
        assert_eq!(list.len(), 2);
    }
}
