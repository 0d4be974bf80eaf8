use domain::change::Target;
use domain::mission::{MissionNews, failed, find_params, finished, started, unpublished};
use domain::ports::{DocsPort, PortError, TrackerPort, VcsPort};
use domain::publish::{CannotPublish, Publication, summary_of};
use domain::review::{Review, Verdict};
use domain::text::short_line;

use super::context::{Context, context};
use super::find::{address, found, head, patiently, trying_again};
use super::report::{self, Known, Untold, failure_mark, known, mark, tell_ticket};
use super::{Ended, Halt, Mission, MissionPorts, Posted, ReviewJob, Reviewed, Step, World};
use crate::publish::{LocalTurns, PublishError, Publisher};
use crate::ticket::Telling;

/// Somebody who pushes faster than we review gets the last word after this many reviews.
const MOST_REVIEWS: u32 = 3;
/// What a ticket is told where the forge cannot be.
const MOST_FINDINGS_IN_TICKET: usize = 30;

/// Goes on with a mission until it is over. `Err` is for what keeps us from going on at all; everything else that goes
/// wrong ends the mission and is told to its ticket.
pub async fn run<V: VcsPort, T: TrackerPort, D: DocsPort, W: World>(
    mission: &mut Mission,
    ports: &MissionPorts<'_, V, T, D>,
    world: &W,
) -> Result<Ended, Halt> {
    while !mission.is_over() {
        if world.is_stopped() {
            return Err(Halt::Stopped);
        }
        world.tell(&format!("{}: {}", mission.key, mission.step.as_str()));
        let step = mission.step;
        match step {
            Step::Parse => {
                if let Known::Ended(verdict) = parse(mission, ports, world).await? {
                    return Ok(Ended::Known(verdict));
                }
            }
            Step::ReportStart => report_start(mission, ports, world).await?,
            Step::Validate => validate(mission, ports, world).await,
            Step::Review => review(mission, ports, world).await?,
            Step::Publish => publish(mission, ports, world).await,
            Step::Report => report(mission, ports, world).await?,
            Step::ReportFailure => report_failure(mission, ports, world).await?,
            Step::Done | Step::Failed => {}
        }
        if world.is_stopped() && mission.step == Step::ReportFailure {
            // What failed while we were being stopped proves nothing, and is not told to anybody.
            return Err(Halt::Stopped);
        }
        mission.note(world.now(), format!("{}, then {}", step.as_str(), mission.step.as_str()));
        if mission.is_over() {
            mission.finished_at = Some(world.now());
        }
        world.save(mission)?;
    }
    Ok(match (&mission.unreported, mission.step) {
        (Some(_), _) => Ended::Unreported,
        (None, Step::Failed) => Ended::Failed,
        (None, _) => Ended::Done,
    })
}

/// A1, B1. What was done before is not done again.
async fn parse<V: VcsPort, T: TrackerPort, D: DocsPort, W: World>(
    mission: &mut Mission,
    ports: &MissionPorts<'_, V, T, D>,
    world: &W,
) -> Result<Known, Halt> {
    if mission.description.is_empty() {
        match patiently(world, || ports.tracker.get_issue(&mission.key)).await {
            Ok(Some(issue)) => mission.description = issue.description,
            Ok(None) => {
                let reason = format!("there is no ticket {}, or the token may not see it", mission.key);
                mission.broke("reading the ticket", reason, "check JIRA_URL and the token");
                return Ok(Known::Nothing);
            }
            Err(error) => {
                broke(mission, "reading the ticket", &error);
                return Ok(Known::Nothing);
            }
        }
    }
    match find_params(&mission.description) {
        Ok(params) => mission.params = Some(params),
        Err(problem) => {
            let hint = "correct code_review_params in the description, and start the review again";
            mission.broke("reading code_review_params", problem.to_string(), hint);
            return Ok(Known::Nothing);
        }
    }
    mission.at_start = head(mission, ports, world).await;
    mission.step = Step::ReportStart;
    match known(ports.tracker, world, mission).await {
        Ok(known) => Ok(known),
        Err(Untold::Store(error)) => Err(error.into()),
        Err(Untold::Port(error)) => {
            broke(mission, "reading the ticket", &error);
            Ok(Known::Nothing)
        }
    }
}

