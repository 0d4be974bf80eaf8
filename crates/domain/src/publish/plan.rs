use std::collections::{BTreeSet, HashMap};

use super::carried::{Carried, findings_in};
use super::finder::{Found, Looked, plain};
use super::inline::{batch, comment};
use super::marker::{Mark, MarkKind, MarkState, Seal, digest};
use super::ours::Ours;
use super::place::Places;
use super::settle::Settling;
use super::standing::Standing;
use super::suggestion::suggestion;
use super::summary::{Parts, summary};
use super::verdict::status;
use crate::change::{Oid, Target};
use crate::forge::{
    CommentRef, CommitStatus, Editing, InlineComment, MergeRequest, MergeRequestDiff, PostedComment,
    Provider, ReviewPost,
};
use crate::formats::markdown::item;
use crate::formats::shown::worst_first;
use crate::review::{Finding, Fingerprint, Patch, Place, Review, Trouble};

/// What is to be published.
#[derive(Debug, Clone, Copy)]
pub struct Publication<'a> {
    pub review: &'a Review,
    /// Corrections that people can apply, where there are any.
    pub patches: &'a HashMap<Fingerprint, Patch>,
}

/// What the forge shows.
#[derive(Debug, Clone, Copy)]
pub struct Stage<'a> {
    pub provider: Provider,
    pub editing: Editing,
    pub request: &'a MergeRequest,
    pub diff: &'a MergeRequestDiff,
    pub comments: &'a [PostedComment],
    /// Of the head.
    pub statuses: &'a [CommitStatus],
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishPolicy {
    /// What the check is called.
    pub check_name: String,
    /// Open comments at lines; the rest is in the summary.
    pub most_inline: usize,
}

/// What a publisher has learned that the forge does not show.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    /// Places that the forge refused.
    pub refused: BTreeSet<Fingerprint>,
    /// Comments that were posted for certain, listed or not.
    pub placed: BTreeSet<Fingerprint>,
}

/// What is still to be done, in this order. Each step may be cut off anywhere: planning again gives the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishPlan {
    pub head: Oid,
    /// New comments, as one review.
    pub review: Option<ReviewPost>,
    pub settle: Vec<Settle>,
    /// Comments that are there twice: gone, or where that cannot be, settled.
    pub take_back: Vec<Settle>,
    pub summary: Option<SummaryStep>,
    /// Set only if it is not said already.
    pub status: Option<CommitStatus>,
    /// What the commit is told, now or before.
    pub verdict: CommitStatus,
    /// Findings that only the summary tells: they have no place in the diff, or there are too many.
    pub only_in_summary: usize,
    /// Why the request does not pass although the review does.
    pub doubt: Option<Trouble>,
}

/// A comment of ours that is done with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settle {
    pub comment: CommentRef,
    /// What it says from now on, unless it says so already.
    pub body: Option<String>,
    pub thread: ThreadStep,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThreadStep {
    Leave,
    Resolve,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SummaryStep {
    Add { body: String },
    Edit { comment: CommentRef, body: String },
}

/// Why nothing is published.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CannotPublish {
    #[error("the review is of {0}, and only the review of a commit can be published")]
    NotACommit(String),
    #[error("the review is of {reviewed}, and the newest commit is {now} by now")]
    Moved { reviewed: String, now: String },
}

impl PublishPlan {
    pub fn is_empty(&self) -> bool {
        let PublishPlan { head: _, review, settle, take_back, summary, status, verdict: _, .. } = self;
        let nothing_said = review.is_none() && summary.is_none() && status.is_none();
        nothing_said && settle.is_empty() && take_back.is_empty()
    }

    /// Whether anything would be there twice if two did it at once.
    pub fn adds(&self) -> bool {
        self.review.is_some() || matches!(self.summary, Some(SummaryStep::Add { .. }))
    }
}

/// Holds a review against what the forge shows.
pub fn plan(
    publication: Publication<'_>,
    stage: Stage<'_>,
    seal: &Seal,
    policy: &PublishPolicy,
    memory: &Memory,
) -> Result<PublishPlan, CannotPublish> {
    let ours = Ours::of(&stage, seal);
    let mut recognised = publication.review.clone();
    recognised.recognise(ours.statements());
    let review = &recognised;
    let publication = Publication { review, ..publication };
    let head = same_commit(review, &stage)?;
    let looked = Looked::of(review);
    let planner = Planner { publication, stage, seal, policy, head, ours: &ours, looked: &looked };
    let refused: BTreeSet<_> = memory.refused.iter().chain(&ours.refused).cloned().collect();
    let Placed { new, placed, unplaced } = planner.place(&refused, memory);
    let settling = planner.settle();
    let carried = planner.carried(&unplaced);
    let mut standing = Standing::default();
    settling
        .standing
        .iter()
        .copied()
        .chain(carried.iter().map(|one| &one.found))
        .for_each(|found| standing.add(found));
    let doubt = standing.trouble(review.verdict());
    let doubted = doubt.clone().map(|trouble| review.clone().doubted(trouble));
    let verdict_of = doubted.as_ref().unwrap_or(review);
    let parts = Parts {
        provider: stage.provider,
        review: verdict_of,
        head,
        placed,
        unplaced,
        carried,
        standing: &standing,
        settled: ours.settled_by(head) + settling.newly_gone,
        withheld: stage.diff.withheld.len(),
    };
    let without_place: BTreeSet<_> = parts.unplaced.iter().map(|finding| &finding.fingerprint).collect();
    let refused = refused.into_iter().filter(|print| without_place.contains(print)).take(MOST_NOTED);
    let only_in_summary = parts.unplaced.len();
    let summary = planner.summary(&summary(&parts), refused.collect());
    let verdict = status(verdict_of, &standing, head, &policy.check_name, &stage.request.url);
    let is_said = |there: &CommitStatus| {
        (&there.name, &there.commit, there.state, &there.title)
            == (&verdict.name, &verdict.commit, verdict.state, &verdict.title)
    };
    let status = (!stage.statuses.iter().any(is_said)).then(|| verdict.clone());
    let review = planner.post(new);
    let Settling { steps: settle, take_back, .. } = settling;
    Ok(PublishPlan {
        head: head.clone(),
        review,
        settle,
        take_back,
        summary,
        status,
        verdict,
        only_in_summary,
        doubt,
    })
}

