use serde_json::{Value, json};

use super::{Api, errors, view};
use crate::forge::answer::{Answer, Outcome};
use crate::forge::model::pull::{Pull, PullState, Review, ReviewState};
use crate::forge::model::sync::Opening;
use crate::forge::paging;

pub(super) fn list(api: &mut Api<'_>, path: &str) -> Outcome {
    let seen = {
        let repository = api.state.repository_mut(path).ok_or_else(errors::no_project)?;
        paging::visible(&mut repository.pulls, |pull| &mut pull.hidden_for)
    };
    let call = api.call;
    let wanted = match call.param("state").unwrap_or("all") {
        "all" => None,
        "opened" => Some(PullState::Open),
        "closed" => Some(PullState::Closed),
        "merged" => Some(PullState::Merged),
        _ => return Err(errors::bad_request("state does not have a valid value")),
    };
    let numbers: Vec<&str> =
        call.query.iter().filter(|(name, _)| name == "iids[]").map(|(_, value)| value.as_str()).collect();
    let repository = api.repository(path)?;
    let fits = |pull: &&Pull| {
        wanted.is_none_or(|wanted| pull.state == wanted)
            && call.param("source_branch").is_none_or(|branch| pull.head_branch == branch)
            && call.param("target_branch").is_none_or(|branch| pull.base_branch == branch)
            && (numbers.is_empty() || numbers.contains(&pull.number.to_string().as_str()))
    };
    let mut found: Vec<&Pull> = seen.iter().filter_map(|&at| repository.pulls.get(at)).filter(fits).collect();
    if call.param("sort") != Some("asc") {
        found.reverse();
    }
    let all: Vec<Value> =
        found.into_iter().map(|pull| view::merge_request(api.state, repository, pull)).collect();
    Ok(api.list(&all))
}

pub(super) fn get(api: &mut Api<'_>, path: &str, number: u64) -> Outcome {
    show(api, path, number, 200)
}

fn show(api: &mut Api<'_>, path: &str, number: u64, status: u16) -> Outcome {
    let count = api.state.repository_mut(path).map_or(0, |repository| repository.diff_of(number).len());
    let repository = api.repository(path)?;
    let pull = api.pull(path, number)?;
    let mut value = view::merge_request(api.state, repository, pull);
    value["changes_count"] = json!(count.to_string());
    value["subscribed"] = json!(false);
    value["merge_error"] = json!(null);
    value["first_contribution"] = json!(false);
    value["user"] = json!({ "can_merge": true });
    if api.call.param("include_diverged_commits_count") == Some("true") {
        let behind = repository
            .bare
            .branch(&pull.base_branch)
            .map(|tip| repository.bare.commits(&pull.head_sha, &tip));
        value["diverged_commits_count"] = json!(behind.map_or(0, |behind| behind.len()));
    }
    Ok(Answer::json(status, &value))
}

pub(super) fn create(api: &mut Api<'_>, path: &str) -> Outcome {
    let missing: Vec<String> = ["title", "source_branch", "target_branch"]
        .iter()
        .filter(|name| api.given_text(name).is_none())
        .map(|name| format!("{name} is missing"))
        .collect();
    if !missing.is_empty() {
        return Err(errors::bad_request(&missing.join(", ")));
    }
    let (source, target) = (api.needed("source_branch")?, api.needed("target_branch")?);
    // From a fork the request goes to the fork and names the parent as its target.
    let into = match api.given_text("target_project_id").and_then(|id| id.parse().ok()) {
        Some(id) => api.state.repository_by_id(id).ok_or_else(errors::no_project)?.path.clone(),
        None => path.to_owned(),
    };
    let from = api.repository(path)?;
    let refuse = |words: String| Answer::json(400, &json!({ "message": [words] }));
    from.bare.branch(&source).ok_or_else(|| refuse(format!("Source branch \"{source}\" does not exist")))?;
    let parent = api.repository(&into)?;
    parent
        .bare
        .branch(&target)
        .ok_or_else(|| refuse(format!("Target branch \"{target}\" does not exist")))?;
    if into == path && source == target {
        return Err(refuse("You can't use same project/branch for source and target".to_owned()));
    }
    let same = |pull: &&Pull| {
        pull.is_open()
            && pull.head_repository == path
            && pull.head_branch == source
            && pull.base_branch == target
    };
    if let Some(known) = parent.pulls.iter().find(same) {
        let words =
            format!("Another open merge request already exists for this source branch: !{}", known.number);
        return Err(Answer::json(409, &json!({ "message": [words] })));
    }
    let title = api.needed("title")?;
    let draft = title.strip_prefix("Draft: ").map(str::to_owned);
    let opening = Opening {
        author: api.caller.user().login,
        draft: draft.is_some(),
        title: draft.unwrap_or(title),
        body: api.given_text("description"),
        head_repository: path.to_owned(),
        head_branch: source,
        base_branch: target,
    };
    let number = api.state.open_pull(&into, opening).ok_or_else(errors::not_found)?;
    show(api, &into, number, 201)
}

