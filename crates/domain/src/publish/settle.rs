//! What is done with, and what is not.

use std::collections::BTreeSet;

use super::finder::{Finder, Found};
use super::inline::{Settled, settled};
use super::marker::{Mark, MarkKind, MarkState};
use super::ours::OurFinding;
use super::plan::Planner;
use super::{Settle, ThreadStep};
use crate::forge::{Editing, PostedComment, ThreadState};
use crate::review::{Fingerprint, Verdict};

pub(super) struct Settling<'a> {
    pub(super) steps: Vec<Settle>,
    /// Of comments that are there twice.
    pub(super) take_back: Vec<Settle>,
    pub(super) newly_gone: usize,
    /// Not reported, and not for this review to settle.
    pub(super) standing: Vec<&'a Found>,
}

impl<'a> Planner<'a> {
    /// What is no longer reported is settled if whoever found it, or an equal, has looked again, and if the review
    /// proves anything. What another publisher said at the same time is taken back.
    pub(super) fn settle(&self) -> Settling<'a> {
        let review = self.publication.review;
        let reported: BTreeSet<_> = review.findings.iter().map(|finding| &finding.fingerprint).collect();
        let accepted: BTreeSet<_> = review.suppressed.iter().map(|one| &one.finding.fingerprint).collect();
        let mut settling =
            Settling { steps: Vec::new(), take_back: Vec::new(), newly_gone: 0, standing: Vec::new() };
        for (print, ours) in self.ours.findings.iter().filter(|(print, _)| !reported.contains(print)) {
            let why = if accepted.contains(print) { Settled::Accepted } else { Settled::Gone };
            match why {
                Settled::Gone if !self.may_settle(&ours.found) => settling.standing.push(&ours.found),
                why => settling.steps.extend(self.settled(print, ours, why)),
            }
        }
        settling.newly_gone = settling.steps.len();
        let duplicates = self.ours.duplicates.iter();
        settling.take_back.extend(duplicates.filter_map(|(comment, mark)| self.taken_back(comment, mark)));
        if self.stage.editing == Editing::Impossible {
            for steps in [&mut settling.steps, &mut settling.take_back] {
                steps.iter_mut().for_each(|step| step.body = None);
                steps.retain(|step| step.thread == ThreadStep::Resolve);
            }
        }
        // Whoever settled these was cut off before the thread was resolved.
        let half_done =
            self.ours.settled.iter().filter(|(_, by)| by == self.head).map(|(comment, _)| *comment);
        let half_done = half_done.filter(|comment| comment.thread == ThreadState::Open);
        settling.steps.extend(half_done.map(|comment| step(comment, None)));
        settling
    }

    fn may_settle(&self, found: &Found) -> bool {
        self.publication.review.verdict() != Verdict::Inconclusive && self.looked.again(found)
    }

    /// As [`Planner::may_settle`], of what the summary says.
    pub(super) fn may_drop(&self, by: &Finder) -> bool {
        self.publication.review.verdict() != Verdict::Inconclusive && self.looked.everywhere(by)
    }

    fn settled(&self, print: &Fingerprint, ours: &OurFinding<'_>, why: Settled) -> Option<Settle> {
        if self.publication.review.verdict() == Verdict::Inconclusive {
            return None;
        }
        let kind = MarkKind::Finding {
            fingerprint: print.clone(),
            state: MarkState::Settled,
            found: ours.found.clone(),
        };
        let body = self.sealed(kind, &settled(why, self.head.short(), ours.text));
        Some(step(ours.comment, Some(body)))
    }

    fn taken_back(&self, comment: &PostedComment, mark: &Mark) -> Option<Settle> {
        let mut kind = mark.kind.clone();
        match &mut kind {
            MarkKind::Finding { state, .. } | MarkKind::Summary { state, .. } => {
                *state = MarkState::Duplicate;
            }
            MarkKind::Batch | MarkKind::Claim { .. } => return None,
        }
        let body = self.sealed(kind, &settled(Settled::Duplicate, self.head.short(), ""));
        Some(step(comment, Some(body)))
    }
}

fn step(comment: &PostedComment, body: Option<String>) -> Settle {
    let thread = match comment.thread {
        ThreadState::Open => ThreadStep::Resolve,
        ThreadState::Resolved | ThreadState::NotResolvable => ThreadStep::Leave,
    };
    Settle { comment: comment.reference.clone(), body, thread }
}
