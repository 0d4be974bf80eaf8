//! Telling the ticket, once, however often it takes.

use std::time::Duration;

use domain::mission::{MissionIdentity, MissionNews};
use domain::ports::{Effect, PortError, StoreError, TrackerPort};
use domain::publish::{TicketMark, verdict_told};
use domain::review::Verdict;

use super::find::patiently;
use super::{Halt, Mission, World};
use crate::once::{Once, has_happened, once};
use crate::patience::{LONGEST_WAIT, may_be_said_again, wait_after};
use crate::ticket::{Telling, newest, results, tell_once};

/// How often the ticket is tried before a human has to tell it.
const TRIES: u32 = 4;
const FIRST_WAIT: Duration = Duration::from_secs(2);

/// Why a ticket does not know.
pub(super) enum Untold {
    Port(PortError),
    /// Nobody can say whether somebody else has told it.
    Store(StoreError),
}

impl From<StoreError> for Untold {
    fn from(error: StoreError) -> Untold {
        Untold::Store(error)
    }
}

impl From<StoreError> for Halt {
    fn from(error: StoreError) -> Halt {
        let hint = "check that the store can be reached and written; then start the mission again";
        Halt::Failed { what: error.to_string(), hint: hint.to_owned() }
    }
}

/// What the result of a mission is found by.
pub(super) fn mark<W: World>(world: &W, identity: MissionIdentity<'_>, news: MissionNews<'_>) -> TicketMark {
    identity.mark(news, world.seal())
}

/// What a failure, or a result that is not the last word, is found by: the mark that the ticket's last result has, if that told this failure; else the mark of what
/// comes after it. So the same failure is told once in a row, and again after anything else; whoever comes to it after a
/// kill, or at the same moment, has the same mark.
pub(super) async fn failure_mark<T: TrackerPort, W: World>(
    tracker: &T,
    world: &W,
    identity: MissionIdentity<'_>,
    step: &str,
    reason: &str,
) -> Result<TicketMark, Untold> {
    let told = patiently(world, || results(tracker, identity.key)).await.map_err(Untold::Port)?;
    let since = |since| mark(world, identity, MissionNews::Failure { step, reason, since });
    Ok(match &told[..] {
        [] => since(""),
        [earlier @ .., last] => {
            let as_last = since(earlier.last().map_or("", |before| before.id.as_str()));
            if as_last.is_in(&last.body) { as_last } else { since(&last.id) }
        }
    })
}

/// Posts a report, unless somebody who shares our store has, or the ticket has it from whoever.
pub(super) async fn tell_ticket<T: TrackerPort, W: World>(
    tracker: &T,
    world: &W,
    mission: &Mission,
    mark: &TicketMark,
    text: &str,
) -> Result<Telling, Untold> {
    let key = effect(mission, mark);
    let effect = Effect { key: &key, holder: world.holder() };
    let telling = async { tell(tracker, world, mission, mark, text).await.map_err(Untold::Port) };
    Ok(match once(world.effects(), effect, telling).await? {
        Once::Now(telling) => telling,
        Once::Before => Telling::Before,
    })
}

/// What was posted and not answered is looked for before it is posted again.
async fn tell<T: TrackerPort, W: World>(
    tracker: &T,
    world: &W,
    mission: &Mission,
    mark: &TicketMark,
    text: &str,
) -> Result<Telling, PortError> {
    let mut wait = FIRST_WAIT;
    for _ in 1..TRIES {
        match tell_once(tracker, &mission.key, mark, text).await {
            // A refusal stays one; what may pass is tried again.
            Err(error) if may_be_said_again(&error) && !world.is_stopped() => {
                let pause = wait_after(&error, wait, LONGEST_WAIT);
                world.tell(&format!(
                    "{}: not told, trying again in {} s: {error}",
                    mission.key,
                    pause.as_secs()
                ));
                world.wait(pause).await;
                wait *= 2;
            }
            answer => return answer,
        }
    }
    tell_once(tracker, &mission.key, mark, text).await
}

/// What is known of a mission that begins.
pub(super) enum Known {
    Nothing,
    /// It was done before, and this is how it came out, if that can still be read.
    Ended(Option<Verdict>),
}

/// Whether the ticket was told how this mission ended, by whoever.
pub(super) async fn known<T: TrackerPort, W: World>(
    tracker: &T,
    world: &W,
    mission: &Mission,
) -> Result<Known, Untold> {
    let result = mark(world, mission.as_begun(), MissionNews::Result);
    let mut marks = vec![result.clone()];
    // Whoever asked for it once more wants no older word.
    if mission.again.is_empty() {
        marks.push(mark(world, mission.as_begun(), MissionNews::Repeated));
    }
    let told = patiently(world, || newest(tracker, &mission.key, &marks)).await.map_err(Untold::Port)?;
    if let Some(told) = told {
        return Ok(Known::Ended(verdict_told(&told.body)));
    }
    let key = effect(mission, &result);
    let effect = Effect { key: &key, holder: world.holder() };
    Ok(match has_happened(world.effects(), effect).await? {
        true => Known::Ended(None),
        false => Known::Nothing,
    })
}

pub(super) fn effect(mission: &Mission, mark: &TicketMark) -> String {
    format!("{} {}", mission.key, mark.as_str())
}
