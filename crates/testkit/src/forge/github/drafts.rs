//! Reviews that are filled comment by comment before anybody sees them, which only GraphQL can do.

use serde_json::{Value, json};

use super::{Api, threads, view};
use crate::forge::model::account::Rights;
use crate::forge::model::pull::{Pull, ReviewState, Thread};

/// `addPullRequestReviewThread`: a place that the diff does not have makes no thread, and no error either.
pub(super) fn add_thread(api: &mut Api<'_>) -> Result<Value, Value> {
    let input = api.call.json["variables"]["input"].clone();
    let review = input["pullRequestReviewId"].as_str().and_then(|id| id.strip_prefix("PRR_")?.parse().ok());
    let missing =
        || json!({ "type": "NOT_FOUND", "message": "Could not resolve to a node with the global id" });
    let (path, number, commit) = review.and_then(|id| draft(api, id)).ok_or_else(missing)?;
    if api.enter(&path, Rights::Write).is_err() {
        return Err(missing());
    }
    let wanted = json!({
        "path": input["path"], "line": input["line"], "side": input["side"],
        "start_line": input["startLine"], "start_side": input["startSide"],
    });
    let repository = api.state.repository_mut(&path).ok_or_else(missing)?;
    let Ok(anchor) = threads::anchor(repository, number, &wanted, &commit) else {
        return Ok(json!({ "addPullRequestReviewThread": { "thread": null } }));
    };
    let mut comment = api.state.comment(api.caller.user(), input["body"].as_str().unwrap_or_default());
    comment.review = review;
    let id = api.state.id();
    let thread = Thread { id, anchor: Some(anchor), comments: vec![comment], resolved_by: None };
    let repository = api.state.repository_mut(&path).ok_or_else(missing)?;
    repository.pull_mut(number).ok_or_else(missing)?.threads.push(thread);
    Ok(json!({ "addPullRequestReviewThread": { "thread": { "id": view::node_id("PRRT", id) } } }))
}

/// Where a draft of the caller is, and of which commit.
fn draft(api: &Api<'_>, id: u64) -> Option<(String, u64, String)> {
    let me = api.caller.user();
    api.state.repositories.iter().find_map(|repository| {
        repository.pulls.iter().find_map(|pull| {
            let is_it = |review: &&crate::forge::Review| {
                review.id == id && review.author == me && review.state == ReviewState::Pending
            };
            let review = pull.reviews.iter().find(is_it)?;
            Some((repository.path.clone(), pull.number, review.commit.clone()))
        })
    })
}

/// Whether somebody may see a thread: what is drafted is for its author alone.
pub(super) fn is_shown(pull: &Pull, thread: &Thread, to: &crate::forge::User) -> bool {
    let is_drafted = |id: Option<u64>| {
        let drafts = pull.reviews.iter().filter(|review| review.state == ReviewState::Pending);
        drafts.into_iter().any(|review| Some(review.id) == id && review.author != *to)
    };
    !thread.comments.iter().any(|comment| is_drafted(comment.review))
}
