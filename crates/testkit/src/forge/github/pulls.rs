use serde_json::{Value, json};

use super::{Api, errors, pull_json, view};
use crate::forge::answer::{Answer, Outcome};
use crate::forge::model::pull::{Pull, PullState};
use crate::forge::model::sync::Opening;
use crate::forge::paging;

pub(super) fn list(api: &mut Api<'_>, path: &str) -> Outcome {
    let state = api.call.param("state").unwrap_or("open").to_owned();
    if !["open", "closed", "all"].contains(&state.as_str()) {
        return Err(errors::invalid("PullRequest", "state", "invalid"));
    }
    let seen = visible(api, path);
    let repository = api.state.repository(path).ok_or_else(errors::not_found)?;
    let mut pulls: Vec<&Pull> = seen
        .iter()
        .filter_map(|&at| repository.pulls.get(at))
        .filter(|pull| state == "all" || (state == "open") == pull.is_open())
        .filter(|pull| api.call.param("base").is_none_or(|base| pull.base_branch == base))
        .filter(|pull| api.call.param("head").is_none_or(|head| has_head(pull, head)))
        .collect();
    let ascending = api.call.param("direction") == Some("asc");
    pulls.sort_by_key(
        |pull| if api.call.param("sort") == Some("updated") { pull.updated_at } else { pull.number },
    );
    if !ascending {
        pulls.reverse();
    }
    let all: Vec<Value> =
        pulls.into_iter().map(|pull| pull_json::simple(api.state, repository, pull)).collect();
    Ok(api.list(&all))
}

fn visible(api: &mut Api<'_>, path: &str) -> Vec<usize> {
    let Some(repository) = api.state.repository_mut(path) else { return Vec::new() };
    paging::visible(&mut repository.pulls, |pull| &mut pull.hidden_for)
}

/// `owner:branch`. A head without an owner is not understood and filters nothing.
fn has_head(pull: &Pull, head: &str) -> bool {
    let Some((owner, branch)) = head.split_once(':') else { return true };
    pull.head_branch == branch && pull.head_repository.split('/').next() == Some(owner)
}

pub(super) fn get(api: &mut Api<'_>, path: &str, number: u64) -> Outcome {
    if api.accepts(".diff") || api.accepts("diff") {
        return diff(api, path, number);
    }
    Ok(Answer::json(200, &pull_json::full(api.state, path, number)))
}

fn diff(api: &mut Api<'_>, path: &str, number: u64) -> Outcome {
    let limits = api.state.limits;
    let repository = api.state.repository_mut(path).ok_or_else(errors::not_found)?;
    let files = repository.diff_of(number);
    let lines: usize = files.iter().map(|file| file.lines() + 4).sum();
    let too_large = |what: String| {
        let error = json!({ "resource": "PullRequest", "field": "diff", "code": "too_large" });
        let message = format!("Sorry, the diff exceeded the maximum number of {what}.");
        let docs = "https://docs.github.com/rest/pulls/pulls#list-pull-requests-files";
        let body =
            json!({ "message": message, "errors": [error], "documentation_url": docs, "status": "406" });
        Answer::json(406, &body)
    };
    if files.len() > limits.diff_files {
        return Err(too_large(format!(
            "files ({}). Consider using 'List pull requests files' API or locally cloning the repository instead",
            limits.diff_files
        )));
    }
    if lines > limits.diff_lines {
        return Err(too_large(format!("lines ({})", limits.diff_lines)));
    }
    let version = repository.pull(number).ok_or_else(errors::not_found)?.version().clone();
    let text = repository.bare.patch(&version.base, &version.head);
    let answer = Answer::text(200, "application/vnd.github.v3.diff; charset=utf-8", "");
    Ok(Answer { body: text, ..answer })
}