/// Refused places that a summary remembers for the next run.
const MOST_NOTED: usize = 50;

fn same_commit<'a>(review: &'a Review, stage: &Stage<'_>) -> Result<&'a Oid, CannotPublish> {
    let reviewed = match &review.subject.scope.head {
        Target::Commit(oid) => oid,
        target @ (Target::Index | Target::Worktree) => {
            return Err(CannotPublish::NotACommit(target.as_str().to_owned()));
        }
    };
    let newest = stage.request.head.as_ref().unwrap_or(&stage.diff.refs.head);
    let moved = [newest, &stage.diff.refs.head].into_iter().find(|head| *head != reviewed);
    match moved {
        Some(now) => Err(CannotPublish::Moved { reviewed: reviewed.to_string(), now: now.to_string() }),
        None => Ok(reviewed),
    }
}

pub(super) struct Planner<'a> {
    pub(super) publication: Publication<'a>,
    pub(super) stage: Stage<'a>,
    seal: &'a Seal,
    policy: &'a PublishPolicy,
    pub(super) head: &'a Oid,
    pub(super) ours: &'a Ours<'a>,
    pub(super) looked: &'a Looked<'a>,
}

struct Placed<'a> {
    new: Vec<InlineComment>,
    placed: Vec<&'a Finding>,
    unplaced: Vec<&'a Finding>,
}

impl<'a> Planner<'a> {
    /// The worst first: where not all of them get a line, it is the mild ones that go to the summary.
    fn place(&self, refused: &BTreeSet<Fingerprint>, memory: &Memory) -> Placed<'a> {
        let mut places = Places::new(&self.stage.diff.files);
        let mut result = Placed { new: Vec::new(), placed: Vec::new(), unplaced: Vec::new() };
        let is_there =
            |print: &Fingerprint| self.ours.findings.contains_key(print) || memory.placed.contains(print);
        let findings = worst_first(self.publication.review);
        let mut room = self.policy.most_inline;
        room = room.saturating_sub(findings.iter().filter(|finding| is_there(&finding.fingerprint)).count());
        let mut seen = BTreeSet::new();
        for finding in findings {
            let print = &finding.fingerprint;
            if !seen.insert(print) || is_there(print) {
                result.placed.push(finding);
                continue;
            }
            match self.new_comment(finding, &mut places).filter(|_| room > 0 && !refused.contains(print)) {
                Some(comment) => {
                    room -= 1;
                    result.new.push(comment);
                    result.placed.push(finding);
                }
                None => result.unplaced.push(finding),
            }
        }
        result
    }

    fn new_comment(&self, finding: &Finding, places: &mut Places<'a>) -> Option<InlineComment> {
        let anchor = match &finding.place {
            Place::Lines(anchor) => anchor,
            Place::File { .. } | Place::Summary => return None,
        };
        let place = places.find(anchor)?;
        let fingerprint = finding.fingerprint.clone();
        let patch = self.publication.patches.get(&fingerprint);
        let block = patch.and_then(|patch| suggestion(self.stage.provider, patch, &place, places));
        let found = Found::of(finding, self.looked);
        let kind = MarkKind::Finding { fingerprint: fingerprint.clone(), state: MarkState::Open, found };
        let body = self.sealed(kind, &comment(finding, block.as_deref()));
        Some(InlineComment { fingerprint, place, body })
    }

    fn post(&self, comments: Vec<InlineComment>) -> Option<ReviewPost> {
        if comments.is_empty() {
            return None;
        }
        let body = self.sealed(MarkKind::Batch, &batch(comments.len(), self.head.short()));
        Some(ReviewPost { refs: self.stage.diff.refs.clone(), body, comments })
    }

    /// What the summary says of those who did not look again: it stays. What this review says itself is said once.
    fn carried(&self, unplaced: &[&Finding]) -> Vec<Carried> {
        let Some(summary) = &self.ours.summary else { return Vec::new() };
        let own: BTreeSet<_> = unplaced.iter().map(|finding| item(finding)).collect();
        let mut carried = findings_in(summary.text, &summary.by);
        carried.retain(|one| !self.may_drop(&one.found.by) && !own.contains(&one.item));
        carried
    }

    fn summary(&self, text: &str, unplaced: Vec<Fingerprint>) -> Option<SummaryStep> {
        let content = digest(text);
        let by = plain(&self.publication.review.reviewer);
        let kind = MarkKind::Summary { state: MarkState::Open, content: content.clone(), unplaced, by };
        let body = self.sealed(kind, text);
        match (&self.ours.summary, self.stage.editing) {
            (Some(ours), _) if ours.content == content && ours.head == *self.head => None,
            (Some(ours), Editing::Possible) => {
                Some(SummaryStep::Edit { comment: ours.comment.reference.clone(), body })
            }
            (Some(_), Editing::Impossible) | (None, _) => Some(SummaryStep::Add { body }),
        }
    }

    pub(super) fn sealed(&self, kind: MarkKind, text: &str) -> String {
        let mark = Mark { kind, head: self.head.clone() };
        self.seal.write(&self.stage.request.reference, &mark, text)
    }
}
