use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::journal::{Journal, write_whole};

/// A review is published as one; what a model says besides is not to become a flood.
const MOST: usize = 20;

/// What models posted by themselves in a mission. It is kept before it is posted: killed after that, nothing is there twice,
/// at worst one remark is missing that the review does not depend on.
#[derive(Debug)]
pub(super) struct Said {
    path: PathBuf,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Kept {
    mission: String,
    /// Digests of calls.
    calls: BTreeSet<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    Yours,
    /// Before, or somewhere on the way to it.
    SaidBefore,
    Enough,
    /// What cannot be remembered is not said.
    Forgetful,
}

impl Said {
    pub(super) fn of(journal: &Journal, mission: &str) -> Said {
        let path = journal.beside("said");
        let read = std::fs::read(&path).ok().and_then(|bytes| serde_json::from_slice::<Kept>(&bytes).ok());
        let kept = read.filter(|kept| kept.mission == mission);
        let fresh = || Kept { mission: mission.to_owned(), ..Kept::default() };
        Said { path, kept: Mutex::new(kept.unwrap_or_else(fresh)) }
    }

    pub(super) fn begin(&self, tool: &str, arguments: &Value) -> Turn {
        let mut kept = self.kept();
        let call = digest(tool, arguments);
        if kept.calls.contains(&call) {
            return Turn::SaidBefore;
        }
        if kept.calls.len() >= MOST {
            return Turn::Enough;
        }
        kept.calls.insert(call.clone());
        match write_whole(&self.path, &*kept) {
            Ok(()) => Turn::Yours,
            Err(_) => {
                kept.calls.remove(&call);
                Turn::Forgetful
            }
        }
    }

    /// It was refused, and may be said better.
    pub(super) fn unsaid(&self, tool: &str, arguments: &Value) {
        let mut kept = self.kept();
        kept.calls.remove(&digest(tool, arguments));
        // If it stays there, the same is not said again; something better may be.
        let _ = write_whole(&self.path, &*kept);
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn {
    /// What the model is told where nothing is posted.
    pub(super) fn refusal(self) -> Option<&'static str> {
        match self {
            Turn::Yours => None,
            Turn::SaidBefore => Some("Nothing was done: this was posted already. Go on without it."),
            Turn::Enough => {
                Some("Nothing was done: enough was posted in this review. Put the rest into your report.")
            }
            Turn::Forgetful => Some(
                "Nothing was done: it cannot be written down that this was posted. Put it into your report.",
            ),
        }
    }
}

fn digest(tool: &str, arguments: &Value) -> String {
    let digest = Sha256::digest(format!("{tool}\n{arguments}"));
    digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use domain::forge::IssueKey;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_posted_before_a_kill_is_not_posted_again_and_another_mission_begins_anew() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::open(folder.path(), &IssueKey::parse("PROJ-1").unwrap()).unwrap();
        let words = json!({ "body": "look here" });
        assert_eq!(Said::of(&journal, "m1").begin("add_note", &words), Turn::Yours);
        assert_eq!(Said::of(&journal, "m1").begin("add_note", &words), Turn::SaidBefore);
        assert_eq!(Said::of(&journal, "m1").begin("add_comment", &words), Turn::Yours);
        assert_eq!(Said::of(&journal, "m2").begin("add_note", &words), Turn::Yours);
    }

    #[test]
    fn what_was_refused_may_be_said_again_and_a_flood_comes_to_an_end() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::open(folder.path(), &IssueKey::parse("PROJ-1").unwrap()).unwrap();
        let said = Said::of(&journal, "m1");
        for _ in 0..2 {
            assert_eq!(said.begin("add_note", &json!(0)), Turn::Yours);
            said.unsaid("add_note", &json!(0));
        }
        let posted = (1..=50).filter(|number| said.begin("add_note", &json!(number)) == Turn::Yours).count();
        assert_eq!(posted, MOST);
    }
}
