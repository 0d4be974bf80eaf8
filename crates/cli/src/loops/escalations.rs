//! Stories that wait, for whoever lists and decides them.

use std::path::PathBuf;

use domain::cycle::Resolution;
use engine::escalation::{Stories, StoryTrouble};
use engine::story::{Decided, NotNow, Story};
use git::Repository;
use jiff::Timestamp;

use super::journal::{self, Journal};
use super::lock::NotTaken;
use super::{Lock, Place};
use crate::failure::Failure;

/// Every loop of the repository that is not over, oldest first.
pub(crate) fn unfinished(repository: &Repository) -> Result<Vec<Story>, Failure> {
    let Ok(entries) = std::fs::read_dir(Place::root(repository)) else { return Ok(Vec::new()) };
    let mut stories = Vec::new();
    for entry in entries.flatten() {
        stories.extend(journal::load(&entry.path().join("story.json"))?.filter(|story| !story.is_over()));
    }
    stories.sort_by_key(|story| story.started_at);
    Ok(stories)
}

/// The story of a loop by the loop's id, over or not; or by the story's own, if one loop that is not over has it.
pub(crate) fn find(repository: &Repository, id: &str) -> Result<Option<Story>, Failure> {
    if let Some(story) = by_loop(repository, id)? {
        return Ok(Some(story));
    }
    let mut same: Vec<Story> =
        unfinished(repository)?.into_iter().filter(|story| story.order.story_id == id).collect();
    match (same.pop(), same.is_empty()) {
        (only, true) => Ok(only),
        (last, false) => {
            let ids: Vec<String> = same.into_iter().chain(last).map(|story| story.id).collect();
            Err(Failure::new(
                format!("story {id} has more than one loop: {}", ids.join(", ")),
                "name the loop",
            ))
        }
    }
}

fn by_loop(repository: &Repository, id: &str) -> Result<Option<Story>, Failure> {
    // An id is a part of a path, and comes from a command line.
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    if id.is_empty() || id.starts_with('.') || !id.bytes().all(is_name) {
        return Ok(None);
    }
    Journal::at(&Place::named(repository, id.to_owned())).load()
}

/// The loops of the repository at a folder, as they are when somebody asks.
#[derive(Debug)]
pub(crate) struct StoriesAt {
    pub(crate) root: PathBuf,
}

impl StoriesAt {
    fn repository(&self) -> Option<Repository> {
        Repository::discover(&self.root).ok()
    }
}

impl Stories for StoriesAt {
    fn unfinished(&self) -> Result<Vec<Story>, StoryTrouble> {
        let Some(repository) = self.repository() else { return Ok(Vec::new()) };
        unfinished(&repository).map_err(unusable)
    }

    fn find(&self, id: &str) -> Result<Option<Story>, StoryTrouble> {
        let Some(repository) = self.repository() else { return Ok(None) };
        find(&repository, id).map_err(unusable)
    }

    fn resolve(
        &self,
        id: &str,
        resolution: Resolution,
        by: &str,
        reason: &str,
    ) -> Result<(Story, Decided), StoryTrouble> {
        let unknown = || {
            unusable(Failure::new(
                format!("there is no loop `{id}` here"),
                "`countersign loop --list` shows those that are not over",
            ))
        };
        let repository = self.repository().ok_or_else(unknown)?;
        let found = self.find(id)?.ok_or_else(unknown)?;
        let place = Place::named(&repository, found.id);
        let _lock = Lock::take(&place, &found.order.branch).map_err(|not_taken| match not_taken {
            NotTaken::Held(failure) => held(&failure),
            NotTaken::Unwritable(failure) => unusable(failure),
        })?;
        let journal = Journal::at(&place);
        let mut story = journal.load().map_err(unusable)?.ok_or_else(unknown)?;
        let decided = story
            .resolve(resolution, by, reason, Timestamp::now())
            .map_err(|not_now| unusable(refusal(not_now)))?;
        journal.save(&story).map_err(unusable)?;
        Ok((story, decided))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "made for map_err")]
fn unusable(failure: Failure) -> StoryTrouble {
    StoryTrouble::Unusable { what: failure.what().to_owned(), hint: failure.hint().to_owned() }
}

fn held(failure: &Failure) -> StoryTrouble {
    StoryTrouble::Held { what: failure.what().to_owned(), hint: failure.hint().to_owned() }
}

pub(crate) fn refusal(not_now: NotNow) -> Failure {
    match not_now {
        NotNow::Illegal(illegal) => {
            Failure::new(illegal, "`countersign loop --show` says what can be decided now")
        }
        NotNow::ReasonNeeded => Failure::new(
            "findings are accepted for a reason only",
            "say why with --reason; it is kept with the findings and your name",
        ),
    }
}
