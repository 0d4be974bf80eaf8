//! A second opinion on what would keep a change from passing.

use domain::change::Change;
use domain::review::{Confidence, Finding, Usage};
use domain::words::Severity;
use futures_util::stream::{self, StreamExt};
use tokio::time::Instant;

use super::ask::answer;
use super::merge::Found;
use super::plan::{FINDING_TOKENS, Plan};
use crate::answer::{Refutation, Shape, refutation};
use crate::call::{Call, Ended, Mind};
use crate::clean;
use crate::packing::{Slice, clip};

/// What came of the second opinions.
#[derive(Debug, Default)]
pub(super) struct Checked {
    pub(super) refuted: usize,
    /// Findings that stand because nobody could be asked, or because the answer said nothing.
    pub(super) unanswered: usize,
    pub(super) usage: Usage,
}

/// Puts each finding that blocks to a fresh call. What is refuted becomes advice with the reason noted; nothing is
/// ever dropped, and a call that fails changes nothing.
pub(super) async fn verify<M: Mind>(
    mind: &M,
    plan: &Plan,
    change: &Change,
    fail_on: Severity,
    found: &mut [Found],
    parallel: usize,
    deadline: Instant,
) -> Checked {
    let shape = Shape::refutation();
    let questions: Vec<_> = found
        .iter()
        .enumerate()
        .filter(|(_, found)| in_question(&found.finding, fail_on))
        .map(|(index, found)| (index, question(plan, change, found, &shape)))
        .collect();
    let shape = &shape;
    let opinions: Vec<_> = stream::iter(questions)
        .map(|(index, call)| async move { (index, second_opinion(mind, &call, shape, deadline).await) })
        .buffer_unordered(parallel)
        .collect()
        .await;
    let mut checked = Checked::default();
    for (index, (opinion, usage)) in opinions {
        checked.usage += usage;
        match (opinion, found.get_mut(index)) {
            (Some(Refutation { refuted: true, reason }), Some(found)) => {
                checked.refuted += 1;
                found.finding.confidence = Confidence::Low;
                let reason = clean::line(&reason, plan.ground.redact);
                found.finding.note(&format!("A second opinion disagrees: {reason}"));
            }
            (Some(_), _) => {}
            (None, _) => checked.unanswered += 1,
        }
    }
    checked
}

/// Whether a finding would keep the change from passing.
pub(super) fn in_question(finding: &Finding, fail_on: Severity) -> bool {
    finding.confidence > Confidence::Low && (finding.severity.must_fix() || finding.blocks(fail_on))
}

async fn second_opinion<M: Mind>(
    mind: &M,
    call: &Call,
    shape: &Shape,
    deadline: Instant,
) -> (Option<Refutation>, Usage) {
    match answer(mind, call, deadline).await {
        Ok(answer) if answer.ended == Ended::Complete => (refutation(&answer.text, shape), answer.usage),
        Ok(answer) => (None, answer.usage),
        Err(_) => (None, Usage::default()),
    }
}

/// With the file the finding is about, as far as it was in the same call; all of that call for what is about the
/// change as a whole.
fn question(plan: &Plan, change: &Change, found: &Found, shape: &Shape) -> Call {
    let finding = &found.finding;
    let here = |file: usize| change.files.get(file).is_some_and(|file| finding.path() == Some(file.path()));
    let slices = plan.bundles.get(found.bundle).map(|bundle| bundle.slices.as_slice()).unwrap_or_default();
    let mut diff: String = slices.iter().filter(|slice| here(slice.file)).map(Slice::diff).collect();
    if diff.is_empty() {
        diff = slices.iter().map(Slice::diff).collect();
    }
    let text = format!(
        "{} at {}\nWhat is wrong: {}\nWhat follows: {}\nWhat to do: {}\n",
        finding.severity,
        finding.location(),
        finding.message,
        finding.impact,
        finding.suggestion
    );
    let text = plan.ground.fence().scrub(&text);
    plan.ground.frame.refute(clip(&text, FINDING_TOKENS), &diff, shape.schema.clone())
}
