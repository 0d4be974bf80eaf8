//! Rules that say the same about one line: what the broader one has to add there is nothing.

use std::collections::HashSet;

use domain::review::{Finding, Place};

/// Each rule with one that knows better where both speak of a line.
const BETTER: [(&str, &str); 2] =
    [("hard-coded-key", "hardcoded-credential"), ("stray-print", "debug-leftover")];

/// The findings of one file, without those that another says as well.
pub(crate) fn once_per_line(mut findings: Vec<Finding>) -> Vec<Finding> {
    let better = |rule: &str| BETTER.iter().find(|(broader, _)| *broader == rule).map(|(_, better)| *better);
    if !findings.iter().any(|finding| better(&finding.rule).is_some()) {
        return findings;
    }
    let known: HashSet<(String, u32)> = findings
        .iter()
        .filter(|finding| BETTER.iter().any(|(_, better)| *better == finding.rule))
        .filter_map(|finding| Some((finding.rule.clone(), line(finding)?)))
        .collect();
    findings.retain(|finding| {
        let told = || Some((better(&finding.rule)?.to_owned(), line(finding)?));
        !told().is_some_and(|told| known.contains(&told))
    });
    findings
}

fn line(finding: &Finding) -> Option<u32> {
    match &finding.place {
        Place::Lines(anchor) => Some(anchor.start),
        Place::File { .. } | Place::Summary => None,
    }
}
