use serde_json::Value;

use super::notes::{self, body};
use super::{Api, errors, position, view};
use crate::forge::answer::{Answer, Outcome};
use crate::forge::model::pull::{Pull, Thread};

/// In the order they were begun, single notes among them.
pub(super) fn list(api: &mut Api<'_>, path: &str, number: u64) -> Outcome {
    let hidden = notes::hidden(api.pull_mut(path, number)?);
    let (repository, pull) = (api.repository(path)?, api.pull(path, number)?);
    let mut all: Vec<(u64, Value)> = Vec::new();
    for comment in pull.comments.iter().filter(|comment| !hidden.contains(&comment.id)) {
        all.push((comment.id, view::single(api.state, repository, pull, comment)));
    }
    for thread in &pull.threads {
        let mut shown = thread.clone();
        shown.comments.retain(|comment| !hidden.contains(&comment.id));
        if let Some(first) = shown.comments.first() {
            all.push((first.id, view::discussion(api.state, repository, pull, &shown)));
        }
    }
    all.sort_by_key(|(id, _)| *id);
    let all: Vec<Value> = all.into_iter().map(|(_, value)| value).collect();
    Ok(api.list(&all))
}

pub(super) fn create(api: &mut Api<'_>, path: &str, number: u64) -> Outcome {
    let body = body(api)?;
    let wanted = api.call.json.get("position").cloned().filter(|wanted| !wanted.is_null());
    let anchor = match wanted {
        Some(wanted) => {
            let repository = api.state.repository_mut(path).ok_or_else(errors::no_project)?;
            Some(position::anchor(repository, number, &wanted)?)
        }
        None => None,
    };
    let comment = api.state.comment(api.caller.user(), &body);
    let at = comment.created_at;
    let thread = Thread { id: api.state.id(), anchor, comments: vec![comment], resolved_by: None };
    let id = thread.id;
    let pull = api.pull_mut(path, number)?;
    pull.threads.push(thread);
    pull.updated_at = at;
    show(api, path, number, id, 201)
}

fn show(api: &Api<'_>, path: &str, number: u64, id: u64, status: u16) -> Outcome {
    let (repository, pull) = (api.repository(path)?, api.pull(path, number)?);
    let thread = pull.threads.iter().find(|thread| thread.id == id).ok_or_else(missing)?;
    Ok(Answer::json(status, &view::discussion(api.state, repository, pull, thread)))
}

fn missing() -> Answer {
    errors::named_not_found("Discussion")
}

fn thread_id(pull: &Pull, id: &str) -> Result<u64, Answer> {
    let found = pull.threads.iter().find(|thread| view::discussion_id(thread.id) == id);
    found.map(|thread| thread.id).ok_or_else(missing)
}

pub(super) fn get(api: &mut Api<'_>, path: &str, number: u64, id: &str) -> Outcome {
    let (repository, pull) = (api.repository(path)?, api.pull(path, number)?);
    if let Some(comment) = pull.comments.iter().find(|comment| view::discussion_id(comment.id) == id) {
        return Ok(Answer::json(200, &view::single(api.state, repository, pull, comment)));
    }
    show(api, path, number, thread_id(pull, id)?, 200)
}

pub(super) fn resolve(api: &mut Api<'_>, path: &str, number: u64, id: &str) -> Outcome {
    let resolved = match api.given("resolved") {
        Some(Value::Bool(resolved)) => resolved,
        Some(Value::String(text)) if text == "true" || text == "false" => text == "true",
        Some(_) => return Err(errors::bad_request("resolved is invalid")),
        None => return Err(errors::bad_request("resolved is missing")),
    };
    let id = thread_id(api.pull(path, number)?, id)?;
    let me = api.caller.user();
    let pull = api.pull_mut(path, number)?;
    let thread = pull.threads.iter_mut().find(|thread| thread.id == id).ok_or_else(missing)?;
    thread.resolved_by = resolved.then_some(me);
    show(api, path, number, id, 200)
}

/// An answer to a single note makes a discussion of it.
pub(super) fn reply(api: &mut Api<'_>, path: &str, number: u64, id: &str) -> Outcome {
    let body = body(api)?;
    let single =
        api.pull(path, number)?.comments.iter().position(|comment| view::discussion_id(comment.id) == id);
    let comment = api.state.comment(api.caller.user(), &body);
    let note = comment.id;
    match single {
        Some(at) => {
            let pull = api.pull_mut(path, number)?;
            let first = pull.comments.remove(at);
            // It keeps its name, which is made from the id.
            pull.threads.push(Thread {
                id: first.id,
                anchor: None,
                comments: vec![first, comment],
                resolved_by: None,
            });
        }
        None => {
            let id = thread_id(api.pull(path, number)?, id)?;
            let pull = api.pull_mut(path, number)?;
            let thread = pull.threads.iter_mut().find(|thread| thread.id == id).ok_or_else(missing)?;
            thread.comments.push(comment);
        }
    }
    notes::show(api, path, number, note, 201)
}

/// Either new words or a new state of being resolved.
pub(super) fn update_note(api: &mut Api<'_>, path: &str, number: u64, id: &str, note: &str) -> Outcome {
    if api.given("resolved").is_some() {
        resolve(api, path, number, id)?;
        return notes::get(api, path, number, note);
    }
    notes::update(api, path, number, note)
}
