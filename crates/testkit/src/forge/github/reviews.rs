use serde_json::Value;

use super::comments::{LONGEST_BODY, check_body};
use super::{Api, errors, pull_json, threads};
use crate::forge::answer::{Answer, Outcome};
use crate::forge::model::anchor::Anchor;
use crate::forge::model::pull::{Pull, Review, ReviewState, Thread};
use crate::forge::paging;

pub(super) fn list(api: &mut Api<'_>, path: &str, number: u64) -> Outcome {
    let me = api.caller.user();
    let repository = api.state.repository_mut(path).ok_or_else(errors::not_found)?;
    let pull = repository.pull_mut(number).ok_or_else(errors::not_found)?;
    let seen = paging::visible(&mut pull.reviews, |review| &mut review.hidden_for);
    let repository = api.state.repository(path).ok_or_else(errors::not_found)?;
    let pull = repository.pull(number).ok_or_else(errors::not_found)?;
    let all: Vec<Value> = seen
        .into_iter()
        .filter_map(|at| pull.reviews.get(at))
        .filter(|review| review.state != ReviewState::Pending || review.author == me)
        .map(|review| pull_json::review(api.state, repository, pull, review))
        .collect();
    Ok(api.list(&all))
}

pub(super) fn create(api: &mut Api<'_>, path: &str, number: u64) -> Outcome {
    let call = api.call;
    if !call.json.is_object() {
        return Err(errors::bad_json());
    }
    let me = api.caller.user();
    let wanted = call.json["comments"].as_array().cloned().unwrap_or_default();
    let body = call.text("body").unwrap_or_default().to_owned();
    let repository = api.state.repository_mut(path).ok_or_else(errors::not_found)?;
    let pull = repository.pull(number).ok_or_else(errors::not_found)?;
    let state = judgement(call.json.get("event"), pull, &me.login, &body, wanted.len())?;
    let mine = |review: &Review| review.state == ReviewState::Pending && review.author == me;
    if pull.reviews.iter().any(mine) {
        return Err(errors::unprocessable("User can only have one pending review per pull request"));
    }
    let commit = threads::commit(repository, number, call.text("commit_id"))
        .ok_or_else(|| errors::unprocessable("Commit is not part of the pull request"))?;
    // All or nothing: every place is looked up before anything is written.
    let mut placed: Vec<(Anchor, String)> = Vec::new();
    for comment in &wanted {
        let text = comment["body"].as_str().unwrap_or_default();
        check_body(text, "PullRequestReviewComment")
            .map_err(|_| errors::unprocessable("Pull request review comment body can't be blank"))?;
        let anchor = threads::anchor(repository, number, comment, &commit)
            .map_err(|faults| errors::unprocessable(&threads::sentence(&faults)))?;
        placed.push((anchor, text.to_owned()));
    }
    let (id, at) = (api.state.id(), api.state.tick());
    let submitted_at = (state != ReviewState::Pending).then_some(at);
    let review =
        Review { id, author: me.clone(), body, state, commit, submitted_at, hidden_for: api.state.lag };
    let mut made = Vec::new();
    for (anchor, text) in placed {
        let mut comment = api.state.comment(me.clone(), &text);
        comment.review = Some(id);
        made.push(Thread {
            id: api.state.id(),
            anchor: Some(anchor),
            comments: vec![comment],
            resolved_by: None,
        });
    }
    let repository = api.state.repository_mut(path).ok_or_else(errors::not_found)?;
    let pull = repository.pull_mut(number).ok_or_else(errors::not_found)?;
    pull.reviews.push(review);
    pull.threads.extend(made);
    pull.updated_at = at;
    show(api, path, number, id)
}

fn judgement(
    event: Option<&Value>,
    pull: &Pull,
    me: &str,
    body: &str,
    comments: usize,
) -> Result<ReviewState, Answer> {
    let own = pull.author.login == me;
    let empty = body.trim().is_empty();
    if body.chars().count() > LONGEST_BODY {
        return Err(errors::unprocessable("Body is too long (maximum is 65536 characters)"));
    }
    match event.and_then(Value::as_str) {
        None | Some("") => Ok(ReviewState::Pending),
        Some("APPROVE") if own => Err(errors::unprocessable("Can not approve your own pull request")),
        Some("REQUEST_CHANGES") if own => {
            Err(errors::unprocessable("Can not request changes on your own pull request"))
        }
        Some("APPROVE") => Ok(ReviewState::Approved),
        Some("REQUEST_CHANGES") if empty && comments == 0 => {
            Err(errors::unprocessable("Body can't be blank"))
        }
        Some("COMMENT") if empty && comments == 0 => Err(errors::unprocessable("Body can't be blank")),
        Some("REQUEST_CHANGES") => Ok(ReviewState::ChangesRequested),
        Some("COMMENT") => Ok(ReviewState::Commented),
        Some(other) => Err(errors::unprocessable(&format!(
            "Variable $event of type PullRequestReviewEvent was provided invalid value {other}"
        ))),
    }
}

