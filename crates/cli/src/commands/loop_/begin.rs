//! How a loop begins: every name made definite before anything happens.

use std::path::Path;

use domain::change::Oid;
use domain::cycle::Limits;
use domain::work::WorkItem;
use engine::story::{Order, Story};
use git::{Ask, Repository, What};
use jiff::Timestamp;

use super::{Loop, named};
use crate::documents::read_text;
use crate::failure::Failure;
use crate::loops::{Fixer, Place, policy};
use crate::reviewers::Choice;

pub(super) fn story(wanted: &Loop, repository: &Repository, branch: &str) -> Result<Story, Failure> {
    let (base, base_tip) = base(wanted, repository, branch)?;
    let config = policy(repository, &base, branch)?;
    let policy = &config.story_loop;
    let (id, title, story_file, story_text) = named_story(wanted)?;
    let order = Order {
        story_id: id,
        title,
        story_file,
        story_text,
        branch: branch.to_owned(),
        base,
        base_tip,
        reviewer: wanted.reviewer.clone().unwrap_or_else(|| policy.reviewer.clone()),
        fixer: wanted.fixer.clone().unwrap_or_else(|| policy.fixer.clone()),
        documents: documents(wanted).unwrap_or_else(|| policy.documents.clone()),
        early_stop: policy.early_stop,
        late_findings: policy.late_findings,
    };
    Choice::named(&order.reviewer, &config)?;
    let fixer = Fixer::named(&order.fixer, &config)?;
    let limits = Limits {
        max_rounds: wanted.max_rounds.unwrap_or(config.limits.max_rounds),
        max_retries: fixer.retries(policy.fixer_retries),
        ..config.limits.clone()
    };
    let place = Place::of_branch(repository, branch);
    Story::begin(place.id, order, limits, Timestamp::now())
        .map_err(|bad| Failure::new(bad, "use 1 to 5 with --max-rounds; limits.hard_cap is the most"))
}

/// Relative to where the command was given, as paths on a command line are; what is configured is not.
fn documents(wanted: &Loop) -> Option<String> {
    let folder = wanted.documents.as_ref()?;
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| Path::new(folder).to_owned());
    Some(absolute.to_string_lossy().into_owned())
}

fn named_story(wanted: &Loop) -> Result<(String, String, Option<String>, String), Failure> {
    match (&wanted.story, &wanted.title) {
        (Some(path), _) => {
            let (path, text) = (path.to_string_lossy().into_owned(), read_text(path)?);
            let (id, title) = named::of_file(&WorkItem::parse(&path, &text));
            let absolute =
                std::path::absolute(&path).map_or(path, |path| path.to_string_lossy().into_owned());
            Ok((id, title, Some(absolute), text))
        }
        (None, Some(title)) if !title.trim().is_empty() => {
            let (id, title) = named::of_title(title);
            let text = format!("# {title}\n");
            Ok((id, title, None, text))
        }
        (None, _) => Err(Failure::new(
            "the loop needs to know what the branch is for",
            "name the story with --story FILE, or say it with --title TEXT; --resume goes on with one that was begun",
        )),
    }
}

/// A story whose file was edited meanwhile is what it says now; one whose file is gone stays what it was.
pub(super) fn refresh(story: &mut Story) {
    if let Some(text) = story.order.story_file.as_ref().and_then(|file| read_text(Path::new(file)).ok()) {
        story.order.story_text = text;
    }
}

fn base(wanted: &Loop, repository: &Repository, branch: &str) -> Result<(String, Oid), Failure> {
    let tip = repository.branch_tip(branch)?;
    let (base, base_tip) = match &wanted.base {
        Some(base) => repository.base_of(base)?,
        None => guessed(repository, branch)?,
    };
    if repository.is_ancestor(&tip, &base_tip)? {
        return Err(Failure::new(
            format!("nothing on `{branch}` is newer than {base}"),
            "commit something to the branch, or name another --branch or --base",
        ));
    }
    Ok((base, base_tip))
}

fn guessed(repository: &Repository, branch: &str) -> Result<(String, Oid), Failure> {
    let ask = Ask { what: What::Commits, base: None, head: Some(format!("refs/heads/{branch}")) };
    let name = repository.resolve(&ask)?.base_name;
    match repository.base_of(&name) {
        Ok(found) if !name.contains('~') => Ok(found),
        Ok(_) | Err(_) => Err(Failure::new(
            format!("there is no branch to compare `{branch}` with"),
            "name one with --base",
        )),
    }
}
