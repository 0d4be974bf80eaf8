//! Telling the ticket, once, however often it takes.

use std::time::Duration;

use domain::mission::MarkerKind;
use domain::ports::{PortError, TrackerPort};

use super::{Mission, World};
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
    let mut last = None;
    for attempt in 0..TRIES {
        if attempt > 0 {
            world.wait(wait).await;
            wait *= 2;
        }
        match tell_once(tracker, &mission.key, &mission.marker(kind).mark(), text).await {
            Ok(()) => return Ok(()),
            // A refusal stays one; what may pass is tried again.
            Err(error) if !error.is_transient() && !error.may_have_happened() => return Err(error),
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
