use domain::cycle::{Effect, Event, Resolution};
use domain::formats::qa_findings::QaFinding;
use domain::ports::{StoreError, TaskStore};
use domain::tasks::{AuditEvent, Finished, Invalid, NewTask, Note, Refusal, StoredTask, TaskId};
use serde::Serialize;
use serde_json::{Value, json};

use crate::kept::KeptReview;
use crate::worker::{Judgement, Origin, PastReview, fix_task};

/// The reviews of a task and the work before it, for people.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Dossier {
    /// All reviews of the chain, the oldest first. A review that proved nothing is the last of them.
    pub reviews: Vec<PastReview>,
    /// What the last review found.
    pub findings: Vec<QaFinding>,
}

impl Dossier {
    /// From what was kept with the last review. What cannot be read is left out: the human's decision must not hang
    /// on it.
    pub fn of(events: &[AuditEvent]) -> Dossier {
        let details = || events.iter().rev().map(|event| event.detail.get("detail").unwrap_or(&event.detail));
        if let Some(detail) = details().find(|detail| detail.get("review_history").is_some()) {
            return Dossier {
                reviews: readable(detail.get("review_history")),
                findings: readable(detail.get("structured_findings")),
            };
        }
        KeptReview::in_events(events).map(|kept| Dossier::of_one(&kept)).unwrap_or_default()
    }

    /// A review that was done on demand is no part of a chain.
    fn of_one(kept: &KeptReview) -> Dossier {
        let findings = kept.findings.findings().map(|finding| {
            json!({
                "file": finding.file, "line_number": finding.line, "severity": finding.severity,
                "description": finding.description, "suggested_fix": finding.fix, "category": finding.category,
            })
        });
        let findings: Vec<QaFinding> = readable(Some(&findings.collect()));
        let mut review = PastReview {
            attempt: 1,
            reviewer: kept.report.reviewer.clone(),
            verdict: kept.verdict.as_str().to_owned(),
            findings: findings.len() + kept.left_out,
            ..PastReview::default()
        };
        for finding in &findings {
            *review.severities.entry(finding.severity.to_string()).or_default() += 1;
        }
        Dossier { reviews: vec![review], findings }
    }

    /// The last review, as the task that corrects what it found needs it.
    pub fn judgement(&self) -> Judgement {
        let last = self.reviews.last().cloned().unwrap_or_default();
        Judgement::of_record(self.findings.clone(), &last)
    }
}

/// Stores a human's word on an escalated task. One more try of a rejected change queues the fix task that the last
/// rejection would have queued, in the same transaction; `note` is for whoever works on it next.
///
/// Cut off anywhere, the decision is stored as a whole or not at all; a note may then be there without it.
pub async fn resolve_task<S: TaskStore>(
    store: &S,
    id: &TaskId,
    resolution: Resolution,
    note: Option<&Note>,
    actor: &str,
) -> Result<Finished, StoreError> {
    let stored = store.get(id).await?.ok_or_else(|| Refusal::NotFound(id.clone()))?;
    let (_, effects) = stored.cycle.apply(&Event::resolved(resolution)).map_err(Refusal::from)?;
    let dossier = Dossier::of(&store.events(id).await?);
    let origin = Origin { by: actor, at: store.now().await? };
    let follow_ups: Vec<NewTask> = effects
        .iter()
        .filter_map(|effect| follow_up(effect, &stored, &dossier, note, origin))
        .collect::<Result<_, _>>()
        .map_err(Refusal::from)?;
    if let (Some(note), []) = (note, &follow_ups[..]) {
        store.add_note(id, note, actor).await?;
    }
    store.resolve(id, resolution, &follow_ups, actor).await
}

/// Of a decision's effects, those that are tasks.
fn follow_up(
    effect: &Effect,
    stored: &StoredTask,
    dossier: &Dossier,
    note: Option<&Note>,
    origin: Origin<'_>,
) -> Option<Result<NewTask, Invalid>> {
    match effect {
        Effect::QueueFixTask { chain } => {
            let fix = fix_task(stored, &dossier.judgement(), *chain, origin);
            Some(fix.and_then(|fix| match note {
                Some(note) => fix.noted(note),
                None => Ok(fix),
            }))
        }
        _ => None,
    }
}

fn readable<T: serde::de::DeserializeOwned>(list: Option<&Value>) -> Vec<T> {
    let entries = list.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    entries.iter().filter_map(|entry| serde_json::from_value(entry.clone()).ok()).collect()
}
