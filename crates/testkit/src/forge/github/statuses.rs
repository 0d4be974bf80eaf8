use serde_json::{Value, json};

use super::view::{api_url, node_id, repository as repository_json, user};
use super::{Api, errors};
use crate::forge::answer::{Answer, Outcome};
use crate::forge::model::checks::CommitStatus;
use crate::forge::model::repository::Repository;
use crate::forge::model::state::State;
use crate::forge::model::time;
use crate::forge::paging;

const LONGEST_DESCRIPTION: usize = 140;

pub(super) fn create(api: &mut Api<'_>, path: &str, sha: &str) -> Outcome {
    let call = api.call;
    let state = call.text("state").unwrap_or_default();
    if !["error", "failure", "pending", "success"].contains(&state) {
        return Err(errors::custom("Status", "state", "state is not included in the list"));
    }
    let description = call.text("description").map(str::to_owned);
    if description.as_ref().is_some_and(|text| text.chars().count() > LONGEST_DESCRIPTION) {
        return Err(errors::custom(
            "Status",
            "description",
            "description is too long (maximum is 140 characters)",
        ));
    }
    let repository = api.state.repository(path).ok_or_else(errors::not_found)?;
    let whole = repository.bare.commit_id(sha).filter(|whole| whole == sha);
    let sha = whole.ok_or_else(|| errors::plain(422, &format!("No commit found for SHA: {sha}")))?;
    let (id, at) = (api.state.id(), api.state.tick());
    let status = CommitStatus {
        id,
        sha,
        state: state.to_owned(),
        context: call.text("context").unwrap_or("default").to_owned(),
        description,
        target_url: call.text("target_url").map(str::to_owned),
        ref_name: None,
        creator: api.caller.user(),
        created_at: at,
        updated_at: at,
        hidden_for: api.state.lag,
    };
    api.state.repository_mut(path).ok_or_else(errors::not_found)?.statuses.push(status.clone());
    let repository = api.state.repository(path).ok_or_else(errors::not_found)?;
    Ok(Answer::json(201, &json(api.state, repository, &status)))
}

/// The newest first, as GitHub lists them.
fn of_commit(api: &mut Api<'_>, path: &str, name: &str) -> Result<(String, Vec<CommitStatus>), Answer> {
    let repository = api.state.repository_mut(path).ok_or_else(errors::not_found)?;
    let sha = repository
        .bare
        .commit_id(name)
        .ok_or_else(|| errors::plain(422, &format!("No commit found for SHA: {name}")))?;
    let seen = paging::visible(&mut repository.statuses, |status| &mut status.hidden_for);
    let of_it = seen.into_iter().rev().filter_map(|at| repository.statuses.get(at));
    let statuses = of_it.filter(|status| status.sha == sha).cloned().collect();
    Ok((sha, statuses))
}

pub(super) fn list(api: &mut Api<'_>, path: &str, name: &str) -> Outcome {
    let (_, statuses) = of_commit(api, path, name)?;
    let repository = api.state.repository(path).ok_or_else(errors::not_found)?;
    let all: Vec<Value> = statuses.iter().map(|status| json(api.state, repository, status)).collect();
    Ok(api.list(&all))
}

pub(super) fn combined(api: &mut Api<'_>, path: &str, name: &str) -> Outcome {
    let (sha, statuses) = of_commit(api, path, name)?;
    let repository = api.state.repository(path).ok_or_else(errors::not_found)?;
    let mut newest: Vec<&CommitStatus> = Vec::new();
    for status in &statuses {
        if !newest.iter().any(|known| known.context == status.context) {
            newest.push(status);
        }
    }
    let has = |states: &[&str]| newest.iter().any(|status| states.contains(&status.state.as_str()));
    let state = if has(&["failure", "error"]) {
        "failure"
    } else if newest.is_empty() || has(&["pending"]) {
        "pending"
    } else {
        "success"
    };
    let url = api_url(api.state, repository);
    Ok(Answer::json(
        200,
        &json!({
            "state": state,
            "statuses": newest.iter().map(|status| json(api.state, repository, status)).collect::<Vec<_>>(),
            "sha": sha,
            "total_count": newest.len(),
            "repository": repository_json(api.state, repository),
            "commit_url": format!("{url}/commits/{sha}"),
            "url": format!("{url}/commits/{sha}/status"),
        }),
    ))
}

fn json(state: &State, repository: &Repository, status: &CommitStatus) -> Value {
    json!({
        "url": format!("{}/statuses/{}", api_url(state, repository), status.sha),
        "avatar_url": format!("{}/avatars/{}", state.url, status.creator.id),
        "id": status.id,
        "node_id": node_id("SC", status.id),
        "state": status.state,
        "description": status.description,
        "target_url": status.target_url,
        "context": status.context,
        "created_at": time::seconds(status.created_at),
        "updated_at": time::seconds(status.updated_at),
        "creator": user(&state.url, &status.creator),
    })
}
