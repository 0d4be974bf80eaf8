//! Missions whose ticket could not be told, for whoever lists and decides them.

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
    /// A file that is none is no mission: whoever starts its mission again is told.
    fn unreported(&self) -> Result<Vec<Mission>, StoryTrouble> {
        let Ok(entries) = std::fs::read_dir(self.mailbox.join("missions")) else { return Ok(Vec::new()) };
        let paths = entries.flatten().map(|entry| entry.path());
        let journals = paths.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
        Ok(journals.filter_map(|path| read(&path)).filter(Mission::is_unreported).collect())
    }

    fn find(&self, key: &str) -> Result<Option<Mission>, StoryTrouble> {
        let Ok(key) = IssueKey::parse(key) else { return Ok(None) };
        Ok(read(&self.mailbox.join("missions").join(format!("{key}.json"))))
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

fn read(path: &Path) -> Option<Mission> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

fn unusable(failure: &Failure) -> StoryTrouble {
    StoryTrouble::Unusable { what: failure.what().to_owned(), hint: failure.hint().to_owned() }
}

fn held(failure: &Failure) -> StoryTrouble {
    StoryTrouble::Held { what: failure.what().to_owned(), hint: failure.hint().to_owned() }
}