/// A2. A ticket that cannot be told that it begins would not be told how it ends either.
async fn report_start<V: VcsPort, T: TrackerPort, D: DocsPort, W: World>(
    mission: &mut Mission,
    ports: &MissionPorts<'_, V, T, D>,
    world: &W,
) -> Result<(), Halt> {
    let order = address(mission, ports);
    let mark = mark(world, mission.as_begun(), MissionNews::Start);
    let text = started(&mark, order.as_ref().map(|order| order.url.as_str()));
    match tell_ticket(ports.tracker, world, mission, &mark, &text).await {
        Ok(_) => mission.step = Step::Validate,
        Err(Untold::Store(error)) => return Err(error.into()),
        Err(Untold::Port(error)) => broke(mission, "reporting the start", &error),
    }
    Ok(())
}

/// A3. The address is held against the configured forge before anything is asked of it.
async fn validate<V: VcsPort, T: TrackerPort, D: DocsPort, W: World>(
    mission: &mut Mission,
    ports: &MissionPorts<'_, V, T, D>,
    world: &W,
) {
    match found(mission, ports, world).await {
        Ok(_) => mission.step = Step::Review,
        Err(broken) => mission.broke(broken.step, broken.reason, broken.hint),
    }
}

/// A4 to A7, B2 to B5.
async fn review<V: VcsPort, T: TrackerPort, D: DocsPort, W: World>(
    mission: &mut Mission,
    ports: &MissionPorts<'_, V, T, D>,
    world: &W,
) -> Result<(), Halt> {
    let found = match found(mission, ports, world).await {
        Ok(found) => found,
        Err(broken) => {
            mission.broke(broken.step, broken.reason, broken.hint);
            return Ok(());
        }
    };
    let issue = match patiently(world, || ports.tracker.get_issue(&mission.key)).await {
        Ok(Some(issue)) => issue,
        Ok(None) => {
            mission.broke("reading the ticket", "the ticket is gone", "");
            return Ok(());
        }
        Err(error) => {
            broke(mission, "reading the ticket", &error);
            return Ok(());
        }
    };
    let Context { pages, architecture } = match context(mission, ports, world, &issue).await {
        Ok(context) => context,
        Err(error) => {
            broke(mission, "reading the documentation", &error);
            return Ok(());
        }
    };
    let diff = match patiently(world, || found.forge.vcs.get_merge_request_diff(&found.order.request)).await {
        Ok(diff) => diff,
        Err(error) => {
            broke(mission, "reading the diff", &error);
            return Ok(());
        }
    };
    let mode = mission.mode();
    let job = ReviewJob { mission, issue: &issue, request: &found.request, diff, context: pages, mode };
    let review = world.review(job).await;
    if world.is_stopped() {
        return Err(Halt::Stopped);
    }
    match review {
        Ok(Reviewed { review, denied, mut limits }) => {
            for call in denied {
                mission.note(world.now(), format!("denied {call}"));
            }
            mission.reviews += 1;
            let mut review = architecture.tell(review, &mut limits, world);
            review.remarks.splice(0..0, limits.iter().cloned());
            // By git somebody may have got a newer commit than the port showed.
            let head = match &review.subject.scope.head {
                Target::Commit(head) => Some(head.clone()),
                Target::Index | Target::Worktree => None,
            };
            // A recovery that proves nothing is not worth more than what is there.
            let proved = |review: &Review| review.verdict() != Verdict::Inconclusive;
            let worse = !proved(&review) && mission.review.as_ref().is_some_and(proved);
            if !(worse && mission.head == head) {
                mission.review = Some(review);
                mission.limits = limits;
            }
            mission.head = head;
            mission.step = Step::Publish;
        }
        Err(unreviewed) => mission.broke("reviewing", unreviewed.reason, unreviewed.hint),
    }
    Ok(())
}

