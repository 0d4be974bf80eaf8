use serde_json::Value;

use super::view::Place;
use super::{Api, errors, view};
use crate::forge::answer::{Answer, Outcome};
use crate::forge::model::pull::{Comment, Pull};

/// The longest text GitLab takes.
const LONGEST: usize = 1_000_000;

pub(super) fn body(api: &Api<'_>) -> Result<String, Answer> {
    let body = api.needed("body")?;
    if body.trim().is_empty() {
        return Err(errors::message(400, "400 Bad request - Note {:note=>[\"can't be blank\"]}"));
    }
    if body.len() > LONGEST {
        return Err(errors::message(
            400,
            "400 Bad request - Note {:note=>[\"is too long (maximum is 1000000 characters)\"]}",
        ));
    }
    Ok(body)
}

/// Everything said, on lines and elsewhere.
pub(super) fn all(pull: &Pull) -> Vec<(Place<'_>, &Comment)> {
    let alone = pull.comments.iter().map(|comment| (Place::Alone, comment));
    let inline = pull.inline_comments().into_iter().map(|(thread, comment)| (Place::In(thread), comment));
    let mut all: Vec<(Place<'_>, &Comment)> = alone.chain(inline).collect();
    all.sort_by_key(|(_, comment)| comment.id);
    all
}

/// Ids of what a listing does not show yet.
pub(super) fn hidden(pull: &mut Pull) -> Vec<u64> {
    let inline = pull.threads.iter_mut().flat_map(|thread| &mut thread.comments);
    let mut hidden = Vec::new();
    for comment in pull.comments.iter_mut().chain(inline) {
        if comment.hidden_for > 0 {
            comment.hidden_for -= 1;
            hidden.push(comment.id);
        }
    }
    hidden
}

/// The newest first, unless asked otherwise.
pub(super) fn list(api: &mut Api<'_>, path: &str, number: u64) -> Outcome {
    let hidden = hidden(api.pull_mut(path, number)?);
    let (repository, pull) = (api.repository(path)?, api.pull(path, number)?);
    let mut notes: Vec<Value> = all(pull)
        .into_iter()
        .filter(|(_, comment)| !hidden.contains(&comment.id))
        .map(|(place, comment)| view::note(api.state, repository, pull, place, comment))
        .collect();
    if api.call.param("sort") != Some("asc") {
        notes.reverse();
    }
    Ok(api.list(&notes))
}

pub(super) fn create(api: &mut Api<'_>, path: &str, number: u64) -> Outcome {
    let body = body(api)?;
    let comment = api.state.comment(api.caller.user(), &body);
    let id = comment.id;
    let pull = api.pull_mut(path, number)?;
    pull.updated_at = comment.created_at;
    pull.comments.push(comment);
    show(api, path, number, id, 201)
}

pub(super) fn show(api: &Api<'_>, path: &str, number: u64, id: u64, status: u16) -> Outcome {
    let (repository, pull) = (api.repository(path)?, api.pull(path, number)?);
    let found = all(pull).into_iter().find(|(_, comment)| comment.id == id);
    let (place, comment) = found.ok_or_else(|| errors::named_not_found("Note"))?;
    Ok(Answer::json(status, &view::note(api.state, repository, pull, place, comment)))
}

pub(super) fn id(text: &str) -> Result<u64, Answer> {
    text.parse().map_err(|_| errors::bad_request("note_id is invalid"))
}

pub(super) fn get(api: &mut Api<'_>, path: &str, number: u64, note: &str) -> Outcome {
    show(api, path, number, id(note)?, 200)
}

pub(super) fn update(api: &mut Api<'_>, path: &str, number: u64, note: &str) -> Outcome {
    let (id, body) = (id(note)?, body(api)?);
    let at = api.state.tick();
    let pull = api.pull_mut(path, number)?;
    let inline = pull.threads.iter_mut().flat_map(|thread| &mut thread.comments);
    let mut comments = pull.comments.iter_mut().chain(inline);
    let comment = comments.find(|comment| comment.id == id).ok_or_else(|| errors::named_not_found("Note"))?;
    comment.body = body;
    comment.updated_at = at;
    show(api, path, number, id, 200)
}

pub(super) fn delete(api: &mut Api<'_>, path: &str, number: u64, note: &str) -> Outcome {
    let id = id(note)?;
    show(api, path, number, id, 200)?;
    let pull = api.pull_mut(path, number)?;
    pull.comments.retain(|comment| comment.id != id);
    for thread in &mut pull.threads {
        thread.comments.retain(|comment| comment.id != id);
    }
    pull.threads.retain(|thread| !thread.comments.is_empty());
    Ok(Answer::empty(204))
}
