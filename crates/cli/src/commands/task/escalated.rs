//! What reviews said of a task and, once it is escalated, what a person may decide.

use domain::formats::qa_findings::checklist;
use domain::tasks::StoredTask;
use engine::escalation::Dossier;
use engine::worker::PastReview;
use serde_json::{Value, json};

use super::refused::decisions;

/// A heading and the lines below it.
pub(super) type Section = (&'static str, Vec<String>);

pub(super) fn sections(stored: &StoredTask, dossier: &Dossier) -> [Section; 3] {
    let id = &stored.task.id;
    let findings = match dossier.findings.as_slice() {
        [] => Vec::new(),
        // Its own heading says the same.
        findings => {
            let listed = checklist(findings);
            let all = dossier.reviews.last().map_or(0, |review| review.findings);
            let more = Some(all.saturating_sub(findings.len())).filter(|more| *more > 0);
            let more = more.map(|more| format!("{more} more findings were not kept."));
            listed.lines().skip(2).map(str::to_owned).chain(more).collect()
        }
    };
    let decisions = decisions(stored)
        .map(|decision| {
            format!("countersign task resolve {id} {:9} {}", decision.as_str(), decision.meaning())
        })
        .collect();
    [
        ("Reviews", dossier.reviews.iter().flat_map(review).collect()),
        ("Findings of the last review", findings),
        ("What you can do", decisions),
    ]
}

pub(super) fn json(stored: &StoredTask, dossier: &Dossier) -> Value {
    let decisions: Vec<_> = decisions(stored).map(super::resolve::Decision::as_str).collect();
    json!({ "reviews": dossier.reviews, "findings": dossier.findings, "decisions": decisions })
}

/// `attempt 2: fail, 3 findings (1 CRITICAL, 2 HIGH), by qa-1 in review-qa-1738588800000-a1b2c3`
fn review(past: &PastReview) -> Vec<String> {
    let count = match past.findings {
        1 => "1 finding".to_owned(),
        count => format!("{count} findings"),
    };
    let severities: Vec<_> =
        past.severities.iter().map(|(severity, count)| format!("{count} {severity}")).collect();
    let severities =
        if severities.is_empty() { String::new() } else { format!(" ({})", severities.join(", ")) };
    let PastReview { attempt, verdict, reviewer, review_task, .. } = past;
    let place = if review_task.is_empty() { String::new() } else { format!(" in {review_task}") };
    let line = format!("attempt {attempt}: {verdict}, {count}{severities}, by {reviewer}{place}");
    let unmet = past.unmet.iter().map(|criterion| format!("    {criterion}"));
    std::iter::once(line).chain(unmet).collect()
}
