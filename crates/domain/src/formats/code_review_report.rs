//! The `CodeReviewReport` a model fills in for a merge request: grouped findings, recommendations, next steps.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lenient;
use crate::change::{Change, RepoPath};
use crate::review::{Claim, Confidence, Evidence, Finding, Fingerprint, Review, Trouble, Verdict};
use crate::text::{clean_block, clean_line};
use crate::words::{Category, Severity};

/// More recommendations than this help nobody.
const MOST_RECOMMENDATIONS: usize = 20;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CodeReviewReport {
    /// The outcome in a few sentences.
    pub summary: String,
    pub counts_by_severity: SeverityCounts,
    /// One group per severity that occurs, worst first.
    pub findings: Vec<SeverityGroup>,
    /// What to do, most urgent first.
    pub recommendations: Vec<String>,
    pub next_steps: Vec<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SeverityCounts {
    pub critical: u32,
    pub high: u32,
    pub major: u32,
    pub medium: u32,
    pub low: u32,
    pub minor: u32,
    pub suggestion: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SeverityGroup {
    pub severity: Severity,
    pub files: Vec<FileGroup>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileGroup {
    /// Null for findings about the change as a whole.
    #[serde(default, deserialize_with = "lenient::de_path")]
    pub file: Option<RepoPath>,
    /// By line; those about the whole file come first.
    pub findings: Vec<GroupedFinding>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GroupedFinding {
    /// Null for findings about the whole file.
    #[serde(default, deserialize_with = "lenient::de_line")]
    pub line: Option<u32>,
    #[serde(deserialize_with = "de_category")]
    pub category: Category,
    pub message: String,
    #[serde(default, deserialize_with = "lenient::de_text")]
    #[schemars(with = "String")]
    pub impact: String,
    #[serde(default, deserialize_with = "lenient::de_text")]
    #[schemars(with = "String")]
    pub recommendation: String,
}

fn de_category<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Category, D::Error> {
    Ok(lenient::category(&String::deserialize(deserializer)?))
}

impl SeverityCounts {
    pub fn of(&self, severity: Severity) -> u32 {
        match severity {
            Severity::Critical => self.critical,
            Severity::High => self.high,
            Severity::Major => self.major,
            Severity::Medium => self.medium,
            Severity::Low => self.low,
            Severity::Minor => self.minor,
            Severity::Suggestion => self.suggestion,
        }
    }

    pub fn count<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> SeverityCounts {
        let mut counts = SeverityCounts::default();
        for finding in findings {
            let count = match finding.severity {
                Severity::Critical => &mut counts.critical,
                Severity::High => &mut counts.high,
                Severity::Major => &mut counts.major,
                Severity::Medium => &mut counts.medium,
                Severity::Low => &mut counts.low,
                Severity::Minor => &mut counts.minor,
                Severity::Suggestion => &mut counts.suggestion,
            };
            *count += 1;
        }
        counts
    }

    /// `1 CRITICAL, 2 LOW`, or `no findings`.
    pub fn in_words(&self) -> String {
        let words: Vec<_> = Severity::ALL
            .into_iter()
            .filter(|severity| self.of(*severity) > 0)
            .map(|severity| format!("{} {severity}", self.of(severity)))
            .collect();
        if words.is_empty() { "no findings".to_owned() } else { words.join(", ") }
    }
}

/// Texts come out cleaned.
impl From<&Review> for CodeReviewReport {
    fn from(review: &Review) -> Self {
        let findings = review.findings_and_troubles();
        let counts_by_severity = SeverityCounts::count(&findings);
        CodeReviewReport {
            summary: summary(review, &counts_by_severity),
            counts_by_severity,
            findings: Severity::ALL
                .into_iter()
                .filter_map(|severity| severity_group(&findings, severity))
                .collect(),
            recommendations: recommendations(&findings),
            next_steps: next_steps(review),
        }
    }
}

fn severity_group(findings: &[Finding], severity: Severity) -> Option<SeverityGroup> {
    let mut findings: Vec<_> = findings.iter().filter(|finding| finding.severity == severity).collect();
    findings.sort_by_key(|finding| (finding.path(), finding.line()));
    let files: Vec<_> = findings
        .chunk_by(|a, b| a.path() == b.path())
        .map(|findings| FileGroup {
            file: findings.first().and_then(|finding| finding.path().cloned()),
            findings: findings.iter().map(|finding| grouped(finding)).collect(),
        })
        .collect();
    (!files.is_empty()).then_some(SeverityGroup { severity, files })
}

fn grouped(finding: &Finding) -> GroupedFinding {
    GroupedFinding {
        line: finding.line(),
        category: finding.category,
        message: clean_block(&finding.message),
        impact: clean_block(&finding.impact),
        recommendation: clean_block(&finding.suggestion),
    }
}

fn summary(review: &Review, counts: &SeverityCounts) -> String {
    let outcome = match review.verdict() {
        Verdict::Pass => "The change passes",
        Verdict::Fail => "The change does not pass",
        Verdict::Inconclusive => "The review is inconclusive",
    };
    let (seen, all) = review.coverage.counts();
    let score = review.decision.overall_score;
    let counts = counts.in_words();
    format!("{outcome}: {counts}; overall score {score}/100; {seen} of {all} hunks reviewed.")
}

/// Those of the blocking findings first, each once.
fn recommendations(findings: &[Finding]) -> Vec<String> {
    let mut findings: Vec<_> = findings.iter().collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    let mut recommendations = Vec::new();
    for finding in findings.iter().filter(|finding| !finding.suggestion.trim().is_empty()) {
        let recommendation = format!("{}: {}", finding.location(), clean_line(&finding.suggestion));
        if recommendations.len() < MOST_RECOMMENDATIONS && !recommendations.contains(&recommendation) {
            recommendations.push(recommendation);
        }
    }
    recommendations
}

fn next_steps(review: &Review) -> Vec<String> {
    match review.verdict() {
        Verdict::Pass => vec!["Merge when ready".to_owned()],
        Verdict::Fail => {
            let blocking = review.blocking().count();
            let scores = review.decision.unmet().filter(|criterion| criterion.name != "blocking_issues");
            let fix = (blocking > 0).then(|| format!("Fix the blocking findings ({blocking})"));
            let raise = scores.map(|criterion| {
                format!("Bring {} to {} (now {})", criterion.name, criterion.required, criterion.actual)
            });
            fix.into_iter()
                .chain(raise)
                .chain(["Push the fixes and request another review".to_owned()])
                .collect()
        }
        Verdict::Inconclusive => review
            .troubles
            .iter()
            .map(|trouble| format!("Review again: {}", clean_line(&trouble.message)))
            .collect(),
    }
}

impl CodeReviewReport {
    /// What the report of a model is worth to the gate. Places are looked up in the real change; a report
    /// that counts more findings than it lists was cut off and is inconclusive. Which hunks were seen is
    /// not in the report; the caller knows.
    pub fn into_evidence(self, reviewer: &str, change: &Change) -> Evidence {
        let findings: Vec<_> = self
            .findings
            .iter()
            .flat_map(|group| group.files.iter().map(move |file| (group.severity, file)))
            .flat_map(|(severity, file)| file.findings.iter().map(move |finding| (severity, file, finding)))
            .map(|(severity, file, grouped)| {
                let claim = Claim { path: file.file.clone(), line: grouped.line, quote: None };
                Finding {
                    rule: reviewer.to_owned(),
                    severity,
                    category: grouped.category,
                    dimension: grouped.category.dimension(),
                    confidence: Confidence::Medium,
                    place: claim.resolve(change),
                    message: clean_block(&grouped.message),
                    impact: clean_block(&grouped.impact),
                    suggestion: clean_block(&grouped.recommendation),
                    fingerprint: Fingerprint::default(),
                }
            })
            .collect();
        let troubles = self.cut_off(&SeverityCounts::count(&findings)).into_iter().collect();
        Evidence { findings, troubles, ..Evidence::default() }
    }

    fn cut_off(&self, listed: &SeverityCounts) -> Option<Trouble> {
        let claimed = &self.counts_by_severity;
        let short = Severity::ALL.into_iter().any(|severity| claimed.of(severity) > listed.of(severity));
        short.then(|| Trouble {
            kind: "cut_off".to_owned(),
            message: format!("the report counts {} but lists {}", claimed.in_words(), listed.in_words()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::fixture;

    fn nothing_changed() -> Change {
        Change { scope: fixture::review().subject.scope, files: vec![] }
    }

    #[test]
    fn a_review_as_a_report() {
        let report = CodeReviewReport::from(&fixture::review());
        insta::assert_snapshot!(serde_json::to_string_pretty(&report).unwrap());
    }

    #[test]
    fn an_inconclusive_review_says_to_review_again() {
        let report = CodeReviewReport::from(&fixture::inconclusive_review());
        assert!(report.summary.starts_with("The review is inconclusive"), "{}", report.summary);
        assert_eq!(report.next_steps, ["Review again: 1 of 3 hunks was not reviewed: src/api/auth.ts:40"]);
    }

    #[test]
    fn findings_of_a_file_stand_together_by_line() {
        let mut review = fixture::review();
        for (finding, line) in review.findings.iter_mut().zip([9, 3]) {
            finding.severity = Severity::High;
            finding.place = crate::review::Place::Lines(crate::review::Anchor {
                path: "a.rs".into(),
                side: crate::change::Side::New,
                start: line,
                end: line,
                text: String::new(),
            });
        }
        let report = CodeReviewReport::from(&review);
        let lines: Vec<_> = report.findings[0].files[0].findings.iter().map(|finding| finding.line).collect();
        assert_eq!(lines, [Some(3), Some(9)]);
    }

    #[test]
    fn a_report_becomes_evidence_without_a_verdict_of_its_own() {
        let evidence = CodeReviewReport::from(&fixture::review()).into_evidence("model", &nothing_changed());
        let severities: Vec<_> = evidence.findings.iter().map(|finding| finding.severity).collect();
        assert_eq!(severities, [Severity::Critical, Severity::High, Severity::Medium, Severity::Suggestion]);
        assert!(evidence.troubles.is_empty() && evidence.claimed.is_none() && evidence.scores.is_none());
    }

    #[test]
    fn a_report_that_counts_more_than_it_lists_was_cut_off() {
        let mut report = CodeReviewReport::from(&fixture::review());
        report.findings.truncate(1);
        let evidence = report.into_evidence("model", &nothing_changed());
        assert_eq!(evidence.troubles[0].kind, "cut_off");
        assert!(evidence.troubles[0].message.ends_with("but lists 1 CRITICAL"));
    }
}