/// A8, B6.
async fn publish<V: VcsPort, T: TrackerPort, D: DocsPort, W: World>(
    mission: &mut Mission,
    ports: &MissionPorts<'_, V, T, D>,
    world: &W,
) {
    let Some(review) = mission.review.clone() else {
        mission.step = Step::Review;
        return;
    };
    let found = match found(mission, ports, world).await {
        Ok(found) => found,
        Err(broken) => return mission.broke(broken.step, broken.reason, broken.hint),
    };
    let turns = LocalTurns::default();
    let forge = found.forge;
    let publisher = Publisher {
        vcs: forge.vcs,
        turns: &turns,
        policy: forge.policy.clone(),
        key: forge.key.clone(),
        patience: forge.patience,
        waits: &|error, pause| world.tell(&trying_again(error, pause)),
    };
    let patches = Default::default();
    let publication = Publication { review: &review, patches: &patches };
    match publisher.publish(&found.order.request, publication).await {
        Ok(outcome) => {
            if let Some(doubt) = outcome.doubt {
                mission.review = Some(review.doubted(doubt));
            }
            mission.posted = Some(Posted::Published { url: outcome.url, comments: outcome.added });
            mission.step = Step::Report;
        }
        Err(PublishError::Cannot(CannotPublish::Moved { .. })) if mission.reviews < MOST_REVIEWS => {
            mission.step = Step::Review;
        }
        // Another mode has other means: it is tried once before the ticket gets the review instead of the forge.
        Err(_) if world.recovers() && !mission.recovering => {
            mission.recovering = true;
            mission.step = Step::Review;
        }
        Err(error) => {
            mission.posted = Some(Posted::Impossible { reason: error.to_string() });
            mission.step = Step::Report;
        }
    }
}

/// A9: where to read it, and how many findings of which severity.
async fn report<V: VcsPort, T: TrackerPort, D: DocsPort, W: World>(
    mission: &mut Mission,
    ports: &MissionPorts<'_, V, T, D>,
    world: &W,
) -> Result<(), Halt> {
    let Some(review) = &mission.review else {
        mission.step = Step::Review;
        return Ok(());
    };
    let mark = mark(world, mission.as_ended(), MissionNews::Result);
    let summary = |review: &Review, url: &str| {
        let mut summary = summary_of(review, url);
        summary.notes.extend(mission.limits.iter().map(|limit| format!("Note: {limit}")));
        summary
    };
    let text = match &mission.posted {
        Some(Posted::Published { url, .. }) => finished(&mark, &summary(review, url)),
        Some(Posted::Impossible { reason }) => {
            let url =
                mission.params.as_ref().map(|params| params.review_request_url.as_str()).unwrap_or_default();
            unpublished(&mark, &summary(review, url), reason, &findings(review))
        }
        None => finished(&mark, &summary(review, "")),
    };
    let text = match mission.again.is_empty() {
        true => text,
        false => {
            let repeated = report::mark(world, mission.as_ended(), MissionNews::Repeated);
            text.replace(mark.as_str(), &mark.under(repeated.as_str()))
        }
    };
    let told = tell_ticket(ports.tracker, world, mission, &mark, &text).await;
    ended(mission, Step::Done, told)
}

async fn report_failure<V: VcsPort, T: TrackerPort, D: DocsPort, W: World>(
    mission: &mut Mission,
    ports: &MissionPorts<'_, V, T, D>,
    world: &W,
) -> Result<(), Halt> {
    let (step, reason, hint) = match &mission.broken {
        Some(broken) => (broken.step.as_str(), broken.reason.as_str(), broken.hint.as_str()),
        None => ("working on it", "the reason was lost", ""),
    };
    let told = match failure_mark(ports.tracker, world, mission, step, reason).await {
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

fn broke(mission: &mut Mission, step: &str, error: &PortError) {
    mission.broke(step, error.to_string(), error.hint.clone());
}
