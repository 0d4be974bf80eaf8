//! Findings that say in other words what an earlier round said.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::wording::Wording;
use super::{Finding, Fingerprint, Place, Review};
use crate::words::Severity;

/// How many findings of one spot a finding is compared with, so that hostile reviewers cannot make us compare everything
/// with everything.
const MAX_COMPARED: usize = 200;

/// A finding of some round, as far as it takes to recognise it in another.
#[derive(Debug, Clone, Copy)]
pub struct Statement<'a> {
    pub fingerprint: &'a Fingerprint,
    pub severity: Severity,
    pub message: &'a str,
    /// The code it is about, where that is known.
    pub code: &'a str,
}

impl<'a> From<&'a Finding> for Statement<'a> {
    fn from(finding: &'a Finding) -> Self {
        let code = match &finding.place {
            Place::Lines(anchor) => anchor.text.as_str(),
            Place::File { .. } | Place::Summary => "",
        };
        Statement {
            fingerprint: &finding.fingerprint,
            severity: finding.severity,
            message: &finding.message,
            code,
        }
    }
}

/// Which findings of this round are findings of an earlier round in other words: the fingerprint each has, with the one it
/// had then.
///
/// A finding is recognised at the same spot (path, code, category), with no higher severity, by most of its words. Each
/// earlier finding is recognised once, and not where it is there unchanged. In doubt a finding is new. Of `earlier`
/// findings with the same fingerprint the last one counts.
pub fn recognise<'a>(
    now: impl IntoIterator<Item = Statement<'a>>,
    earlier: impl IntoIterator<Item = Statement<'a>>,
) -> BTreeMap<Fingerprint, Fingerprint> {
    let now: Vec<_> = now.into_iter().collect();
    let present: BTreeSet<_> = now.iter().map(|statement| statement.fingerprint).collect();
    let known: BTreeMap<_, _> = earlier.into_iter().map(|one| (one.fingerprint, one)).collect();
    let mut by_spot: HashMap<&str, Vec<(Statement<'_>, Wording)>> = HashMap::new();
    for (fingerprint, statement) in &known {
        if let Some(spot) = fingerprint.spot().filter(|_| !present.contains(fingerprint)) {
            by_spot.entry(spot).or_default().push((*statement, Wording::of(statement.message)));
        }
    }
    let mut pairs = Vec::new();
    for statement in now.iter().filter(|statement| !known.contains_key(statement.fingerprint)) {
        let Some(candidates) = statement.fingerprint.spot().and_then(|spot| by_spot.get(spot)) else {
            continue;
        };
        let wording = Wording::of(statement.message);
        for (candidate, known) in candidates.iter().take(MAX_COMPARED) {
            if statement.severity <= candidate.severity && wording.rewords(known, statement.code) {
                pairs.push((wording.likeness(known), statement.fingerprint, candidate.fingerprint));
            }
        }
    }
    pairs.sort_by(|(one, ..), (other, ..)| other.cmp(one));
    let (mut recognised, mut taken) = (BTreeMap::new(), BTreeSet::new());
    for (_, fingerprint, before) in pairs {
        if !recognised.contains_key(fingerprint) && taken.insert(before) {
            recognised.insert(fingerprint.clone(), before.clone());
        }
    }
    recognised
}

impl Review {
    /// Gives findings that only say in other words what was said before the fingerprint they had then.
    pub fn recognise<'a>(&mut self, earlier: impl IntoIterator<Item = Statement<'a>>) {
        let known = {
            let suppressed = self.suppressed.iter().map(|suppressed| &suppressed.finding);
            let earlier: Vec<_> = earlier.into_iter().collect();
            recognise(self.findings.iter().chain(suppressed).map(Statement::from), earlier)
        };
        if known.is_empty() {
            return;
        }
        let suppressed = self.suppressed.iter_mut().map(|suppressed| &mut suppressed.finding);
        for finding in self.findings.iter_mut().chain(suppressed) {
            if let Some(before) = known.get(&finding.fingerprint) {
                finding.fingerprint = before.clone();
            }
        }
        let renamed = |(fingerprint, patch)| (known.get(&fingerprint).cloned().unwrap_or(fingerprint), patch);
        self.patches = std::mem::take(&mut self.patches).into_iter().map(renamed).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::Side;
    use crate::review::{Anchor, Confidence, JUDGED};
    use crate::words::Category;

    fn finding(message: &str, severity: Severity, category: Category) -> Finding {
        Finding {
            rule: JUDGED.into(),
            severity,
            category,
            dimension: category.dimension(),
            confidence: Confidence::High,
            place: Place::Lines(Anchor {
                path: "src/calc.py".into(),
                side: Side::New,
                start: 5,
                end: 5,
                text: "    return a - b".into(),
            }),
            message: message.into(),
            impact: String::new(),
            suggestion: String::new(),
            fingerprint: Fingerprint::default(),
        }
    }

    fn high(message: &str) -> Finding {
        finding(message, Severity::High, Category::Testing)
    }

    /// How many of the findings of this round are recognised.
    fn recognised(mut now: Vec<Finding>, mut earlier: Vec<Finding>) -> usize {
        Fingerprint::assign(&mut now);
        Fingerprint::assign(&mut earlier);
        recognise(now.iter().map(Statement::from), earlier.iter().map(Statement::from)).len()
    }

    const BEFORE: &str = "No test covers subtraction";
    const NOW: &str = "Subtraction is not covered by any test";

    #[test]
    fn a_reworded_finding_takes_over_what_it_was_known_by() {
        assert_eq!(recognised(vec![high(NOW)], vec![high(BEFORE)]), 1);
    }

    #[test]
    fn another_problem_a_higher_severity_or_another_category_is_new() {
        assert_eq!(recognised(vec![high("Anybody can wipe the database")], vec![high(BEFORE)]), 0);
        let critical = finding(NOW, Severity::Critical, Category::Testing);
        assert_eq!(recognised(vec![critical], vec![high(BEFORE)]), 0);
        let other = finding(NOW, Severity::High, Category::Security);
        assert_eq!(recognised(vec![other], vec![high(BEFORE)]), 0);
    }

    #[test]
    fn each_earlier_finding_is_taken_over_once() {
        let both = vec![high(NOW), high("There is no test of subtraction")];
        assert_eq!(recognised(both, vec![high(BEFORE)]), 1);
        assert_eq!(recognised(vec![high(BEFORE), high(NOW)], vec![high(BEFORE)]), 0, "it is there unchanged");
    }

    #[test]
    fn other_code_or_another_file_is_another_finding() {
        let mut moved = high(NOW);
        if let Place::Lines(anchor) = &mut moved.place {
            anchor.text = "    return a + b".into();
        }
        assert_eq!(recognised(vec![moved], vec![high(BEFORE)]), 0);
        let elsewhere = Finding { place: Place::File { path: "src/other.py".into() }, ..high(NOW) };
        assert_eq!(recognised(vec![elsewhere], vec![high(BEFORE)]), 0);
    }

    #[test]
    fn what_rules_find_is_never_taken_over() {
        let rule = |message: &str| Finding { rule: "eval".into(), ..high(message) };
        assert_eq!(recognised(vec![high(NOW)], vec![rule(BEFORE)]), 0);
        assert_eq!(recognised(vec![rule(NOW)], vec![rule(BEFORE)]), 0);
    }
}
