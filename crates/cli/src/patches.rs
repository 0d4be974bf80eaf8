//! Corrections that people, forges and editors can apply.

use std::collections::BTreeMap;
use std::path::Path;

use domain::change::Side;
use domain::ports::Sources;
use domain::review::{Anchor, Finding, Fingerprint, JUDGED, Patch, Place, Review};
use git::Repository;
use rules::{Language, ProjectRules, can_mend, is_built_in, mend_with, redact_file};

use crate::failure::Failure;

/// Each is tried on the whole file, whether it comes to something or not; a review with more of them is not read line by
/// line.
const MOST_TRIED: usize = 50;

/// So many bytes of files are read for it, counted anew at each try.
const MOST_READ: usize = 2 << 20;

/// Of every finding that can be corrected without judgement. Each was applied, and what came of it read again.
pub(crate) fn patches(folder: &Path, review: &Review) -> Result<BTreeMap<Fingerprint, Patch>, Failure> {
    if !review.findings.iter().any(may_have_one) {
        return Ok(BTreeMap::new());
    }
    let repository = Repository::discover(folder)?;
    let sources = repository.sources(&review.subject.scope)?;
    let project = ProjectRules::at_base(&sources)?;
    Ok(tried(&sources, &review.findings, &project))
}

fn tried(
    sources: &dyn Sources,
    findings: &[Finding],
    project: &ProjectRules,
) -> BTreeMap<Fingerprint, Patch> {
    let mut left = MOST_READ;
    let worth_it = findings.iter().filter_map(|finding| Some((finding, line_to_mend(finding, project)?)));
    let mut found = BTreeMap::new();
    for (finding, anchor) in worth_it.take(MOST_TRIED) {
        if left == 0 {
            break;
        }
        let Ok(Some(bytes)) = sources.read_path(&anchor.path, Side::New) else { continue };
        left = left.saturating_sub(bytes.len());
        let patch = std::str::from_utf8(&bytes).ok().and_then(|text| patch(text, finding, anchor, project));
        found.extend(patch.map(|patch| (finding.fingerprint.clone(), patch)));
    }
    found
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

fn line_to_mend<'f>(finding: &'f Finding, project: &ProjectRules) -> Option<&'f Anchor> {
    let Place::Lines(anchor) = &finding.place else { return None };
    let is_one = anchor.side == Side::New && anchor.start == anchor.end;
    (is_one && can_mend(&finding.rule, Language::of(&anchor.path), project)).then_some(anchor)
}

fn patch(text: &str, finding: &Finding, anchor: &Anchor, project: &ProjectRules) -> Option<Patch> {
    let mended = mend_with(text, Language::of(&anchor.path), &[finding], project)?;
    // A line with a secret in it is shown nowhere, whichever line gives it away.
    let is_shown = |text: &str| {
        let index = usize::try_from(anchor.start).ok().and_then(|line| line.checked_sub(1));
        index.is_some_and(|index| {
            redact_file(&anchor.path, text).lines().nth(index) == text.lines().nth(index)
        })
    };
    line_patch(anchor, text, &mended).filter(|_| is_shown(text) && is_shown(&mended))
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
    use std::sync::atomic::{AtomicUsize, Ordering};

    use bytes::Bytes;
    use domain::change::{FileChange, RepoPath};
    use domain::ports::SourceError;
    use domain::review::Confidence;
    use domain::words::{Category, Dimension, Severity};

    use super::*;

    /// One file, whatever it is asked for.
    struct File {
        text: Bytes,
        reads: AtomicUsize,
    }

    impl Sources for File {
        fn read(&self, _: &FileChange, _: Side) -> Result<Option<Bytes>, SourceError> {
            Ok(None)
        }

        fn read_path(&self, _: &RepoPath, _: Side) -> Result<Option<Bytes>, SourceError> {
            self.reads.fetch_add(1, Ordering::Relaxed);
            Ok(Some(self.text.clone()))
        }

        fn list_base(&self, _: &RepoPath) -> Result<Vec<RepoPath>, SourceError> {
            Ok(Vec::new())
        }
    }

    fn stop(line: u32, text: &str) -> Finding {
        Finding {
            rule: "debugger-stop".into(),
            severity: Severity::Medium,
            category: Category::BestPractices,
            dimension: Dimension::CODE_QUALITY,
            confidence: Confidence::High,
            place: Place::Lines(Anchor { text: text.into(), ..at(line) }),
            message: String::new(),
            impact: String::new(),
            suggestion: String::new(),
            fingerprint: Fingerprint::default(),
        }
    }

    /// How often the file was read for so many findings about it, and whether anything came of it.
    fn reads(text: &str, findings: Vec<Finding>) -> (usize, bool) {
        let file = File { text: Bytes::copy_from_slice(text.as_bytes()), reads: AtomicUsize::new(0) };
        let found = tried(&file, &findings, &ProjectRules::default());
        (file.reads.into_inner(), !found.is_empty())
    }

    #[test]
    fn what_fails_is_tried_no_more_often_than_what_comes_to_something() {
        let all = |text: &str| (1..=500).map(|line| stop(line, text)).collect::<Vec<_>>();
        assert_eq!(reads("x\n", all("breakpoint()")), (MOST_TRIED, false));
        assert_eq!(reads(&"breakpoint()\n".repeat(3), all("breakpoint()")), (MOST_TRIED, true));
    }

    #[test]
    fn of_large_files_fewer_are_tried() {
        let text = "x".repeat(MOST_READ / 3);
        assert_eq!(reads(&text, (1..=500).map(|line| stop(line, "breakpoint()")).collect()), (4, false));
    }

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
