//! Posting the review on the forge, and telling the ticket when that takes long.

use std::pin::pin;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use domain::mission::{MissionNews, delayed};
use domain::ports::{DocsPort, PortError, TrackerPort, VcsPort};
use domain::publish::{CannotPublish, Publication};
use tokio::sync::Notify;

use super::find::{found, trying_again};
use super::report::{mark, tell_ticket};
use super::{Mission, MissionPorts, Posted, Step, World};
use crate::publish::{LocalTurns, PublishError, Publisher};

/// An author who pushes faster than we review gets the last word after this many reviews.
const MOST_REVIEWS: u32 = 3;
/// After its first trouble, publishing has this long before the ticket is told.
const DELAY_UNTOLD: Duration = Duration::from_secs(30);

/// A8, B6.
pub(super) async fn publish<V: VcsPort, T: TrackerPort, D: DocsPort, W: World>(
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
    let delay = Delay::default();
    let forge = found.forge;
    let publisher = Publisher {
        vcs: forge.vcs,
        turns: &turns,
        policy: forge.policy.clone(),
        key: forge.key.clone(),
        patience: forge.patience,
        waits: &|error, pause| {
            world.tell(&trying_again(error, pause));
            delay.notice(error);
        },
    };
    let patches = review.patches.clone().into_iter().collect();
    let publication = Publication { review: &review, patches: &patches };
    let publishing = publisher.publish(&found.order.request, publication);
    let published = told_of_delay(publishing, &delay, mission, ports.tracker, world).await;
    match published {
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

/// The last trouble of a publication that is under way.
#[derive(Debug, Default)]
struct Delay {
    trouble: Mutex<Option<String>>,
    noticed: Notify,
}

impl Delay {
    fn notice(&self, error: &PortError) {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.to_string());
        self.noticed.notify_one();
    }

    /// Once there has been trouble for a while: the last of it.
    async fn lasts<W: World>(&self, world: &W) -> String {
        self.noticed.notified().await;
        world.wait(DELAY_UNTOLD).await;
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or_default()
    }
}

/// Goes on publishing while the ticket is told that it takes longer, and why. The ticket is told once.
async fn told_of_delay<P, T: TrackerPort, W: World>(
    publishing: impl Future<Output = P>,
    delay: &Delay,
    mission: &Mission,
    tracker: &T,
    world: &W,
) -> P {
    let mut publishing = pin!(publishing);
    let why = tokio::select! {
        published = &mut publishing => return published,
        why = delay.lasts(world) => why,
    };
    let mark = mark(world, mission.as_ended(), MissionNews::Delay);
    let text = delayed(&mark, "publishing the review", &why);
    let (published, told) = tokio::join!(publishing, tell_ticket(tracker, world, mission, &mark, &text));
    if told.is_err() {
        world.tell(&format!("{}: the ticket was not told of the delay", mission.key));
    }
    published
}
