//! Telling the ticket, once, however often it takes.

use std::time::Duration;

use domain::mission::MarkerKind;
use domain::ports::{PortError, TrackerPort};

use super::{Mission, World};
use crate::patience::{LONGEST_WAIT, may_be_said_again, wait_after};
use crate::ticket::tell_once;

/// How often the ticket is tried before a human has to tell it.
const TRIES: u32 = 4;
const FIRST_WAIT: Duration = Duration::from_secs(2);

/// Posts a report unless it is there. What was posted and not answered is looked for before it is posted again.
pub(super) async fn tell_ticket<T: TrackerPort, W: World>(
    tracker: &T,
    world: &W,
    mission: &Mission,
    kind: MarkerKind,
    text: &str,
) -> Result<(), PortError> {
    let mut wait = FIRST_WAIT;
    let mut last: Option<PortError> = None;
    for attempt in 0..TRIES {
        if attempt > 0 {
            let usual = last.as_ref().map_or(wait, |error| wait_after(error, wait, LONGEST_WAIT));
            world.wait(usual).await;
            wait *= 2;
        }
        match tell_once(tracker, &mission.key, &mission.marker(kind).mark(), text).await {
            Ok(()) => return Ok(()),
            // A refusal stays one; what may pass is tried again.
            Err(error) if !may_be_said_again(&error) => return Err(error),
            Err(error) => last = Some(error),
        }
        if world.is_stopped() {
            break;
        }
    }
    match last {
        Some(error) => Err(error),
        None => Ok(()),
    }
}
