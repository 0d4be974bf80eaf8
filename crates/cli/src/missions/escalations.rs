//! Missions that wait for a person: how they are found, and what is decided about them.

use std::path::{Path, PathBuf};

use domain::cycle::Resolution;
use domain::forge::IssueKey;
use engine::escalation::{Missions, StoryTrouble};
use engine::mission::Mission;
use jiff::Timestamp;

use super::Journal;
use crate::failure::Failure;

/// The missions beside a mailbox, as they are when somebody asks.
#[derive(Debug)]
pub(crate) struct MissionsAt {
    pub(crate) mailbox: PathBuf,
}

impl Missions for MissionsAt {
    /// A file that is none is no mission: its next start says so.
    fn waiting(&self) -> Result<Vec<Mission>, StoryTrouble> {
        let all = all(&self.mailbox).into_iter();
        Ok(all.filter(|mission| waits(&self.mailbox, mission)).collect())
    }

    fn find(&self, key: &str) -> Result<Option<Mission>, StoryTrouble> {
        let Ok(key) = IssueKey::parse(key) else { return Ok(None) };
        let mission = read(&self.mailbox.join("missions").join(format!("{key}.json")));
        Ok(mission.filter(|mission| waits(&self.mailbox, mission)))
    }

    fn resolve(
        &self,
        key: &str,
        resolution: Resolution,
        by: &str,
        note: &str,
    ) -> Result<Mission, StoryTrouble> {
        let unknown = || Failure::new(format!("there is no mission of {key} here"), "list them again");
        let key = IssueKey::parse(key).map_err(|_| unusable(&unknown()))?;
        let journal = Journal::open(&self.mailbox, &key).map_err(|failure| held(&failure))?;
        let mut mission =
            journal.load().map_err(|failure| unusable(&failure))?.ok_or_else(|| unusable(&unknown()))?;
        mission.resolve(resolution, by, note, Timestamp::now());
        journal.save(&mission).map_err(|failure| unusable(&failure))?;
        Ok(mission)
    }
}

/// The last mission of every ticket here.
fn all(mailbox: &Path) -> Vec<Mission> {
    let Ok(entries) = std::fs::read_dir(mailbox.join("missions")) else { return Vec::new() };
    let paths = entries.flatten().map(|entry| entry.path());
    let journals = paths.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
    journals.filter_map(|path| read(&path)).collect()
}

fn waits(mailbox: &Path, mission: &Mission) -> bool {
    mission.is_unreported() || is_interrupted(mailbox, mission)
}

/// Whether it is under way and no process works on it.
fn is_interrupted(mailbox: &Path, mission: &Mission) -> bool {
    mission.is_under_way() && !Journal::is_held(mailbox, &mission.key)
}

/// The tickets whose mission was interrupted.
pub(super) fn interrupted(mailbox: &Path) -> Vec<IssueKey> {
    let interrupted = all(mailbox).into_iter().filter(|mission| is_interrupted(mailbox, mission));
    interrupted.map(|mission| mission.key).collect()
}

fn read(path: &Path) -> Option<Mission> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

fn unusable(failure: &Failure) -> StoryTrouble {
    StoryTrouble::Unusable { what: failure.what().to_owned(), hint: failure.hint().to_owned() }
}

fn held(failure: &Failure) -> StoryTrouble {
    StoryTrouble::Held { what: failure.what().to_owned(), hint: failure.hint().to_owned() }
}
