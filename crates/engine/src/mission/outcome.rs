//! What the ticket is told at the end.

use domain::mission::{MissionNews, failed, finished, unpublished};
use domain::ports::{DocsPort, TrackerPort, VcsPort};
use domain::publish::{TicketMark, summary_of};
use domain::review::{Review, Verdict};
use domain::text::short_line;

use super::report::{self, Untold, failure_mark, mark, tell_ticket};
use super::{Halt, Mission, MissionPorts, Posted, Step, World};
use crate::ticket::Telling;

/// What a ticket is told where the forge cannot be.
const MOST_FINDINGS_IN_TICKET: usize = 30;

/// A9: where to read it, and how many findings of which severity.
pub(super) async fn report<V: VcsPort, T: TrackerPort, D: DocsPort, W: World>(
    mission: &mut Mission,
    ports: &MissionPorts<'_, V, T, D>,
    world: &W,
) -> Result<(), Halt> {
    let Some(review) = &mission.review else {
        mission.step = Step::Review;
        return Ok(());
    };
    let told = match unsettled(mission, review) {
        None => Ok(mark(world, mission.as_ended(), MissionNews::Result)),
        Some(UnsettledResult { step, reason, .. }) => {
            failure_mark(ports.tracker, world, mission.as_ended(), step, &reason).await
        }
    };
    let told = match told {
        Ok(mark) => {
            let text = result(mission, review, &mark, world);
            tell_ticket(ports.tracker, world, mission, &mark, &text).await
        }
        Err(untold) => Err(untold),
    };
    ended(mission, Step::Done, told)
}

/// A result that the next start of the same mission may better.
struct UnsettledResult {
    step: &'static str,
    reason: String,
    /// What that start does.
    next: &'static str,
}

fn unsettled(mission: &Mission, review: &Review) -> Option<UnsettledResult> {
    match (review.verdict(), &mission.posted) {
        (Verdict::Inconclusive, _) => {
            let troubles: Vec<&str> =
                review.troubles.iter().map(|trouble| trouble.message.as_str()).collect();
            let next = "it reviews the same commit again, and nothing has to be pushed";
            Some(UnsettledResult { step: "reviewing", reason: troubles.join("; "), next })
        }
        (Verdict::Pass | Verdict::Fail, Some(Posted::Impossible { reason })) => {
            let next = "it posts this review where it belongs";
            Some(UnsettledResult { step: "publishing", reason: reason.clone(), next })
        }
        (Verdict::Pass | Verdict::Fail, Some(Posted::Published { .. }) | None) => None,
    }
}

fn result<W: World>(mission: &Mission, review: &Review, mark: &TicketMark, world: &W) -> String {
    let unsettled = unsettled(mission, review);
    let summary = |url: &str| {
        let mut summary = summary_of(review, url);
        summary.notes.extend(mission.limits.iter().map(|limit| format!("Note: {limit}")));
        let key = &mission.key;
        summary.notes.extend(unsettled.iter().map(|unsettled| {
            format!("What to do: start `countersign mission {key}` again; {}.", unsettled.next)
        }));
        summary
    };
    let text = match &mission.posted {
        Some(Posted::Published { url, .. }) => finished(mark, &summary(url)),
        Some(Posted::Impossible { reason }) => {
            let url =
                mission.params.as_ref().map(|params| params.review_request_url.as_str()).unwrap_or_default();
            unpublished(mark, &summary(url), reason, &findings(review))
        }
        None => finished(mark, &summary("")),
    };
    match mission.again.is_empty() || unsettled.is_some() {
        true => text,
        false => {
            let repeated = report::mark(world, mission.as_ended(), MissionNews::Repeated);
            text.replace(mark.as_str(), &mark.under(repeated.as_str()))
        }
    }
}

pub(super) async fn report_failure<V: VcsPort, T: TrackerPort, D: DocsPort, W: World>(
    mission: &mut Mission,
    ports: &MissionPorts<'_, V, T, D>,
    world: &W,
) -> Result<(), Halt> {
    let (step, reason, hint) = match &mission.broken {
        Some(broken) => (broken.step.as_str(), broken.reason.as_str(), broken.hint.as_str()),
        None => ("working on it", "the reason was lost", ""),
    };
    let told = match failure_mark(ports.tracker, world, mission.as_begun(), step, reason).await {
        Ok(mark) => {
            let text = failed(&mark, step, reason, hint);
            tell_ticket(ports.tracker, world, mission, &mark, &text).await
        }
        Err(untold) => Err(untold),
    };
    ended(mission, Step::Failed, told)
}

fn ended(mission: &mut Mission, step: Step, told: Result<Telling, Untold>) -> Result<(), Halt> {
    (mission.told, mission.unreported) = match told {
        Ok(telling) => (Some(telling), None),
        Err(Untold::Port(error)) => (None, Some(short_line(&error.to_string()))),
        Err(Untold::Store(error)) => return Err(error.into()),
    };
    mission.step = step;
    Ok(())
}

fn findings(review: &Review) -> Vec<String> {
    let shown = review.findings.iter().take(MOST_FINDINGS_IN_TICKET);
    let mut lines: Vec<String> =
        shown.map(|one| format!("{} {}: {}", one.severity.as_str(), one.location(), one.message)).collect();
    let more = review.findings.len().saturating_sub(MOST_FINDINGS_IN_TICKET);
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    lines
}
