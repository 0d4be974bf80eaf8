use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use domain::change::{Change, Hunk, RepoPath, Side, Status};
use domain::config::Config;
use domain::gate::{GatePolicy, Objection, decide, scores_in_force};
use domain::ports::{ReviewRequest, Reviewer, ReviewerError, Sources};
use domain::review::{
    Anchor, Claim, Coverage, Evidence, Finding, Fingerprint, HunkCoverage, Place, Review, Subject,
    Suppressed, Told, Trouble, notes_as_advice, notes_as_finding, raise, suppress,
};
use domain::text::short_line;
use domain::work::WorkOrder;
use jiff::Timestamp;

/// One change to review, once, by one reviewer.
#[derive(Clone, Copy)]
pub struct ReviewOrder<'a> {
    pub change: &'a Change,
    pub sources: &'a dyn Sources,
    /// The policy at the base commit.
    pub config: &'a Config,
    /// What to call it.
    pub policy: &'a str,
    pub order: &'a WorkOrder,
    pub revision_count: u32,
    pub now: Timestamp,
    /// Masks secrets. Every text of every finding goes through it, whoever wrote it.
    pub redact: fn(&str) -> Cow<'_, str>,
}

const UNEXPLAINED: &str = "the reviewer says that the change is not good enough, and names nothing that blocks: no \
                           finding of that severity, no score that is too low, no revision notes";
const NOTES_BLOCK: &str =
    "the reviewer said fail, its scores say pass: what its revision notes ask for blocks";

/// Has the change reviewed and lets the gate decide.
///
/// The reviewer is not believed: its anchors are looked up in the real diff, its coverage is held against the
/// list of all hunks, and its own verdict gives way to the gate's.
pub fn review(order: &ReviewOrder<'_>, reviewer: &dyn Reviewer) -> Result<Review, ReviewerError> {
    let change = order.change;
    let evidence = reviewer.review(&ReviewRequest {
        change,
        sources: order.sources,
        config: order.config,
        order: order.order,
        known: &[],
    })?;
    let Evidence { mut findings, coverage, scores, mut troubles, claimed, remarks, usage, answered_by, told } =
        evidence;
    troubles.extend(unmerged(change));
    troubles.extend(unseen(change, &coverage));
    troubles.extend(of_another_ticket(order.order, &told));
    findings.iter_mut().for_each(raise);
    let mut corrections = Vec::new();
    match Objection::of(&order.config.gate, claimed, &findings, scores.as_ref(), &told.notes) {
        Objection::None if !told.notes.is_empty() => findings.push(notes_as_advice(&told.notes)),
        Objection::None | Objection::Evidence => {}
        Objection::Notes => {
            findings.push(notes_as_finding(&told.notes));
            corrections.push(NOTES_BLOCK.to_owned());
        }
        Objection::Nothing if troubles.is_empty() => {
            troubles.push(Trouble { kind: "unexplained".into(), message: UNEXPLAINED.into() });
        }
        Objection::Nothing => {}
    }

    let index = Index::of(change);
    let findings = findings.into_iter().map(|finding| index.anchored(finding)).collect();
    let (mut findings, mut suppressed) = suppress(findings, change, &order.config.suppressions);
    index.fingerprint(&mut findings, &mut suppressed);
    findings.sort_by_cached_key(|finding| index.reading_order(finding));

    let gate = &order.config.gate;
    if !findings.iter().any(|finding| finding.blocks(gate.fail_on)) {
        troubles.extend(only_skipped(change, gate));
    }
    let scores = scores_in_force(gate, &findings, scores);
    let mut decision = decide(gate, &findings, &scores, &troubles, claimed);
    corrections.splice(0..0, decision.corrected.take());
    corrections.extend(told.corrections);
    decision.corrected = (!corrections.is_empty()).then(|| corrections.join("; "));
    let mut review = Review {
        subject: Subject {
            id: order.order.item().map_or_else(|| change.scope.head_name.clone(), |item| item.id.clone()),
            scope: change.scope.clone(),
            revision_count: order.revision_count,
        },
        reviewer: answered_by.unwrap_or_else(|| reviewer.name().to_owned()),
        policy: order.policy.to_owned(),
        reviewed_at: order.now,
        findings,
        suppressed,
        troubles,
        coverage,
        decision,
        remarks,
        revision_notes: (!told.notes.is_empty()).then(|| told.notes.join("\n\n")),
        usage,
        posting: None,
        patches: BTreeMap::new(),
    };
    mask_secrets(&mut review, order.redact);
    Ok(review)
}

/// Masks secrets in everything that a change, a branch or a reviewer could have put them into.
fn mask_secrets(review: &mut Review, redact: fn(&str) -> Cow<'_, str>) {
    let mask = |text: &mut String| {
        if let Cow::Owned(masked) = redact(text) {
            *text = masked;
        }
    };
    let mask_path = |path: &mut RepoPath| {
        if let Some(Cow::Owned(masked)) = path.to_str().map(redact) {
            *path = RepoPath::from_bytes(masked);
        }
    };
    let Review {
        subject,
        findings,
        suppressed,
        troubles,
        coverage,
        decision,
        policy,
        remarks,
        revision_notes,
        ..
    } = review;
    let Subject { id, scope, .. } = subject;
    [id, policy, &mut scope.base_name, &mut scope.head_name]
        .into_iter()
        .chain(&mut scope.notes)
        .chain(remarks)
        .chain(revision_notes)
        .for_each(mask);
    troubles.iter_mut().map(|trouble| &mut trouble.message).for_each(mask);
    decision.criteria.iter_mut().map(|criterion| &mut criterion.actual).for_each(mask);
    coverage.files.iter_mut().map(|file| &mut file.path).for_each(mask_path);
    for Suppressed { finding, reason } in &mut *suppressed {
        mask(reason);
        finding.texts_mut().for_each(mask);
    }
    findings.iter_mut().flat_map(Finding::texts_mut).for_each(mask);
    let accepted = suppressed.iter_mut().map(|suppressed| &mut suppressed.finding);
    findings.iter_mut().chain(accepted).filter_map(Finding::path_mut).for_each(mask_path);
}

