use super::{
    BlockingIssue, DimensionScores, PassCriteriaMet, REVIEWER, ReportFinding, ReportStatus, ReviewReport,
    ScoredDimension,
};
use crate::gate::DimensionScore;
use crate::review::{Finding, NOTES_RULE, Review, Verdict};
use crate::text::{clean_block, clean_line};

/// Texts come out cleaned; `countersign` keeps them as they are. An inconclusive review is a failure with a
/// blocking issue of its own for each reason.
impl From<&Review> for ReviewReport {
    fn from(review: &Review) -> Self {
        let decision = &review.decision;
        let status = match decision.verdict {
            Verdict::Pass => ReportStatus::Pass,
            Verdict::Fail | Verdict::Inconclusive => ReportStatus::Fail,
        };
        let blocking_issues: Vec<_> = review
            .troubles
            .iter()
            .map(|trouble| blocking_issue(&trouble.as_finding()))
            .chain(review.blocking().map(blocking_issue))
            .collect();
        ReviewReport {
            ticket_id: clean_line(&review.subject.id),
            reviewed_at: review.reviewed_at,
            reviewer: REVIEWER.to_owned(),
            status,
            overall_score: i64::from(decision.overall_score),
            revision_count: review.subject.revision_count,
            dimension_scores: DimensionScores(decision.dimension_scores.iter().map(scored).collect()),
            findings: review.findings.iter().map(report_finding).collect(),
            revision_notes: (status == ReportStatus::Fail).then(|| revision_notes(review)),
            approved: status == ReportStatus::Pass,
            pass_criteria_met: PassCriteriaMet {
                all_critical_dimensions_pass: decision.all_critical_dimensions_pass(),
                no_blocking_issues: blocking_issues.is_empty(),
                overall_score_above_threshold: decision.is_met("overall_score"),
            },
            blocking_issues,
            countersign: Some(Box::new(review.clone())),
        }
    }
}

fn scored(score: &DimensionScore) -> (String, ScoredDimension) {
    let scored = ScoredDimension { score: i64::from(score.score), weight: score.weight };
    (score.dimension.to_string(), scored)
}

fn report_finding(finding: &Finding) -> ReportFinding {
    ReportFinding {
        dimension: finding.dimension.to_string(),
        severity: finding.severity.level(),
        file: finding.path().cloned(),
        line: finding.line(),
        message: clean_block(&finding.message),
        suggestion: clean_block(&finding.suggestion),
    }
}

fn blocking_issue(finding: &Finding) -> BlockingIssue {
    BlockingIssue {
        dimension: finding.dimension.to_string(),
        message: clean_block(&finding.message),
        required_action: required_action(finding),
    }
}

fn required_action(finding: &Finding) -> String {
    let suggestion = clean_block(&finding.suggestion);
    if suggestion.is_empty() {
        format!("Correct {} so that this no longer holds", finding.location())
    } else {
        suggestion
    }
}

/// What the reviewer wants to have done, in its own words where it has any; then what the gate makes of it.
fn revision_notes(review: &Review) -> String {
    let own = review.revision_notes.as_deref().map(clean_block).unwrap_or_default();
    let parts = [own, numbered_notes(review)];
    parts.into_iter().filter(|part| !part.trim().is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// Numbered, one blocking finding per entry: where, what, what to do. Then whatever else the gate missed. What stands for
/// the reviewer's own notes is left out: they have been told.
fn numbered_notes(review: &Review) -> String {
    let troubles = review.troubles.iter().map(|trouble| {
        let finding = trouble.as_finding();
        format!("{}\n   Action: {}", clean_line(&finding.message), required_action(&finding))
    });
    let findings = review.blocking().filter(|finding| finding.rule != NOTES_RULE).map(|finding| {
        format!(
            "{} ({}): {}\n   Action: {}",
            clean_line(&finding.location()),
            finding.dimension,
            clean_line(&finding.message),
            clean_line(&required_action(finding))
        )
    });
    let scores = review
        .decision
        .unmet()
        .filter(|criterion| !matches!(criterion.name.as_str(), "blocking_issues" | "conclusive"))
        .map(|criterion| {
            format!(
                "{} is {}, required is {}\n   Action: Address the findings of this dimension",
                criterion.name, criterion.actual, criterion.required
            )
        });
    let entries: Vec<_> = troubles
        .chain(findings)
        .chain(scores)
        .enumerate()
        .map(|(index, entry)| format!("{}. {entry}", index + 1))
        .collect();
    entries.join("\n")
}
