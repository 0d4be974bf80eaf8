use serde_json::{Value, json};

use super::comments::body;
use super::threads::{self, Fault};
use super::{Api, errors, pull_json};
use crate::forge::answer::{Answer, Outcome};
use crate::forge::model::pull::{Pull, Review, ReviewState, Thread};

const RESOURCE: &str = "PullRequestReviewComment";

pub(super) fn list(api: &mut Api<'_>, path: &str, number: u64) -> Outcome {
    let all = shown(api, path, number)?;
    Ok(api.list(&all))
}

pub(super) fn list_all(api: &mut Api<'_>, path: &str) -> Outcome {
    let repository = api.state.repository(path).ok_or_else(errors::not_found)?;
    let numbers: Vec<u64> = repository.pulls.iter().map(|pull| pull.number).collect();
    let mut all = Vec::new();
    for number in numbers {
        all.extend(shown(api, path, number)?);
    }
    Ok(api.list(&all))
}

/// What is part of a review nobody has submitted yet is not shown.
fn shown(api: &mut Api<'_>, path: &str, number: u64) -> Result<Vec<Value>, Answer> {
    let repository = api.state.repository_mut(path).ok_or_else(errors::not_found)?;
    let pull = repository.pull_mut(number).ok_or_else(errors::not_found)?;
    let mut hidden = Vec::new();
    for comment in pull.threads.iter_mut().flat_map(|thread| &mut thread.comments) {
        if comment.hidden_for > 0 {
            comment.hidden_for -= 1;
            hidden.push(comment.id);
        }
    }
    let repository = api.state.repository(path).ok_or_else(errors::not_found)?;
    let pull = repository.pull(number).ok_or_else(errors::not_found)?;
    let pending = |id: Option<u64>| {
        pull.reviews.iter().any(|review| Some(review.id) == id && review.state == ReviewState::Pending)
    };
    let all = pull
        .inline_comments()
        .into_iter()
        .filter(|(thread, comment)| {
            thread.anchor.is_some() && !hidden.contains(&comment.id) && !pending(comment.review)
        })
        .map(|(thread, comment)| pull_json::inline(api.state, repository, pull, thread, comment))
        .collect();
    Ok(all)
}

pub(super) fn create(api: &mut Api<'_>, path: &str, number: u64) -> Outcome {
    let text = body(api, RESOURCE)?;
    let call = api.call;
    if let Some(first) = call.json["in_reply_to"].as_u64() {
        return answer_to(api, path, number, first, &text);
    }
    let repository = api.state.repository_mut(path).ok_or_else(errors::not_found)?;
    let Some(wanted) = call.text("commit_id") else {
        return Err(errors::invalid_request("\"commit_id\" wasn't supplied."));
    };
    let commit = threads::commit(repository, number, Some(wanted))
        .ok_or_else(|| errors::custom(RESOURCE, "commit_id", "commit_id is not part of the pull request"))?;
    let anchor =
        threads::anchor(repository, number, &call.json, &commit).map_err(|faults| refusal(&faults))?;
    let review = lone_review(api, path, number, &commit)?;
    let mut comment = api.state.comment(api.caller.user(), &text);
    comment.review = Some(review);
    let id = comment.id;
    let thread =
        Thread { id: api.state.id(), anchor: Some(anchor), comments: vec![comment], resolved_by: None };
    pull_mut(api, path, number)?.threads.push(thread);
    show(api, path, id, 201)
}

fn refusal(faults: &[Fault]) -> Answer {
    let error = |fault: &Fault| {
        let field = format!("pull_request_review_thread.{}", fault.field);
        if fault.field == "diff_hunk" {
            return json!({ "resource": RESOURCE, "code": "missing_field", "field": field });
        }
        let message = format!(
            "{field} {}",
            fault.words.trim_start_matches(&fault.field.replace('_', " ")).trim_start()
        );
        json!({ "resource": RESOURCE, "code": "custom", "field": field, "message": message })
    };
    errors::validation(&faults.iter().map(error).collect::<Vec<_>>())
}

