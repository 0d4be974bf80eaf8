use std::collections::HashMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Finding, Place};

/// A finding's identity across rounds: same rule, same file, same code, wherever the line has moved to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Fingerprint(String);

impl Fingerprint {
    /// Fingerprints all findings of one review. Those that agree in rule, file and code are told apart by
    /// their order in the file, so findings must come sorted by line.
    pub fn assign<'a>(findings: impl IntoIterator<Item = &'a mut Finding>) {
        let mut seen: HashMap<String, u32> = HashMap::new();
        for finding in findings {
            let identity = identity(finding);
            let ordinal = seen.entry(identity.clone()).and_modify(|n| *n += 1).or_insert(0);
            let digest = Sha256::digest(format!("{identity}\0{ordinal}"));
            finding.fingerprint =
                Fingerprint(digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect());
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// White space is folded so that re-indenting does not make a finding new. A finding without lines is
/// told apart by its message.
fn identity(finding: &Finding) -> String {
    let path = finding.path().map(ToString::to_string).unwrap_or_default();
    let code = match &finding.place {
        Place::Lines(anchor) => &anchor.text,
        Place::File { .. } | Place::Summary => &finding.message,
    };
    let code = code.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{}\0{path}\0{code}", finding.rule)
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::Side;
    use crate::review::{Anchor, Confidence};
    use crate::words::{Category, Dimension, Severity};

    fn finding(line: u32, text: &str) -> Finding {
        Finding {
            rule: "stub".into(),
            severity: Severity::Major,
            category: Category::Correctness,
            dimension: Dimension::REQUIREMENT_ADHERENCE,
            confidence: Confidence::High,
            place: Place::Lines(Anchor {
                path: "src/a.rs".into(),
                side: Side::New,
                start: line,
                end: line,
                text: text.into(),
            }),
            message: "stub".into(),
            impact: String::new(),
            suggestion: String::new(),
            fingerprint: Fingerprint::default(),
        }
    }

    fn fingerprints(findings: &[(u32, &str)]) -> Vec<String> {
        let mut findings: Vec<_> = findings.iter().map(|(line, text)| finding(*line, text)).collect();
        Fingerprint::assign(&mut findings);
        findings.into_iter().map(|finding| finding.fingerprint.to_string()).collect()
    }

    #[test]
    fn survives_moving_and_indenting() {
        assert_eq!(fingerprints(&[(3, "todo!()")]), fingerprints(&[(90, "    todo!()  ")]));
        assert_ne!(fingerprints(&[(3, "todo!()")]), fingerprints(&[(3, "todo!(\"x\")")]));
    }

    #[test]
    fn twins_are_told_apart_by_order() {
        let both = fingerprints(&[(3, "todo!()"), (9, "todo!()")]);
        assert_ne!(both[0], both[1]);
        assert_eq!(both[0], fingerprints(&[(9, "todo!()")])[0]);
    }
}
