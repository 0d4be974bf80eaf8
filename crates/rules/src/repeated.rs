//! Rules that say the same about one line: what the broader one has to add there is nothing.

use std::collections::HashSet;

use domain::review::{Confidence, Finding, Place};

/// Each rule with one that knows better where both speak of a line.
const BETTER: [(&str, &str); 2] =
    [("hard-coded-key", "hardcoded-credential"), ("stray-print", "debug-leftover")];

/// The findings of one file, without those that another says as well. Whoever is unsure does not silence one that is not.
pub(crate) fn once_per_line(mut findings: Vec<Finding>) -> Vec<Finding> {
    let better = |rule: &str| BETTER.iter().find(|(broader, _)| *broader == rule).map(|(_, better)| *better);
    if !findings.iter().any(|finding| better(&finding.rule).is_some()) {
        return findings;
    }
    let is_better = |rule: &str| BETTER.iter().any(|(_, better)| *better == rule);
    let sure = |finding: &Finding| finding.confidence != Confidence::Low;
    let told_by = |wanted: &dyn Fn(&Finding) -> bool| -> HashSet<(String, u32)> {
        let told = findings.iter().filter(|finding| wanted(finding));
        told.filter_map(|finding| Some((finding.rule.clone(), line(finding)?))).collect()
    };
    let known = told_by(&|finding| is_better(&finding.rule));
    let known_surely = told_by(&|finding| is_better(&finding.rule) && sure(finding));
    let broader: HashSet<(String, u32)> = findings
        .iter()
        .filter(|finding| sure(finding))
        .filter_map(|finding| Some((better(&finding.rule)?.to_owned(), line(finding)?)))
        .collect();
    findings.retain(|finding| {
        let Some(line) = line(finding) else { return true };
        match better(&finding.rule) {
            Some(rule) if sure(finding) => !known_surely.contains(&(rule.to_owned(), line)),
            Some(rule) => !known.contains(&(rule.to_owned(), line)),
            None => sure(finding) || !broader.contains(&(finding.rule.clone(), line)),
        }
    });
    findings
}

fn line(finding: &Finding) -> Option<u32> {
    match &finding.place {
        Place::Lines(anchor) => Some(anchor.start),
        Place::File { .. } | Place::Summary => None,
    }
}