/// A comment made on its own is a review of one comment and no words.
fn lone_review(api: &mut Api<'_>, path: &str, number: u64, commit: &str) -> Result<u64, Answer> {
    let (id, at, author) = (api.state.id(), api.state.tick(), api.caller.user());
    let review = Review {
        id,
        author,
        body: String::new(),
        state: ReviewState::Commented,
        commit: commit.to_owned(),
        submitted_at: Some(at),
        hidden_for: api.state.lag,
    };
    pull_mut(api, path, number)?.reviews.push(review);
    Ok(id)
}

fn pull_mut<'a>(api: &'a mut Api<'_>, path: &str, number: u64) -> Result<&'a mut Pull, Answer> {
    let repository = api.state.repository_mut(path).ok_or_else(errors::not_found)?;
    repository.pull_mut(number).ok_or_else(errors::not_found)
}

pub(super) fn reply(api: &mut Api<'_>, path: &str, number: u64, first: &str) -> Outcome {
    let text = body(api, RESOURCE)?;
    let first = first.parse().map_err(|_| errors::not_found())?;
    answer_to(api, path, number, first, &text)
}

/// Only the first comment of a thread can be answered.
fn answer_to(api: &mut Api<'_>, path: &str, number: u64, first: u64, text: &str) -> Outcome {
    let starts = |thread: &&Thread| thread.comments.first().is_some_and(|comment| comment.id == first);
    let pull = pull_mut(api, path, number)?;
    let commit = pull.head_sha.clone();
    pull.threads.iter().find(starts).ok_or_else(errors::not_found)?;
    let review = lone_review(api, path, number, &commit)?;
    let mut comment = api.state.comment(api.caller.user(), text);
    comment.review = Some(review);
    let id = comment.id;
    let threads = &mut pull_mut(api, path, number)?.threads;
    let thread = threads.iter_mut().find(|thread| starts(&&**thread)).ok_or_else(errors::not_found)?;
    thread.comments.push(comment);
    show(api, path, id, 201)
}

fn show(api: &Api<'_>, path: &str, id: u64, status: u16) -> Outcome {
    let repository = api.state.repository(path).ok_or_else(errors::not_found)?;
    for pull in &repository.pulls {
        if let Some((thread, comment)) =
            pull.inline_comments().into_iter().find(|(_, comment)| comment.id == id)
        {
            let value = pull_json::inline(api.state, repository, pull, thread, comment);
            return Ok(Answer::json(status, &value));
        }
    }
    Err(errors::not_found())
}

pub(super) fn get(api: &mut Api<'_>, path: &str, id: &str) -> Outcome {
    show(api, path, id.parse().map_err(|_| errors::not_found())?, 200)
}

pub(super) fn update(api: &mut Api<'_>, path: &str, id: &str) -> Outcome {
    let text = body(api, RESOURCE)?;
    let id: u64 = id.parse().map_err(|_| errors::not_found())?;
    let at = api.state.tick();
    let repository = api.state.repository_mut(path).ok_or_else(errors::not_found)?;
    let threads = repository.pulls.iter_mut().flat_map(|pull| &mut pull.threads);
    let mut comments = threads.flat_map(|thread| &mut thread.comments);
    let comment = comments.find(|comment| comment.id == id).ok_or_else(errors::not_found)?;
    comment.body = text;
    comment.updated_at = at;
    show(api, path, id, 200)
}

pub(super) fn delete(api: &mut Api<'_>, path: &str, id: &str) -> Outcome {
    let id: u64 = id.parse().map_err(|_| errors::not_found())?;
    show(api, path, id, 200)?;
    let repository = api.state.repository_mut(path).ok_or_else(errors::not_found)?;
    for pull in &mut repository.pulls {
        for thread in &mut pull.threads {
            thread.comments.retain(|comment| comment.id != id);
        }
        pull.threads.retain(|thread| !thread.comments.is_empty());
    }
    Ok(Answer::empty(204))
}
