use domain::mission::{MissionNews, interrupted};
use domain::ports::{Effect, EffectStore, TrackerPort};
use domain::publish::PublishKey;

use super::report::{Untold, effect};
use super::{Halt, Mission};
use crate::once::{Once, once};
use crate::ticket::{Telling, tell_once};

/// Tells the ticket of a mission without a running process that the review was interrupted, and how to go on with it. A mission
/// is told of once, however often it is interrupted.
pub async fn report_interruption<T: TrackerPort, S: EffectStore>(
    mission: &Mission,
    tracker: &T,
    effects: &S,
    holder: &str,
    seal: Option<&PublishKey>,
) -> Result<Telling, Halt> {
    let mark = mission.as_begun().mark(MissionNews::Interruption, seal);
    let text = interrupted(&mark, &mission.key, mission.step.doing());
    let key = effect(mission, &mark);
    let telling = async { tell_once(tracker, &mission.key, &mark, &text).await.map_err(Untold::Port) };
    match once(effects, Effect { key: &key, holder }, telling).await {
        Ok(Once::Now(telling)) => Ok(telling),
        Ok(Once::Before) => Ok(Telling::Before),
        Err(Untold::Store(error)) => Err(error.into()),
        Err(Untold::Port(error)) => Err(Halt::Failed { what: error.to_string(), hint: error.hint }),
    }
}
