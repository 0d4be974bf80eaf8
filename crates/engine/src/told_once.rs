use std::collections::HashMap;

use domain::change::{RepoPath, Side};
use domain::formats::tool_report::our_name;
use domain::review::{Finding, Place};
use domain::words::{Category, Severity};

/// Findings of several programs, of which those that are about the same fault in the same place are told once.
///
/// Of two, the one that blocks is kept, else the surer one, else the worse one, else the first; it says who found it as well.
pub(crate) struct ToldOnce {
    kept: Vec<Finding>,
    /// Who else found each of them, and what they said.
    others: Vec<Vec<(String, String)>>,
    places: HashMap<Key, usize>,
    fail_on: Severity,
}

/// A fault in a place. Each finding is known by its kind, and by its category where that says enough.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    path: RepoPath,
    line: u32,
    fault: Fault,
}

#[derive(PartialEq, Eq, Hash)]
enum Fault {
    Kind(String),
    Category(Category),
}

impl ToldOnce {
    /// What one reviewer found is not compared with itself: its rules are meant to be different. What somebody `accepted`
    /// is the same as another finding only if that is of the same kind: nobody accepted more.
    pub(crate) fn of(findings: Vec<Finding>, accepted: Vec<Finding>, fail_on: Severity) -> ToldOnce {
        let mut told = ToldOnce { kept: Vec::new(), others: Vec::new(), places: HashMap::new(), fail_on };
        findings.into_iter().for_each(|finding| told.keep(finding, |_| true));
        let is_kind = |key: &Key| matches!(key.fault, Fault::Kind(_));
        accepted.into_iter().for_each(|finding| told.keep(finding, is_kind));
        told
    }

    pub(crate) fn add(&mut self, finding: Finding) {
        let same = self.same_as(&finding);
        let same = same.and_then(|index| Some((self.kept.get_mut(index)?, self.others.get_mut(index)?)));
        let Some((known, others)) = same.filter(|(_, others)| others.len() < MAX_OTHERS) else {
            return self.keep(finding, |_| true);
        };
        let fail_on = self.fail_on;
        let weight = |finding: &Finding| (finding.blocks(fail_on), finding.confidence, finding.severity);
        let other =
            if weight(&finding) > weight(known) { std::mem::replace(known, finding) } else { finding };
        let other = (other.rule, other.message);
        if other != (known.rule.clone(), known.message.clone()) && !others.contains(&other) {
            others.push(other);
        }
    }

    pub(crate) fn finish(self) -> Vec<Finding> {
        let told = self.kept.into_iter().zip(self.others);
        told.map(|(finding, others)| if others.is_empty() { finding } else { also(finding, &others) })
            .collect()
    }

    fn keep(&mut self, finding: Finding, is_known_by: impl Fn(&Key) -> bool) {
        let index = self.kept.len();
        for key in keys(&finding).chain(further_down(&finding)).filter(is_known_by) {
            self.places.entry(key).or_insert(index);
        }
        self.kept.push(finding);
        self.others.push(Vec::new());
    }

    fn same_as(&self, finding: &Finding) -> Option<usize> {
        keys(finding).find_map(|key| {
            let index = *self.places.get(&key)?;
            match key.fault {
                Fault::Kind(_) => Some(index),
                // Two who say what they mean, and do not mean the same.
                Fault::Category(_) if is_plain(finding) && is_plain(self.kept.get(index)?) => None,
                // Rules of one program are meant to be different.
                Fault::Category(_) if tool(finding) == tool(self.kept.get(index)?) => None,
                Fault::Category(_) => Some(index),
            }
        })
    }
}

/// What more programs found stands for itself.
const MAX_OTHERS: usize = 8;

/// Nothing where it is about no line of the new side: such findings are few, and differ by their words.
fn keys(finding: &Finding) -> impl Iterator<Item = Key> {
    // What is merely untidy may be so in many ways.
    let telling = match finding.category {
        Category::Security | Category::Performance | Category::Testing => {
            Some(Fault::Category(finding.category))
        }
        Category::Correctness | Category::Readability | Category::BestPractices => None,
    };
    let place = match &finding.place {
        Place::Lines(anchor) if anchor.side == Side::New => Some((anchor.path.clone(), anchor.start)),
        Place::Lines(_) | Place::File { .. } | Place::Summary => None,
    };
    let faults = [Some(Fault::Kind(kind(&finding.rule).to_owned())), telling];
    faults.into_iter().flatten().filter_map(move |fault| {
        let (path, line) = place.clone()?;
        Some(Key { path, line, fault })
    })
}

/// So far down a statement two programs may mean the same.
const MOST_LINES: u32 = 6;

/// The other lines of a statement: one program names its first line, another that of the call in it.
fn further_down(finding: &Finding) -> impl Iterator<Item = Key> {
    let anchor = match &finding.place {
        Place::Lines(anchor) if anchor.side == Side::New => Some(anchor),
        Place::Lines(_) | Place::File { .. } | Place::Summary => None,
    };
    anchor.into_iter().flat_map(move |anchor| {
        let last = anchor.end.min(anchor.start.saturating_add(MOST_LINES));
        (anchor.start.saturating_add(1)..=last).map(move |line| Key {
            path: anchor.path.clone(),
            line,
            fault: Fault::Kind(kind(&finding.rule).to_owned()),
        })
    })
}

/// What it is called here, or by its program if nobody knows: `CodeQL/py/sql-injection` is `sql-injection`.
fn kind(rule: &str) -> &str {
    our_name(rule).unwrap_or_else(|| rule.rsplit('/').next().unwrap_or(rule))
}

