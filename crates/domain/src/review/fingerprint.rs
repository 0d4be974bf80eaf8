use std::collections::HashMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::wording::normalised;
use super::{Finding, NOTES_RULE, Place};

/// A finding's identity across rounds, wherever its line has moved to.
///
/// What a rule finds is known by rule, file and code. What a model, an agent or a person finds is known by its spot, which
/// is file, code and category, and by what it says: two problems on one line are two findings. Of those, the first half of
/// the fingerprint is the spot, so that [`recognise`](super::recognise()) can find the same problem in other words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Fingerprint(String);

/// Letters of the first half.
const SPOT: usize = 16;

impl Fingerprint {
    /// Fingerprints all findings of one review. Those that agree in everything are told apart by their order in the file,
    /// so findings must come sorted by line.
    pub fn assign<'a>(findings: impl IntoIterator<Item = &'a mut Finding>) {
        let mut seen: HashMap<(String, String), u32> = HashMap::new();
        for finding in findings {
            let spot = spot(finding);
            let said = if finding.is_judged() { normalised(said(finding)) } else { String::new() };
            let identity = (spot, said);
            let ordinal = seen.entry(identity.clone()).and_modify(|n| *n += 1).or_insert(0);
            let (spot, said) = identity;
            finding.fingerprint = Fingerprint(if finding.is_judged() {
                digest(&spot, SPOT) + &digest(&format!("{said}\0{ordinal}"), SPOT)
            } else {
                digest(&format!("{spot}\0{ordinal}"), 2 * SPOT)
            });
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Where the finding is and of which kind, whatever it says. Nothing for what is no fingerprint.
    pub fn spot(&self) -> Option<&str> {
        self.0.get(..SPOT)
    }
}

fn digest(text: &str, letters: usize) -> String {
    let digest = Sha256::digest(text);
    digest.iter().take(letters / 2).map(|byte| format!("{byte:02x}")).collect()
}

/// White space is folded so that re-indenting does not make a finding new. What a rule finds without lines is told apart
/// by its message.
fn spot(finding: &Finding) -> String {
    let path = finding.path().map(ToString::to_string).unwrap_or_default();
    let code = match &finding.place {
        Place::Lines(anchor) => anchor.text.as_str(),
        Place::File { .. } | Place::Summary if finding.is_judged() => "",
        Place::File { .. } | Place::Summary => &finding.message,
    };
    let code = code.split_whitespace().collect::<Vec<_>>().join(" ");
    let spot = format!("{}\0{path}\0{code}", finding.rule);
    if !finding.is_judged() {
        return spot;
    }
    let kind = match &finding.place {
        Place::Lines(_) => "lines",
        Place::File { .. } => "file",
        Place::Summary => "summary",
    };
    format!("{spot}\0{}\0{kind}", finding.category)
}

/// Of revision notes, the notes: their message is always the same.
fn said(finding: &Finding) -> &str {
    if finding.rule == NOTES_RULE { &finding.suggestion } else { &finding.message }
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
    use crate::review::{Anchor, Confidence, JUDGED};
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

    fn judged(message: &str, category: Category) -> String {
        let mut judged = finding(3, "return a - b");
        (judged.rule, judged.message, judged.category) = (JUDGED.into(), message.into(), category);
        Fingerprint::assign([&mut judged]);
        judged.fingerprint.to_string()
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
    fn two_problems_of_a_model_on_one_line_are_two_findings() {
        let test = judged("No test covers subtraction", Category::Testing);
        assert_eq!(test, judged("no test covers  subtraction.", Category::Testing));
        assert_ne!(test, judged("Anybody can wipe the database", Category::Testing));
        assert_ne!(test, judged("No test covers subtraction", Category::Security));
    }

    #[test]
    fn what_a_rule_finds_keeps_its_identity() {
        assert_eq!(fingerprints(&[(3, "todo!()")]), ["c7e6ed7d262429621c43d3147425d6de"]);
    }

    #[test]
    fn revision_notes_are_known_by_what_they_ask_for() {
        let print = |note: &str| {
            let mut finding = crate::review::notes_as_finding(&[note.to_owned()]);
            Fingerprint::assign([&mut finding]);
            finding.fingerprint
        };
        assert_ne!(print("add a test"), print("drop the table"));
    }

    #[test]
    fn twins_are_told_apart_by_order() {
        let both = fingerprints(&[(3, "todo!()"), (9, "todo!()")]);
        assert_ne!(both[0], both[1]);
        assert_eq!(both[0], fingerprints(&[(9, "todo!()")])[0]);
    }
}
