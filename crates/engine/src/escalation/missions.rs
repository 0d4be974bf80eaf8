use domain::cycle::Resolution;

use super::{EscalationKind, OpenEscalation, StoryTrouble};
use crate::mission::Mission;

/// Where missions are kept. Blocking.
pub trait Missions: Send + Sync {
    /// Those whose ticket could not be told how they ended, in any order.
    fn unreported(&self) -> Result<Vec<Mission>, StoryTrouble>;

    /// The last mission of a ticket. Any text may be asked for.
    fn find(&self, key: &str) -> Result<Option<Mission>, StoryTrouble>;

    /// Has the mission take a decision and stores both, or neither. Refused while somebody works on it.
    fn resolve(
        &self,
        key: &str,
        resolution: Resolution,
        by: &str,
        note: &str,
    ) -> Result<Mission, StoryTrouble>;
}

impl From<&Mission> for OpenEscalation {
    fn from(mission: &Mission) -> OpenEscalation {
        OpenEscalation {
            kind: EscalationKind::Mission,
            id: mission.key.to_string(),
            title: format!("{} does not know how its review ended", mission.key),
            agent: "countersign".to_owned(),
            reason: mission.unreported.clone(),
            review_attempt: mission.reviews,
            options: Mission::OPTIONS.to_vec(),
            since: mission.finished_at.unwrap_or(mission.started_at),
        }
    }
}