pub(super) fn files(api: &mut Api<'_>, path: &str, number: u64) -> Outcome {
    let limits = api.state.limits;
    let repository = api.state.repository_mut(path).ok_or_else(errors::not_found)?;
    let files = repository.diff_of(number);
    let repository = api.state.repository(path).ok_or_else(errors::not_found)?;
    let head = &repository.pull(number).ok_or_else(errors::not_found)?.head_sha;
    let all: Vec<Value> = files
        .iter()
        .take(limits.listed_files)
        .map(|file| pull_json::file(api.state, repository, head, file, limits.patch_lines))
        .collect();
    Ok(api.list(&all))
}

pub(super) fn commits(api: &mut Api<'_>, path: &str, number: u64) -> Outcome {
    let repository = api.state.repository(path).ok_or_else(errors::not_found)?;
    let version = repository.pull(number).ok_or_else(errors::not_found)?.version();
    let commits = repository.bare.commits(&version.base, &version.head);
    let all: Vec<Value> =
        commits.iter().take(250).map(|commit| view::commit(api.state, repository, commit)).collect();
    Ok(api.list(&all))
}

pub(super) fn of_commit(api: &mut Api<'_>, path: &str, name: &str) -> Outcome {
    let repository = api.state.repository(path).ok_or_else(errors::not_found)?;
    let sha = repository.bare.commit_id(name).ok_or_else(errors::not_found)?;
    let within = |pull: &&Pull| {
        let version = pull.version();
        repository.bare.is_ancestor(&sha, &version.head) && !repository.bare.is_ancestor(&sha, &version.base)
    };
    let all: Vec<Value> = repository
        .pulls
        .iter()
        .filter(within)
        .map(|pull| pull_json::simple(api.state, repository, pull))
        .collect();
    Ok(api.list(&all))
}

pub(super) fn create(api: &mut Api<'_>, path: &str) -> Outcome {
    let opening = opening(api, path)?;
    let repository = api.state.repository(path).ok_or_else(errors::not_found)?;
    let from = api.state.repository(&opening.head_repository).ok_or_else(|| wrong("head"))?;
    let head = from.bare.branch(&opening.head_branch).ok_or_else(|| wrong("head"))?;
    let base = repository.bare.branch(&opening.base_branch).ok_or_else(|| wrong("base"))?;
    let same = |pull: &&Pull| {
        pull.is_open()
            && pull.head_repository == opening.head_repository
            && pull.head_branch == opening.head_branch
            && pull.base_branch == opening.base_branch
    };
    if repository.pulls.iter().any(|pull| same(&pull)) {
        let owner = from.owner();
        let words = format!("A pull request already exists for {owner}:{}.", opening.head_branch);
        return Err(errors::validation(&[
            json!({ "resource": "PullRequest", "code": "custom", "message": words }),
        ]));
    }
    if from.path == repository.path && repository.bare.is_ancestor(&head, &base) {
        let words = format!("No commits between {} and {}", opening.base_branch, opening.head_branch);
        return Err(errors::validation(&[
            json!({ "resource": "PullRequest", "code": "custom", "message": words }),
        ]));
    }
    let number = api.state.open_pull(path, opening).ok_or_else(|| wrong("head"))?;
    let url = format!("{}/api/v3/repos/{path}/pulls/{number}", api.state.url);
    Ok(Answer::json(201, &pull_json::full(api.state, path, number)).with("location", url))
}

fn wrong(field: &str) -> Answer {
    errors::invalid("PullRequest", field, "invalid")
}

