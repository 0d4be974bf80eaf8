use std::collections::BTreeMap;

use super::{Confidence, Finding};
use crate::words::{Dimension, Severity};

/// Points per dimension, 0 to 100.
pub type Scores = BTreeMap<Dimension, u8>;

/// Findings that do not block take at most this much off a dimension together, so that advice alone never
/// brings a critical dimension (minimum 90) down.
pub const ADVICE_CAP: u32 = 9;

/// Scores every dimension in `dimensions` from the findings: 100 less what each finding costs.
///
/// A blocking finding costs 50 (CRITICAL), 30 (HIGH) or 20 (any other), so one of them is enough to bring a
/// critical dimension under 90. Advice costs 3 (MEDIUM and above), 2 (LOW) or 1 (MINOR) up to
/// [`ADVICE_CAP`]; suggestions and low-confidence findings cost nothing. Monotone: one more finding never
/// raises a score.
pub fn score<'a>(
    dimensions: impl IntoIterator<Item = &'a Dimension>,
    findings: &[Finding],
    fail_on: Severity,
) -> Scores {
    let score = |dimension: &Dimension| {
        let (mut blocking, mut advice) = (0, 0);
        for finding in findings.iter().filter(|finding| finding.dimension == *dimension) {
            if finding.blocks(fail_on) {
                blocking += blocking_cost(finding.severity);
            } else if finding.confidence > Confidence::Low {
                advice += advice_cost(finding.severity);
            }
        }
        100u32.saturating_sub(blocking + advice.min(ADVICE_CAP)) as u8
    };
    dimensions.into_iter().map(|dimension| (dimension.clone(), score(dimension))).collect()
}

fn blocking_cost(severity: Severity) -> u32 {
    match severity {
        Severity::Critical => 50,
        Severity::High => 30,
        Severity::Major | Severity::Medium | Severity::Low | Severity::Minor | Severity::Suggestion => 20,
    }
}

fn advice_cost(severity: Severity) -> u32 {
    match severity {
        Severity::Critical | Severity::High | Severity::Major | Severity::Medium => 3,
        Severity::Low => 2,
        Severity::Minor => 1,
        Severity::Suggestion => 0,
    }
}