pub(super) fn update(api: &mut Api<'_>, path: &str, number: u64) -> Outcome {
    let (title, body, target) =
        (api.given_text("title"), api.given_text("description"), api.given_text("target_branch"));
    let labels = api.given_text("labels");
    let event = api.given_text("state_event");
    if title.is_none() && body.is_none() && target.is_none() && event.is_none() && labels.is_none() {
        return Err(errors::bad_request(
            "title, description, target_branch, state_event are missing, at least one parameter must be provided",
        ));
    }
    let at = api.state.tick();
    let pull = api.pull_mut(path, number)?;
    match event.as_deref() {
        Some("close") if pull.is_open() => {
            pull.state = PullState::Closed;
            pull.closed_at = Some(at);
        }
        Some("reopen") if pull.state == PullState::Closed => {
            pull.state = PullState::Open;
            pull.closed_at = None;
        }
        Some("close" | "reopen") | None => {}
        Some(_) => return Err(errors::bad_request("state_event does not have a valid value")),
    }
    if let Some(title) = title {
        let draft = title.strip_prefix("Draft: ").map(str::to_owned);
        pull.draft = draft.is_some();
        pull.title = draft.unwrap_or(title);
    }
    pull.body = body.or(pull.body.take());
    if let Some(labels) = labels {
        pull.labels = labels
            .split(',')
            .map(|label| label.trim().to_owned())
            .filter(|label| !label.is_empty())
            .collect();
    }
    pull.updated_at = at;
    if let Some(target) = target {
        api.repository(path)?
            .bare
            .branch(&target)
            .ok_or_else(|| errors::message(400, "Target branch does not exist"))?;
        api.state.retarget(path, number, &target);
    }
    show(api, path, number, 200)
}

/// Here so that a test can see whether anybody tried, and so that it would have worked.
pub(super) fn merge(api: &mut Api<'_>, path: &str, number: u64) -> Outcome {
    let sha = api.given_text("sha");
    let at = api.state.tick();
    let bare = api.repository(path)?.bare.clone();
    let pull = api.pull_mut(path, number)?;
    if !pull.is_open() || pull.draft {
        return Err(errors::message(405, "405 Method Not Allowed"));
    }
    if sha.is_some_and(|sha| sha != pull.head_sha) {
        let head = pull.head_sha.clone();
        return Err(errors::message(409, &format!("SHA does not match HEAD of source branch: {head}")));
    }
    let merged = bare.merge(&pull.base_branch, &pull.head_sha, at);
    let merged = merged.ok_or_else(|| errors::message(422, "Branch cannot be merged"))?;
    pull.state = PullState::Merged;
    pull.closed_at = Some(at);
    pull.merge_commit = Some(merged);
    show(api, path, number, 200)
}

/// An approval is kept as an approving review, so that a test sees it in one place.
pub(super) fn approve(api: &mut Api<'_>, path: &str, number: u64) -> Outcome {
    let (id, at, author) = (api.state.id(), api.state.tick(), api.caller.user());
    let pull = api.pull_mut(path, number)?;
    let review = Review {
        id,
        author,
        body: String::new(),
        state: ReviewState::Approved,
        commit: pull.head_sha.clone(),
        submitted_at: Some(at),
        hidden_for: 0,
    };
    pull.reviews.push(review);
    let answer = approvals(api, path, number)?;
    Ok(Answer { status: 201, ..answer })
}

pub(super) fn approvals(api: &mut Api<'_>, path: &str, number: u64) -> Outcome {
    let pull = api.pull(path, number)?;
    let approved = pull.reviews.iter().filter(|review| review.state == ReviewState::Approved);
    let by: Vec<Value> =
        approved.map(|review| json!({ "user": view::user(api.state, &review.author) })).collect();
    let body = json!({
        "id": pull.id, "iid": number, "approved": !by.is_empty(), "approvals_required": 0, "approvals_left": 0,
        "approved_by": by, "rules": [],
    });
    Ok(Answer::json(200, &body))
}