fn opening(api: &Api<'_>, path: &str) -> Result<Opening, Answer> {
    let call = api.call;
    if !call.json.is_object() {
        return Err(errors::bad_json());
    }
    let needed = |name: &str| {
        let words = format!("\"{name}\" wasn't supplied.");
        call.text(name).map(str::to_owned).ok_or_else(|| errors::invalid_request(&words))
    };
    let (head, base) = (needed("head")?, needed("base")?);
    let title = call.text("title").unwrap_or_default().to_owned();
    if title.trim().is_empty() {
        return Err(errors::invalid("PullRequest", "title", "missing_field"));
    }
    let (owner, branch) = match head.split_once(':') {
        Some((owner, branch)) => (Some(owner.to_owned()), branch.to_owned()),
        None => (None, head.clone()),
    };
    Ok(Opening {
        author: api.caller.user().login,
        title,
        body: call.text("body").map(str::to_owned),
        draft: call.json["draft"].as_bool().unwrap_or(false),
        head_repository: owner
            .map_or_else(|| Some(path.to_owned()), |owner| relative(api, path, &owner))
            .ok_or_else(|| wrong("head"))?,
        head_branch: branch,
        base_branch: base,
    })
}

/// The repository of that owner in the same family of forks.
fn relative(api: &Api<'_>, path: &str, owner: &str) -> Option<String> {
    let here = api.state.repository(path)?;
    let family = |other: &&crate::forge::model::repository::Repository| {
        other.id == here.id || other.parent == Some(here.id) || here.parent == Some(other.id)
    };
    api.state
        .repositories
        .iter()
        .filter(family)
        .find(|other| other.owner() == owner)
        .map(|other| other.path.clone())
}

pub(super) fn update(api: &mut Api<'_>, path: &str, number: u64) -> Outcome {
    let call = api.call;
    let at = api.state.tick();
    let repository = api.state.repository_mut(path).ok_or_else(errors::not_found)?;
    if let Some(base) = call.text("base") {
        repository.bare.branch(base).ok_or_else(|| wrong("base"))?;
    }
    let pull = repository.pull_mut(number).ok_or_else(errors::not_found)?;
    match call.text("state") {
        Some("open" | "closed") if pull.state == PullState::Merged => {
            return Err(errors::custom(
                "PullRequest",
                "state",
                "state cannot be changed. The pull request is merged.",
            ));
        }
        Some("open") => {
            pull.state = PullState::Open;
            pull.closed_at = None;
        }
        Some("closed") => {
            pull.state = PullState::Closed;
            pull.closed_at = Some(at);
        }
        Some(_) => return Err(wrong("state")),
        None => {}
    }
    if let Some(title) = call.text("title") {
        title.clone_into(&mut pull.title);
    }
    if let Some(body) = call.text("body") {
        pull.body = Some(body.to_owned());
    }
    pull.updated_at = at;
    if let Some(base) = call.text("base") {
        api.state.retarget(path, number, base);
    }
    Ok(Answer::json(200, &pull_json::full(api.state, path, number)))
}

pub(super) fn is_merged(api: &mut Api<'_>, path: &str, number: u64) -> Outcome {
    let pull = api.state.repository(path).and_then(|repository| repository.pull(number));
    let merged = pull.is_some_and(|pull| pull.state == PullState::Merged);
    if merged { Ok(Answer::empty(204)) } else { Err(errors::not_found()) }
}

/// Here so that a test can see whether anybody tried, and so that it would have worked.
pub(super) fn merge(api: &mut Api<'_>, path: &str, number: u64) -> Outcome {
    let call = api.call;
    let at = api.state.tick();
    let repository = api.state.repository_mut(path).ok_or_else(errors::not_found)?;
    let bare = repository.bare.clone();
    let pull = repository.pull_mut(number).ok_or_else(errors::not_found)?;
    if !pull.is_open() {
        return Err(errors::plain(405, "Pull Request is not mergeable"));
    }
    if call.text("sha").is_some_and(|sha| sha != pull.head_sha) {
        return Err(errors::plain(409, "Head branch was modified. Review and try the merge again."));
    }
    let merged = bare
        .merge(&pull.base_branch, &pull.head_sha, at)
        .ok_or_else(|| errors::plain(405, "Merge conflict"))?;
    pull.state = PullState::Merged;
    pull.closed_at = Some(at);
    pull.merge_commit = Some(merged.clone());
    let body = json!({ "sha": merged, "merged": true, "message": "Pull Request successfully merged" });
    Ok(Answer::json(200, &body))
}
