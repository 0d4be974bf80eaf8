//! Missions whose process ended before they did.

use std::collections::BTreeSet;
use std::time::Duration;

use domain::forge::IssueKey;
use engine::mission;
use tokio::time::{sleep, timeout};

use super::Journal;
use super::escalations::interrupted;
use crate::failure::Failure;
use crate::outward::Outward;
use crate::reviewers::Heard;
use crate::store::StoreArgs;

/// How long one ticket is waited for.
const TELL_TIMEOUT: Duration = Duration::from_secs(10);
const BETWEEN_LOOKS: Duration = Duration::from_secs(30);

/// Finds interrupted missions, now and while this runs, and tells their tickets. It never ends by itself. What cannot be told is
/// said to `heard` once; it does not keep others from working.
pub(crate) async fn report_interrupted(store: &StoreArgs, except: Option<&IssueKey>, heard: &Heard) {
    let mut known = BTreeSet::new();
    loop {
        for key in interrupted(&store.mailbox()) {
            if except != Some(&key) && known.insert(key.clone()) {
                heard(&format!("{key}: its mission was interrupted; go on with `countersign mission {key}`"));
                report_interruption(&key, store, heard).await;
            }
        }
        sleep(BETWEEN_LOOKS).await;
    }
}

/// Tells the ticket that its mission was interrupted, unless a process works on it or it is over.
pub(crate) async fn report_interruption(key: &IssueKey, store: &StoreArgs, heard: &Heard) {
    let told = timeout(TELL_TIMEOUT, tell(key, store)).await;
    let why = match told {
        Ok(Ok(())) => return,
        Ok(Err(failure)) => failure.what().to_owned(),
        Err(_) => format!("no answer within {} s", TELL_TIMEOUT.as_secs()),
    };
    heard(&format!("{key}: the ticket was not told of the interruption: {why}"));
}

async fn tell(key: &IssueKey, store: &StoreArgs) -> Result<(), Failure> {
    let Some(journal) = Journal::open_if_free(&store.mailbox(), key)? else { return Ok(()) };
    let Some(mission) = journal.load()?.filter(engine::mission::Mission::is_under_way) else { return Ok(()) };
    let outward = Outward::of(store)?;
    let (tracker, effects) = (outward.tracker()?, store.open().await?);
    let seal = outward.publish_key();
    let told =
        mission::report_interruption(&mission, &tracker, &effects, journal.holder(), seal.as_ref()).await;
    match told {
        Ok(_) | Err(mission::Halt::Stopped) => Ok(()),
        Err(mission::Halt::Failed { what, hint }) => Err(Failure::new(what, hint)),
    }
}
