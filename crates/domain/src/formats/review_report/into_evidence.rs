use std::collections::HashMap;

use super::{BlockingIssue, PassCriteriaMet, ReportFinding, ReportStatus, ReviewReport};
use crate::change::Change;
use crate::formats::lenient;
use crate::review::{Claim, Confidence, Evidence, Finding, Fingerprint, Place, Scores, Told, Verdict};
use crate::text::{clean_block, clean_line};
use crate::words::{Dimension, Severity, Weight};

impl ReviewReport {
    /// What the report of a model or agent is worth to the gate.
    ///
    /// Places are looked up in the real change. A blocking issue always blocks: one that no finding
    /// mirrors becomes a finding, and a finding that mirrors one is raised to HIGH at least. A report that
    /// contradicts itself about its outcome claims a failure. `countersign` is not looked at, since
    /// anybody can write it. Which hunks were seen is not in the report; the caller knows.
    pub fn into_evidence(self, change: &Change) -> Evidence {
        let rule = clean_line(&self.reviewer);
        let mut findings: Vec<_> =
            self.findings.iter().map(|finding| resolved(finding, &rule, change)).collect();
        raise_or_add(&mut findings, &self.blocking_issues, &rule);
        let contradictions = self.contradictions();
        let claimed = match self.status {
            ReportStatus::Pass if contradictions.is_empty() => Verdict::Pass,
            ReportStatus::Fail | ReportStatus::Pass => Verdict::Fail,
        };
        let said = |text: String| Some(text).filter(|text| !text.trim().is_empty());
        let told = Told {
            tickets: said(clean_line(&self.ticket_id)).into_iter().collect(),
            notes: self.revision_notes.as_deref().map(clean_block).and_then(said).into_iter().collect(),
            corrections: contradictions,
        };
        Evidence { findings, scores: self.scores(), claimed: Some(claimed), told, ..Evidence::default() }
    }

    /// What speaks against the outcome that the report gives itself. A report of two minds counts as a failure.
    fn contradictions(&self) -> Vec<String> {
        let PassCriteriaMet {
            all_critical_dimensions_pass,
            no_blocking_issues,
            overall_score_above_threshold,
        } = self.pass_criteria_met;
        let status = self.status.as_str();
        let passes = self.status == ReportStatus::Pass;
        let mut contradictions = Vec::new();
        if self.approved != passes {
            contradictions.push(format!("the report said {status} and /approved {}", self.approved));
        }
        let criteria = [
            ("all_critical_dimensions_pass", all_critical_dimensions_pass),
            ("no_blocking_issues", no_blocking_issues),
            ("overall_score_above_threshold", overall_score_above_threshold),
        ];
        let unmet = criteria.into_iter().filter(|(_, met)| passes && !met);
        contradictions.extend(
            unmet.map(|(name, _)| format!("the report said {status} and /pass_criteria_met/{name} false")),
        );
        contradictions.into_iter().map(|said| format!("{said}: it counts as fail")).collect()
    }

    /// Scores beyond the scale count as its end; of two scores for one dimension the lower counts.
    fn scores(&self) -> Option<Scores> {
        let mut scores = Scores::new();
        for (name, scored) in &self.dimension_scores.0 {
            if let Ok(dimension) = Dimension::try_from(name.clone()) {
                let score = scored.score.clamp(0, 100) as u8;
                scores.entry(dimension).and_modify(|known| *known = score.min(*known)).or_insert(score);
            }
        }
        (!scores.is_empty()).then_some(scores)
    }
}

fn raise_or_add(findings: &mut Vec<Finding>, issues: &[BlockingIssue], rule: &str) {
    let mut mirrors: HashMap<(Dimension, String), usize> = HashMap::new();
    for (index, finding) in findings.iter().enumerate() {
        let worst = mirrors.entry((finding.dimension.clone(), finding.message.clone())).or_insert(index);
        if finding.severity > findings[*worst].severity {
            *worst = index;
        }
    }
    for issue in issues {
        match mirrors.get(&(dimension(&issue.dimension), clean_block(&issue.message))) {
            Some(&index) => findings[index].severity = findings[index].severity.max(Severity::High),
            None => findings.push(unmirrored(issue, rule)),
        }
    }
}

/// A project's own dimension keeps its name; anything malformed falls to the nearest built-in one.
fn dimension(name: &str) -> Dimension {
    Dimension::try_from(name.to_owned()).unwrap_or_else(|_| lenient::dimension(name))
}

fn resolved(finding: &ReportFinding, rule: &str, change: &Change) -> Finding {
    let claim = Claim { path: finding.file.clone(), line: finding.line, quote: None };
    Finding {
        rule: rule.to_owned(),
        severity: finding.severity.severity(),
        category: lenient::category(&finding.dimension),
        dimension: dimension(&finding.dimension),
        confidence: Confidence::Medium,
        place: claim.resolve(change),
        message: clean_block(&finding.message),
        impact: String::new(),
        suggestion: clean_block(&finding.suggestion),
        fingerprint: Fingerprint::default(),
    }
}

fn unmirrored(issue: &BlockingIssue, rule: &str) -> Finding {
    let dimension = dimension(&issue.dimension);
    let critical =
        Dimension::BUILT_IN.iter().any(|(known, weight)| *known == dimension && *weight == Weight::Critical);
    Finding {
        rule: rule.to_owned(),
        severity: if critical { Severity::Critical } else { Severity::High },
        category: lenient::category(&issue.dimension),
        dimension,
        confidence: Confidence::Medium,
        place: Place::Summary,
        message: clean_block(&issue.message),
        impact: String::new(),
        suggestion: clean_block(&issue.required_action),
        fingerprint: Fingerprint::default(),
    }
}