/// The files of a change by path.
struct Index<'a> {
    change: &'a Change,
    positions: HashMap<&'a RepoPath, usize>,
}

impl<'a> Index<'a> {
    fn of(change: &'a Change) -> Self {
        let positions = change.files.iter().enumerate().map(|(index, file)| (file.path(), index)).collect();
        Index { change, positions }
    }

    /// A place the diff does not show becomes a remark on the file or on the change. Which line it is about stands in
    /// what to do about it: the message is what it is known by in the next round, when the line may be another.
    fn anchored(&self, mut finding: Finding) -> Finding {
        if let Place::Lines(anchor) = &finding.place
            && !self.shows(anchor)
        {
            let claim =
                Claim { path: Some(anchor.path.clone()), line: None, quote: Some(anchor.text.clone()) };
            let (place, line) = (claim.resolve(self.change), anchor.start);
            if matches!((&place, anchor.side), (Place::File { .. }, Side::New)) {
                finding.suggestion = format!("At line {line}: {}", finding.suggestion);
            }
            finding.place = place;
        }
        finding
    }

    fn shows(&self, anchor: &Anchor) -> bool {
        let Some(file) = self.positions.get(&anchor.path).and_then(|index| self.change.files.get(*index))
        else {
            return false;
        };
        let span = |hunk: &Hunk| match anchor.side {
            Side::Old => hunk.old,
            Side::New => hunk.new,
        };
        let after = file.hunks().partition_point(|hunk| span(hunk).start <= anchor.start);
        let hunk = after.checked_sub(1).and_then(|last| file.hunks().get(last));
        hunk.is_some_and(|hunk| span(hunk).contains(anchor.start) && span(hunk).contains(anchor.end))
    }

    /// The change as a whole first, then file by file in the order of the change, then by line.
    fn reading_order(&self, finding: &Finding) -> (Option<usize>, Option<u32>) {
        let position = |path| self.positions.get(path).copied().unwrap_or(usize::MAX);
        (finding.path().map(position), finding.line())
    }

    /// Accepted findings take part, so that accepting one does not give its twins another identity.
    fn fingerprint(&self, findings: &mut [Finding], suppressed: &mut [Suppressed]) {
        let accepted = suppressed.iter_mut().map(|suppressed| &mut suppressed.finding);
        let mut all: Vec<_> = findings.iter_mut().chain(accepted).collect();
        all.sort_by_cached_key(|finding| self.reading_order(finding));
        Fingerprint::assign(all);
    }
}

/// Who reviews a ticket of an epic is told its id: a report that names another is of another.
fn of_another_ticket(order: &WorkOrder, told: &Told) -> Option<Trouble> {
    let ticket = order.ticket.as_ref().filter(|_| order.epic.is_some())?;
    let other = told.tickets.iter().find(|id| **id != ticket.id)?;
    Some(Trouble {
        kind: "wrong_ticket".into(),
        message: format!("the report is of another ticket, `{}`", short_line(other)),
    })
}

/// A path with merge conflicts has no content to review until somebody resolves it.
fn unmerged(change: &Change) -> Option<Trouble> {
    let file = change.files.iter().find(|file| file.status == Status::Unmerged)?;
    Some(Trouble {
        kind: "unmerged".into(),
        message: format!("{} has unresolved merge conflicts", file.path()),
    })
}

/// A change of which nothing is judged passes only if the policy says so.
fn only_skipped(change: &Change, gate: &GatePolicy) -> Option<Trouble> {
    let plan = Coverage::plan(change);
    let skipped: Vec<_> = plan.skipped_files().collect();
    let (path, reason) = skipped.iter().find(|(_, reason)| !gate.allow_skipped.contains(reason))?;
    let more = match skipped.len() {
        1 => String::new(),
        all => format!(", 1 of {all}"),
    };
    (skipped.len() == plan.files.len()).then(|| Trouble {
        kind: "skipped".into(),
        message: format!(
            "every file of the change was skipped, so nothing was reviewed: {path} ({}{more})",
            reason.as_str()
        ),
    })
}

/// What the change has and the reviewer's list does not show as seen.
fn unseen(change: &Change, coverage: &Coverage) -> Option<Trouble> {
    let plan = Coverage::plan(change);
    let mut missing = Vec::new();
    for (position, planned) in plan.files.iter().enumerate().filter(|(_, file)| file.skipped.is_none()) {
        let listed = coverage.files.get(position).filter(|file| file.path == planned.path);
        for (position, hunk) in planned.hunks.iter().enumerate() {
            let listed = listed.and_then(|file| file.hunks.get(position));
            if !listed.is_some_and(|listed| was_seen(hunk, listed)) {
                missing.push(format!("{}:{}", planned.path, hunk.new_start));
            }
        }
    }
    let first = missing.first()?;
    let total = plan.counts().1;
    Some(Trouble {
        kind: "unseen".into(),
        message: format!("{} of {total} hunks were not reviewed, the first at {first}", missing.len()),
    })
}

fn was_seen(planned: &HunkCoverage, listed: &HunkCoverage) -> bool {
    planned.span() == listed.span() && !listed.seen_by.is_empty()
}
