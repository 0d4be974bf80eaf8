use domain::cycle::Resolution;

use super::{EscalationKind, OpenEscalation, StoryTrouble};
use crate::mission::Mission;

/// Where missions are kept. Blocking.
pub trait Missions: Send + Sync {
    /// Those that wait for a person, in any order: their ticket could not be told how they ended, or their process died.
    fn waiting(&self) -> Result<Vec<Mission>, StoryTrouble>;

    /// The last mission of a ticket, if it waits for a person. Any text may be asked for.
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
        let key = &mission.key;
        let (title, reason) = match mission.is_over() {
            true => (format!("{key} does not know how its review ended"), mission.unreported.clone()),
            false => {
                let doing = mission.step.doing();
                let reason =
                    format!("its process ended while {doing}; `countersign mission {key}` goes on with it");
                (format!("the mission of {key} was interrupted"), Some(reason))
            }
        };
        OpenEscalation {
            kind: EscalationKind::Mission,
            id: key.to_string(),
            title,
            agent: "countersign".to_owned(),
            reason,
            review_attempt: mission.reviews,
            options: Mission::OPTIONS.to_vec(),
            since: mission.finished_at.unwrap_or(mission.started_at),
        }
    }
}
