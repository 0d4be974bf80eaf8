use domain::change::Target;
use domain::mission::{MissionNews, find_params, started};
use domain::ports::{DocsPort, PortError, TrackerPort, VcsPort};
use domain::review::{Review, Verdict};

use super::context::{Context, context};
use super::find::{address, found, head, patiently};
use super::outcome::{report, report_failure};
use super::publish::publish;
use super::report::{Known, Untold, known, mark, tell_ticket};
use super::{Ended, Halt, Mission, MissionPorts, ReviewJob, Reviewed, Step, World};

/// Goes on with a mission until it is over. `Err` is for what keeps us from going on at all; everything else that goes
/// wrong ends the mission and is told to its ticket.
pub async fn run<V: VcsPort, T: TrackerPort, D: DocsPort, W: World>(
    mission: &mut Mission,
    ports: &MissionPorts<'_, V, T, D>,
    world: &W,
) -> Result<Ended, Halt> {
    mission.awaits_start = false;
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
    if let Some(unposted) = mission.unposted.take()
        && unposted.fits(mission, found.request.head.as_ref())
    {
        mission.note(world.now(), "the earlier review of this commit is published");
        mission.head = Some(unposted.head);
        mission.review = Some(unposted.review);
        mission.limits = unposted.limits;
        mission.step = Step::Publish;
        return Ok(());
    }
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
            if review.verdict() == Verdict::Inconclusive {
                let again = format!("`countersign mission {}` reviews this commit again", mission.key);
                review.remarks.insert(0, again);
            }
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

fn broke(mission: &mut Mission, step: &str, error: &PortError) {
    mission.broke(step, error.to_string(), error.hint.clone());
}
