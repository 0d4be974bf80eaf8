//! Corrections that people, forges and editors can apply.

use std::collections::BTreeMap;
use std::path::Path;

use domain::change::Side;
use domain::ports::Sources;
use domain::review::{Anchor, Finding, Fingerprint, JUDGED, Patch, Place, Review};
use git::Repository;
use rules::{Language, ProjectRules, can_mend, is_built_in, mend_with, redact};

use crate::failure::Failure;

/// Each is tried on the whole file; a review with more of them is not read line by line.
const MOST: usize = 200;

/// Of every finding that can be corrected without judgement. Each was applied, and what came of it read again.
pub(crate) fn patches(folder: &Path, review: &Review) -> Result<BTreeMap<Fingerprint, Patch>, Failure> {
    if !review.findings.iter().any(may_have_one) {
        return Ok(BTreeMap::new());
    }
    let repository = Repository::discover(folder)?;
    let sources = repository.sources(&review.subject.scope)?;
    let project = ProjectRules::at_base(&sources)?;
    let patch = |finding: &Finding| Some((finding.fingerprint.clone(), patch(&sources, finding, &project)?));
    Ok(review.findings.iter().filter_map(patch).take(MOST).collect())
}

/// Whether it is worth opening the repository again, which most reviews are not: ours are known, those of a project are not.
fn may_have_one(finding: &Finding) -> bool {
    let ours = || {
        finding
            .path()
            .is_some_and(|path| can_mend(&finding.rule, Language::of(path), &ProjectRules::default()))
    };
    let may_be_own = || finding.rule != JUDGED && !finding.rule.contains('/') && !is_built_in(&finding.rule);
    finding.line().is_some() && (ours() || may_be_own())
}

fn patch(sources: &dyn Sources, finding: &Finding, project: &ProjectRules) -> Option<Patch> {
    let Place::Lines(anchor) = &finding.place else { return None };
    let language = Language::of(&anchor.path);
    if anchor.side != Side::New || anchor.start != anchor.end || !can_mend(&finding.rule, language, project) {
        return None;
    }
    let bytes = sources.read_path(&anchor.path, Side::New).ok()??;
    let text = std::str::from_utf8(&bytes).ok()?;
    let mended = mend_with(text, language, &[finding], project)?;
    // A line with a secret in it is shown nowhere.
    line_patch(anchor, text, &mended).filter(|patch| {
        patch.old.iter().chain(&patch.new).all(|line| matches!(redact(line), std::borrow::Cow::Borrowed(_)))
    })
}

/// The one line that differs.
fn line_patch(anchor: &Anchor, text: &str, mended: &str) -> Option<Patch> {
    let index = usize::try_from(anchor.start).ok()?.checked_sub(1)?;
    let (old, new): (Vec<&str>, Vec<&str>) = (text.lines().collect(), mended.lines().collect());
    if old.get(..index)? != new.get(..index)? {
        return None;
    }
    let (line, after) = old.get(index..)?.split_first()?;
    let rest = new.get(index..)?;
    let replacement = match rest.split_first() {
        _ if rest == after => Vec::new(),
        Some((mended, same)) if same == after => vec![(*mended).to_owned()],
        Some(_) | None => return None,
    };
    Some(Patch {
        path: anchor.path.clone(),
        start: anchor.start,
        old: vec![(*line).to_owned()],
        new: replacement,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32) -> Anchor {
        Anchor { path: "a.py".into(), side: Side::New, start: line, end: line, text: String::new() }
    }

    #[test]
    fn a_line_that_goes_or_changes_is_a_patch_and_anything_else_is_none() {
        let new = |line, mended| line_patch(&at(line), "a\nb\nc\n", mended).map(|patch| patch.new);
        assert_eq!(new(2, "a\nc\n"), Some(vec![]));
        assert_eq!(new(2, "a\nB\nc\n"), Some(vec!["B".to_owned()]));
        assert_eq!(new(2, "A\nc\n"), None);
        assert_eq!(new(2, "a\nB\nC\n"), None);
        assert_eq!(new(9, "a\nb\n"), None);
    }
}
