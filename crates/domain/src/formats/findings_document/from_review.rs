use super::{DocumentFinding, FindingsDocument, REVIEWER};
use crate::review::{Confidence, Finding, Review, Verdict};
use crate::text::clean_line;
use crate::words::{Category, Class};

/// A description longer than this goes on in the problem.
const DESCRIPTION: usize = 120;

/// Findings of low confidence never block, so they stand among the minor ones whatever their severity.
impl From<&Review> for FindingsDocument {
    fn from(review: &Review) -> Self {
        let mut document = FindingsDocument {
            story_id: review.subject.id.clone(),
            round: review.subject.revision_count.saturating_add(1),
            reviewer: REVIEWER.to_owned(),
            date: Some(review.reviewed_at),
            branch: review.subject.scope.head_name.clone(),
            critical: Vec::new(),
            important: Vec::new(),
            minor: Vec::new(),
            recommendation: String::new(),
        };
        for finding in &review.findings_and_troubles() {
            let class = match finding.confidence {
                Confidence::Low => Class::Minor,
                Confidence::Medium | Confidence::High => finding.severity.class(),
            };
            document.group_mut(class).push(DocumentFinding::from(finding));
        }
        document.recommendation = recommendation(review, document.must_fix());
        document.normalised()
    }
}

impl From<&Finding> for DocumentFinding {
    fn from(finding: &Finding) -> Self {
        DocumentFinding {
            category: shown(finding.category).to_owned(),
            description: first_sentence(&finding.message),
            file: finding.path().cloned(),
            line: finding.line(),
            problem: finding.message.clone(),
            impact: finding.impact.clone(),
            fix: finding.suggestion.clone(),
            severity: finding.severity,
            rule: Some(finding.rule.clone()),
            fingerprint: Some(finding.fingerprint.clone()),
            accepted: None,
            accepted_by: None,
        }
    }
}

fn shown(category: Category) -> &'static str {
    match category {
        Category::Security => "Security",
        Category::Performance => "Performance",
        Category::Correctness => "Correctness",
        Category::Readability => "Readability",
        Category::Testing => "Testing",
        Category::BestPractices => "Best Practices",
    }
}

fn first_sentence(message: &str) -> String {
    let line = clean_line(message.trim().lines().next().unwrap_or_default());
    let sentence = line.find(". ").map_or(line.as_str(), |end| &line[..end]);
    match sentence.char_indices().nth(DESCRIPTION) {
        Some((end, _)) => format!("{}…", sentence[..end].trim_end()),
        None => sentence.to_owned(),
    }
}

fn recommendation(review: &Review, must_fix: usize) -> String {
    match review.verdict() {
        Verdict::Pass => "Approve".to_owned(),
        Verdict::Inconclusive => {
            let reason = review.troubles.first().map_or("", |trouble| trouble.message.as_str());
            format!("Review again, this one is inconclusive: {reason}")
        }
        Verdict::Fail if must_fix > 0 => {
            "Fix all critical and important findings, then review again".to_owned()
        }
        Verdict::Fail => {
            let unmet: Vec<_> = review
                .decision
                .unmet()
                .map(|criterion| {
                    format!("{} is {}, required is {}", criterion.name, criterion.actual, criterion.required)
                })
                .collect();
            format!("Improve what the gate asks for, then review again: {}", unmet.join("; "))
        }
    }
}
