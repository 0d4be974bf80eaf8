//! Comments on a pull request as a whole. GitHub files them under issues.

use axum::http::Method;
use serde_json::{Value, json};

use super::{Api, errors, pull_json};
use crate::forge::answer::{Answer, Outcome};
use crate::forge::paging;

/// The longest text GitHub takes.
pub(super) const LONGEST_BODY: usize = 65_536;

pub(super) fn route(api: &mut Api<'_>, verb: &Method, path: &str, rest: &[&str]) -> Outcome {
    use Method as M;
    match (verb, rest) {
        (&M::GET, ["comments", id]) => get(api, path, id),
        (&M::PATCH, ["comments", id]) => update(api, path, id),
        (&M::DELETE, ["comments", id]) => delete(api, path, id),
        (&M::GET, [number, "comments"]) => {
            let number = api.pull_number(path, number)?;
            list(api, path, number)
        }
        (&M::POST, [number, "comments"]) => {
            let number = api.pull_number(path, number)?;
            create(api, path, number)
        }
        (&M::POST, [number, "labels"]) => {
            let number = api.pull_number(path, number)?;
            add_labels(api, path, number)
        }
        _ => Err(errors::not_found()),
    }
}

fn list(api: &mut Api<'_>, path: &str, number: u64) -> Outcome {
    let repository = api.state.repository_mut(path).ok_or_else(errors::not_found)?;
    let pull = repository.pull_mut(number).ok_or_else(errors::not_found)?;
    let seen = paging::visible(&mut pull.comments, |comment| &mut comment.hidden_for);
    let repository = api.state.repository(path).ok_or_else(errors::not_found)?;
    let pull = repository.pull(number).ok_or_else(errors::not_found)?;
    let all: Vec<Value> = seen
        .into_iter()
        .filter_map(|at| pull.comments.get(at))
        .map(|comment| pull_json::comment(api.state, repository, pull, comment))
        .collect();
    Ok(api.list(&all))
}

/// The text of a comment, refused as GitHub refuses it.
pub(super) fn body(api: &Api<'_>, resource: &str) -> Result<String, Answer> {
    if !api.call.json.is_object() {
        return Err(errors::bad_json());
    }
    let body = api.call.text("body").unwrap_or_default();
    check_body(body, resource)?;
    Ok(body.to_owned())
}

pub(super) fn check_body(body: &str, resource: &str) -> Result<(), Answer> {
    if body.trim().is_empty() {
        return Err(errors::invalid(resource, "body", "missing_field"));
    }
    if body.chars().count() > LONGEST_BODY {
        let words = format!("body is too long (maximum is {LONGEST_BODY} characters)");
        return Err(errors::custom(resource, "body", &words));
    }
    Ok(())
}

fn create(api: &mut Api<'_>, path: &str, number: u64) -> Outcome {
    let body = body(api, "IssueComment")?;
    let comment = api.state.comment(api.caller.user(), &body);
    let repository = api.state.repository_mut(path).ok_or_else(errors::not_found)?;
    let pull = repository.pull_mut(number).ok_or_else(errors::not_found)?;
    pull.updated_at = comment.created_at;
    pull.comments.push(comment.clone());
    let repository = api.state.repository(path).ok_or_else(errors::not_found)?;
    let pull = repository.pull(number).ok_or_else(errors::not_found)?;
    Ok(Answer::json(201, &pull_json::comment(api.state, repository, pull, &comment)))
}

/// The pull request and the place of the comment with that id.
fn find(api: &Api<'_>, path: &str, id: &str) -> Result<(u64, usize), Answer> {
    let id: u64 = id.parse().map_err(|_| errors::not_found())?;
    let repository = api.state.repository(path).ok_or_else(errors::not_found)?;
    let place = |pull: &crate::forge::model::pull::Pull| {
        Some((pull.number, pull.comments.iter().position(|comment| comment.id == id)?))
    };
    repository.pulls.iter().find_map(place).ok_or_else(errors::not_found)
}

fn get(api: &mut Api<'_>, path: &str, id: &str) -> Outcome {
    let (number, at) = find(api, path, id)?;
    let repository = api.state.repository(path).ok_or_else(errors::not_found)?;
    let pull = repository.pull(number).ok_or_else(errors::not_found)?;
    Ok(Answer::json(200, &pull_json::comment(api.state, repository, pull, &pull.comments[at])))
}

fn update(api: &mut Api<'_>, path: &str, id: &str) -> Outcome {
    let (number, at) = find(api, path, id)?;
    let body = body(api, "IssueComment")?;
    let when = api.state.tick();
    let repository = api.state.repository_mut(path).ok_or_else(errors::not_found)?;
    let pull = repository.pull_mut(number).ok_or_else(errors::not_found)?;
    pull.comments[at].body = body;
    pull.comments[at].updated_at = when;
    get(api, path, id)
}

fn delete(api: &mut Api<'_>, path: &str, id: &str) -> Outcome {
    let (number, at) = find(api, path, id)?;
    let repository = api.state.repository_mut(path).ok_or_else(errors::not_found)?;
    repository.pull_mut(number).ok_or_else(errors::not_found)?.comments.remove(at);
    Ok(Answer::empty(204))
}

fn add_labels(api: &mut Api<'_>, path: &str, number: u64) -> Outcome {
    let names = api.call.json["labels"].as_array().cloned().unwrap_or_default();
    let repository = api.state.repository_mut(path).ok_or_else(errors::not_found)?;
    let pull = repository.pull_mut(number).ok_or_else(errors::not_found)?;
    for name in names.iter().filter_map(Value::as_str) {
        if !pull.labels.iter().any(|known| known == name) {
            pull.labels.push(name.to_owned());
        }
    }
    let labels: Vec<Value> = pull.labels.iter().map(|name| json!({ "name": name })).collect();
    Ok(Answer::json(200, &json!(labels)))
}
