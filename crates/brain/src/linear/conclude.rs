//! Opinions weighed, put to question and written down: in one way, however they were come by.

use domain::ports::ReviewRequest;
use domain::review::{Coverage, Evidence, Usage};
use tokio::time::Instant;

use super::consensus::consensus;
use super::merge::{Opinion, Summary};
use super::plan::Plan;
use super::verify::{Checked, in_question, verify};
use crate::call::Mind;

/// Summaries that a report repeats; of more the rest is left out.
const MOST_SUMMARIES: usize = 8;

/// What one mind or several made of a change.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    /// By the name of the mind.
    pub(crate) opinions: Vec<(String, Opinion)>,
    pub(crate) coverage: Coverage,
    pub(crate) usage: Usage,
    pub(crate) remarks: Vec<String>,
}

/// `minds` are those that were asked. `plan` shows the code that second opinions go by; where there is none, findings
/// stand without.
pub(crate) async fn conclude<M: Mind>(
    minds: &[M],
    request: &ReviewRequest<'_>,
    plan: Option<&Plan>,
    heard: Heard,
    deadline: Instant,
) -> Evidence {
    let policy = &request.config.model;
    let fail_on = request.config.gate.fail_on;
    let Heard { opinions, coverage, mut usage, remarks } = heard;
    let said = summaries(minds, &opinions);
    let names: Vec<_> = opinions.iter().map(|(name, _)| name.as_str()).collect();
    let answered_by = minds.iter().any(has_several).then(|| names.join(", "));
    let mut opinion = if opinions.len() == 1 {
        opinions.into_iter().next().map(|(_, opinion)| opinion).unwrap_or_default()
    } else {
        consensus(opinions)
    };
    let mut checked = Checked::default();
    match (minds.last(), plan) {
        (_, _) if !policy.verify => {}
        (Some(mind), Some(plan)) => {
            let parallel = policy.parallel.max(1) as usize;
            let found = &mut opinion.found;
            checked = verify(mind, plan, request.change, fail_on, found, parallel, deadline).await;
            usage += checked.usage;
        }
        (None, _) | (_, None) => {
            checked.unanswered =
                opinion.found.iter().filter(|found| in_question(&found.finding, fail_on)).count();
        }
    }
    let mut evidence = evidence(opinion, coverage, &checked, usage, remarks);
    evidence.remarks.extend(said);
    evidence.answered_by = answered_by;
    evidence
}

fn evidence(
    opinion: Opinion,
    coverage: Coverage,
    checked: &Checked,
    usage: Usage,
    mut remarks: Vec<String>,
) -> Evidence {
    let Opinion { found, unplaced, scores, claimed, troubles, splits, summaries: _, told } = opinion;
    match splits {
        0 => {}
        1 => remarks.push("1 question was too large for the model, and was taken apart".to_owned()),
        count => {
            remarks.push(format!("{count} questions were too large for the model, and were taken apart"));
        }
    }
    let mut remark = |count: usize, one: &str, many: &str| match count {
        0 => {}
        1 => remarks.push(format!("1 finding {one}")),
        count => remarks.push(format!("{count} findings {many}")),
    };
    remark(
        unplaced,
        "could not be placed in the diff where its reviewer saw it",
        "could not be placed in the diff where their reviewer saw them",
    );
    remark(checked.refuted, "was refuted by a second opinion", "were refuted by a second opinion");
    remark(checked.unanswered, "got no second opinion and stands", "got no second opinion and stand");
    Evidence {
        findings: found.into_iter().map(|found| found.finding).collect(),
        coverage,
        // Scores that rest on findings which did not hold are worth nothing: the gate works out its own.
        scores: scores.filter(|_| checked.refuted == 0),
        troubles,
        // So is the word that the change is not good enough, unless it says itself what is to be done.
        claimed: claimed.filter(|_| checked.refuted == 0 || !told.notes.is_empty()),
        remarks,
        usage: (usage != Usage::default()).then_some(usage),
        answered_by: None,
        told,
    }
}

fn has_several<M: Mind>(mind: &M) -> bool {
    mind.models().len() > 1
}

/// What the minds say in their own words, with who says it and of what.
fn summaries<M: Mind>(minds: &[M], opinions: &[(String, Opinion)]) -> Vec<String> {
    let mut said = Vec::new();
    for (mind, (name, opinion)) in minds.iter().zip(opinions) {
        let of = opinion.summaries.len();
        let told = opinion.summaries.iter().enumerate().filter(|(_, summary)| !summary.text.is_empty());
        for (index, Summary { text, model }) in told {
            let name = if has_several(mind) && !model.is_empty() { model } else { name };
            said.push(match of {
                1 => format!("{name} sums up: {text}"),
                _ => format!("{name} sums up part {} of {of}: {text}", index + 1),
            });
        }
    }
    if said.len() > MOST_SUMMARIES {
        let more = said.len() - MOST_SUMMARIES;
        said.truncate(MOST_SUMMARIES);
        said.push(format!("{more} more summaries were left out"));
    }
    said
}