fn tool(finding: &Finding) -> Option<&str> {
    finding.rule.split_once('/').map(|(tool, _)| tool)
}

/// Whether its rule is one whose meaning is known.
fn is_plain(finding: &Finding) -> bool {
    !finding.rule.contains('/') || our_name(&finding.rule).is_some()
}

/// What they said is listed where it is not what is said already.
fn also(mut finding: Finding, others: &[(String, String)]) -> Finding {
    let said = |(rule, message): &(String, String)| match message.trim_end_matches('.') {
        message if message == finding.message.trim_end_matches('.') => rule.clone(),
        message => format!("{rule} ({message})"),
    };
    let mut who: Vec<_> = others.iter().map(said).collect();
    who.dedup();
    finding.note(&format!("Also found by {}", who.join(", ")));
    finding
}

#[cfg(test)]
mod tests {
    use domain::review::{Anchor, Confidence, Fingerprint};

    use super::*;

    fn finding(rule: &str, category: Category, severity: Severity, confidence: Confidence) -> Finding {
        Finding {
            rule: rule.into(),
            severity,
            category,
            dimension: category.dimension(),
            confidence,
            place: Place::Lines(Anchor {
                path: "a.py".into(),
                side: Side::New,
                start: 3,
                end: 3,
                text: String::new(),
            }),
            message: "m".into(),
            impact: "It matters.".into(),
            suggestion: String::new(),
            fingerprint: Fingerprint::default(),
        }
    }

    /// Rule and reason of what is told.
    fn told(own: Finding, tools: &[Finding]) -> Vec<(String, String)> {
        let mut told = ToldOnce::of(vec![own], Vec::new(), Severity::Major);
        tools.iter().for_each(|finding| told.add(finding.clone()));
        told.finish().into_iter().map(|finding| (finding.rule, finding.impact)).collect()
    }

    #[test]
    fn what_is_called_otherwise_elsewhere_is_told_once_and_says_who_saw_it() {
        let own = finding("swallowed-error", Category::Readability, Severity::Medium, Confidence::High);
        let theirs = |rule| finding(rule, Category::Readability, Severity::Medium, Confidence::Medium);
        assert_eq!(
            told(own.clone(), &[theirs("ruff/E722"), theirs("ruff/S110"), theirs("ruff/E722")]),
            [("swallowed-error".to_owned(), "It matters. Also found by ruff/E722, ruff/S110".to_owned())]
        );
        assert_eq!(told(own, &[theirs("ruff/E501")]).len(), 2, "another fault in the same line");
    }

    #[test]
    fn a_doubt_does_not_swallow_what_blocks() {
        let doubt = finding("no-shell", Category::Security, Severity::High, Confidence::Low);
        let theirs = finding("scan/x1", Category::Security, Severity::Major, Confidence::Medium);
        assert_eq!(
            told(doubt, &[theirs]),
            [("scan/x1".to_owned(), "It matters. Also found by no-shell".to_owned())]
        );
    }

    #[test]
    fn of_two_dangers_whose_names_are_known_neither_stands_for_the_other() {
        let own = finding("weak-hash", Category::Security, Severity::High, Confidence::High);
        let theirs = |rule| finding(rule, Category::Security, Severity::Major, Confidence::Medium);
        assert_eq!(told(own.clone(), &[theirs("ruff/S605")]).len(), 2);
        assert_eq!(told(own.clone(), &[theirs("Semgrep-OSS/python.lang.md5")]).len(), 1);
        assert_eq!(told(own.clone(), &[theirs("CodeQL/py/weak-hash")]).len(), 1);
        assert_eq!(told(theirs("scan/x1"), &[theirs("scan/x2")]).len(), 2);
    }

    #[test]
    fn what_the_others_said_is_listed() {
        let own = finding("swallowed-error", Category::Readability, Severity::Medium, Confidence::High);
        let mut theirs = finding("ruff/E722", Category::Readability, Severity::Medium, Confidence::Medium);
        theirs.message = "Do not use bare except.".into();
        assert_eq!(told(own, &[theirs])[0].1, "It matters. Also found by ruff/E722 (Do not use bare except)");
    }

    #[test]
    fn another_line_is_another_fault() {
        let own = finding("command-injection", Category::Security, Severity::High, Confidence::High);
        let mut theirs = finding("bandit/B605", Category::Security, Severity::Major, Confidence::Medium);
        assert_eq!(told(own.clone(), std::slice::from_ref(&theirs)).len(), 1);
        if let Place::Lines(anchor) = &mut theirs.place {
            anchor.start = 4;
        }
        assert_eq!(told(own, &[theirs]).len(), 2);
    }

    #[test]
    fn another_line_of_the_statement_is_the_same_fault() {
        let mut own = finding("command-injection", Category::Security, Severity::High, Confidence::High);
        if let Place::Lines(anchor) = &mut own.place {
            anchor.end = 5;
        }
        let theirs = |rule, line| {
            let mut theirs = finding(rule, Category::Security, Severity::Major, Confidence::Medium);
            if let Place::Lines(anchor) = &mut theirs.place {
                anchor.start = line;
            }
            theirs
        };
        assert_eq!(told(own.clone(), &[theirs("bandit/B605", 4)]).len(), 1);
        assert_eq!(told(own.clone(), &[theirs("bandit/B605", 6)]).len(), 2, "behind it");
        assert_eq!(told(own, &[theirs("bandit/B303", 4)]).len(), 2, "another fault");
    }
}