fn show(api: &Api<'_>, path: &str, number: u64, id: u64) -> Outcome {
    let repository = api.state.repository(path).ok_or_else(errors::not_found)?;
    let pull = repository.pull(number).ok_or_else(errors::not_found)?;
    let review = pull.reviews.iter().find(|review| review.id == id).ok_or_else(errors::not_found)?;
    Ok(Answer::json(200, &pull_json::review(api.state, repository, pull, review)))
}

fn review_mut<'a>(api: &'a mut Api<'_>, path: &str, number: u64, id: u64) -> Result<&'a mut Review, Answer> {
    let repository = api.state.repository_mut(path).ok_or_else(errors::not_found)?;
    let pull = repository.pull_mut(number).ok_or_else(errors::not_found)?;
    pull.reviews.iter_mut().find(|review| review.id == id).ok_or_else(errors::not_found)
}

fn id(text: &str) -> Result<u64, Answer> {
    text.parse().map_err(|_| errors::not_found())
}

pub(super) fn get(api: &mut Api<'_>, path: &str, number: u64, review: &str) -> Outcome {
    show(api, path, number, id(review)?)
}

pub(super) fn update(api: &mut Api<'_>, path: &str, number: u64, review: &str) -> Outcome {
    let body = super::comments::body(api, "PullRequestReview")?;
    let id = id(review)?;
    review_mut(api, path, number, id)?.body = body;
    show(api, path, number, id)
}

pub(super) fn submit(api: &mut Api<'_>, path: &str, number: u64, review: &str) -> Outcome {
    let (id, call, me) = (id(review)?, api.call, api.caller.user());
    let body = call.text("body").unwrap_or_default().to_owned();
    let repository = api.state.repository(path).ok_or_else(errors::not_found)?;
    let pull = repository.pull(number).ok_or_else(errors::not_found)?;
    let comments = pull.inline_comments().iter().filter(|(_, comment)| comment.review == Some(id)).count();
    let state = judgement(call.json.get("event"), pull, &me.login, &body, comments)?;
    let at = api.state.tick();
    let review = review_mut(api, path, number, id)?;
    if review.state != ReviewState::Pending {
        return Err(errors::unprocessable("Can not submit a review that was already submitted"));
    }
    review.state = state;
    review.submitted_at = Some(at);
    if !body.is_empty() {
        review.body = body;
    }
    show(api, path, number, id)
}

pub(super) fn dismiss(api: &mut Api<'_>, path: &str, number: u64, review: &str) -> Outcome {
    let id = id(review)?;
    if api.call.text("message").unwrap_or_default().is_empty() {
        return Err(errors::invalid_request("\"message\" wasn't supplied."));
    }
    let review = review_mut(api, path, number, id)?;
    match review.state {
        ReviewState::Approved | ReviewState::ChangesRequested => review.state = ReviewState::Dismissed,
        ReviewState::Pending | ReviewState::Commented | ReviewState::Dismissed => {
            return Err(errors::unprocessable("Can not dismiss a commented pull request review"));
        }
    }
    show(api, path, number, id)
}

pub(super) fn delete_pending(api: &mut Api<'_>, path: &str, number: u64, review: &str) -> Outcome {
    let id = id(review)?;
    let answer = show(api, path, number, id)?;
    if review_mut(api, path, number, id)?.state != ReviewState::Pending {
        return Err(errors::unprocessable("Can not delete a non-pending pull request review"));
    }
    let repository = api.state.repository_mut(path).ok_or_else(errors::not_found)?;
    let pull = repository.pull_mut(number).ok_or_else(errors::not_found)?;
    pull.reviews.retain(|review| review.id != id);
    pull.threads.retain(|thread| thread.comments.iter().all(|comment| comment.review != Some(id)));
    Ok(answer)
}

pub(super) fn comments(api: &mut Api<'_>, path: &str, number: u64, review: &str) -> Outcome {
    let id = id(review)?;
    let repository = api.state.repository(path).ok_or_else(errors::not_found)?;
    let pull = repository.pull(number).ok_or_else(errors::not_found)?;
    let all: Vec<Value> = pull
        .inline_comments()
        .into_iter()
        .filter(|(_, comment)| comment.review == Some(id))
        .map(|(thread, comment)| pull_json::inline(api.state, repository, pull, thread, comment))
        .collect();
    Ok(api.list(&all))
}
