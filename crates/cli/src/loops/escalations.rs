//! Stories that wait, for whoever lists and decides them.

use domain::cycle::Resolution;
use engine::story::{Decided, NotNow, Story};
use git::Repository;
use jiff::Timestamp;

use super::journal::{self, Journal};
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

/// Stores a human's decision about an escalated story. The loop goes on when somebody resumes it.
pub(crate) fn resolve(
    repository: &Repository,
    id: &str,
    resolution: Resolution,
    by: &str,
    reason: &str,
) -> Result<(Story, Decided), Failure> {
    let unknown = || {
        Failure::new(
            format!("there is no loop `{id}` here"),
            "`countersign loop --list` shows those that are not over",
        )
    };
    let found = find(repository, id)?.ok_or_else(unknown)?;
    let place = Place::named(repository, found.id);
    let _lock = Lock::take(&place, &found.order.branch)?;
    let journal = Journal::at(&place);
    let mut story = journal.load()?.ok_or_else(unknown)?;
    let decided = story.resolve(resolution, by, reason, Timestamp::now()).map_err(refusal)?;
    journal.save(&story)?;
    Ok((story, decided))
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
