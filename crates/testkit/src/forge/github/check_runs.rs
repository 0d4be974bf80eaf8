use serde_json::{Value, json};

use super::view::{api_url, app, node_id};
use super::{Api, errors};
use crate::forge::answer::{Answer, Outcome};
use crate::forge::model::account::Rights;
use crate::forge::model::checks::CheckRun;
use crate::forge::model::repository::Repository;
use crate::forge::model::state::State;
use crate::forge::model::time;
use crate::forge::paging;

const STATUSES: [&str; 6] = ["queued", "in_progress", "completed", "waiting", "requested", "pending"];
const CONCLUSIONS: [&str; 7] =
    ["action_required", "cancelled", "failure", "neutral", "success", "skipped", "timed_out"];
/// How many annotations one request may carry, and how long a text may be.
const MOST_ANNOTATIONS: usize = 50;
const LONGEST_TEXT: usize = 65_535;

fn only_apps(api: &Api<'_>, path: &str) -> Result<(), Answer> {
    if api.caller.rights_in(path) == Rights::Checks {
        return Ok(());
    }
    Err(errors::forbidden("You must authenticate via a GitHub App."))
}

pub(super) fn create(api: &mut Api<'_>, path: &str) -> Outcome {
    only_apps(api, path)?;
    let call = api.call;
    let name = call.text("name").ok_or_else(|| errors::invalid_request("\"name\" wasn't supplied."))?;
    let wanted =
        call.text("head_sha").ok_or_else(|| errors::invalid_request("\"head_sha\" wasn't supplied."))?;
    let repository = api.state.repository(path).ok_or_else(errors::not_found)?;
    let head_sha = repository
        .bare
        .commit_id(wanted)
        .filter(|whole| whole == wanted)
        .ok_or_else(|| errors::plain(422, &format!("No commit found for SHA: {wanted}")))?;
    let (id, at) = (api.state.id(), api.state.tick());
    let mut run = CheckRun {
        id,
        name: name.to_owned(),
        head_sha,
        status: "queued".to_owned(),
        conclusion: None,
        external_id: None,
        details_url: None,
        output: json!({}),
        started_at: at,
        completed_at: None,
        hidden_for: api.state.lag,
    };
    change(&mut run, &call.json, at)?;
    api.state.repository_mut(path).ok_or_else(errors::not_found)?.check_runs.push(run);
    show(api, path, id, 201)
}

fn change(run: &mut CheckRun, wanted: &Value, at: u64) -> Result<(), Answer> {
    let text = |name: &str| wanted[name].as_str().map(str::to_owned);
    if let Some(status) = text("status") {
        if !STATUSES.contains(&status.as_str()) {
            return Err(errors::invalid("CheckRun", "status", "invalid"));
        }
        run.status = status;
    }
    if let Some(conclusion) = text("conclusion") {
        if !CONCLUSIONS.contains(&conclusion.as_str()) {
            return Err(errors::invalid_request(&format!(
                "{conclusion} is not a member of the allowed conclusions."
            )));
        }
        run.conclusion = Some(conclusion);
        "completed".clone_into(&mut run.status);
        run.completed_at = Some(at);
    }
    if run.status == "completed" && run.conclusion.is_none() {
        return Err(errors::invalid("CheckRun", "conclusion", "missing_field"));
    }
    if let Some(name) = text("name") {
        run.name = name;
    }
    run.external_id = text("external_id").or(run.external_id.take());
    run.details_url = text("details_url").or(run.details_url.take());
    if wanted["output"].is_object() {
        run.output = output(&run.output, &wanted["output"])?;
    }
    Ok(())
}

/// Annotations add up over requests, everything else is replaced.
fn output(known: &Value, wanted: &Value) -> Result<Value, Answer> {
    for name in ["title", "summary"] {
        if wanted[name].as_str().is_none() {
            return Err(errors::invalid_request(&format!("\"{name}\" wasn't supplied.")));
        }
    }
    for name in ["summary", "text"] {
        if wanted[name].as_str().is_some_and(|text| text.chars().count() > LONGEST_TEXT) {
            return Err(errors::custom("CheckRun", name, "Only 65535 characters are allowed"));
        }
    }
    let new = wanted["annotations"].as_array().cloned().unwrap_or_default();
    if new.len() > MOST_ANNOTATIONS {
        return Err(errors::invalid_request("No more than 50 annotations are allowed per request."));
    }
    for annotation in &new {
        let complete = annotation["path"].is_string()
            && annotation["start_line"].is_u64()
            && annotation["end_line"].is_u64()
            && annotation["message"].is_string()
            && ["notice", "warning", "failure"]
                .contains(&annotation["annotation_level"].as_str().unwrap_or_default());
        if !complete {
            return Err(errors::invalid_request("An annotation lacks path, lines, level or message."));
        }
    }
    let mut annotations = known["annotations"].as_array().cloned().unwrap_or_default();
    annotations.extend(new);
    let mut output = wanted.clone();
    output["annotations"] = json!(annotations);
    Ok(output)
}

pub(super) fn update(api: &mut Api<'_>, path: &str, id: &str) -> Outcome {
    only_apps(api, path)?;
    let id: u64 = id.parse().map_err(|_| errors::not_found())?;
    let (call, at) = (api.call, api.state.tick());
    let repository = api.state.repository_mut(path).ok_or_else(errors::not_found)?;
    let run = repository.check_runs.iter_mut().find(|run| run.id == id).ok_or_else(errors::not_found)?;
    change(run, &call.json, at)?;
    show(api, path, id, 200)
}

pub(super) fn get(api: &mut Api<'_>, path: &str, id: &str) -> Outcome {
    show(api, path, id.parse().map_err(|_| errors::not_found())?, 200)
}

fn show(api: &Api<'_>, path: &str, id: u64, status: u16) -> Outcome {
    let repository = api.state.repository(path).ok_or_else(errors::not_found)?;
    let run = repository.check_runs.iter().find(|run| run.id == id).ok_or_else(errors::not_found)?;
    Ok(Answer::json(status, &json(api.state, repository, run)))
}

pub(super) fn list(api: &mut Api<'_>, path: &str, name: &str) -> Outcome {
    let call = api.call;
    let repository = api.state.repository_mut(path).ok_or_else(errors::not_found)?;
    let sha = repository
        .bare
        .commit_id(name)
        .ok_or_else(|| errors::plain(422, &format!("No commit found for SHA: {name}")))?;
    let seen = paging::visible(&mut repository.check_runs, |run| &mut run.hidden_for);
    let repository = api.state.repository(path).ok_or_else(errors::not_found)?;
    let mut runs: Vec<&CheckRun> = seen
        .into_iter()
        .filter_map(|at| repository.check_runs.get(at))
        .filter(|run| run.head_sha == sha)
        .filter(|run| call.param("check_name").is_none_or(|name| run.name == name))
        .filter(|run| call.param("status").is_none_or(|status| run.status == status))
        .collect();
    runs.reverse();
    if call.param("filter") != Some("all") {
        let mut names = Vec::new();
        runs.retain(|run| {
            let newest = !names.contains(&run.name);
            names.push(run.name.clone());
            newest
        });
    }
    let all: Vec<Value> = runs.into_iter().map(|run| json(api.state, repository, run)).collect();
    Ok(api.counted("check_runs", &all))
}

fn json(state: &State, repository: &Repository, run: &CheckRun) -> Value {
    let api = api_url(state, repository);
    let page = format!("{}/{}/runs/{}", state.url, repository.path, run.id);
    let minimal = |number: u64| json!(format!("{api}/pulls/{number}"));
    let pulls = repository
        .pulls
        .iter()
        .filter(|pull| pull.head_sha == run.head_sha && !pull.is_from_fork(&repository.path));
    let end = json!({ "id": repository.id, "name": repository.name(), "url": api });
    json!({
        "id": run.id,
        "node_id": node_id("CR", run.id),
        "name": run.name,
        "head_sha": run.head_sha,
        "external_id": run.external_id.clone().unwrap_or_default(),
        "url": format!("{api}/check-runs/{}", run.id),
        "html_url": page,
        "details_url": run.details_url.clone().unwrap_or_else(|| page.clone()),
        "status": run.status,
        "conclusion": run.conclusion,
        "started_at": time::seconds(run.started_at),
        "completed_at": run.completed_at.map(time::seconds),
        "output": {
            "title": run.output["title"],
            "summary": run.output["summary"],
            "text": run.output["text"],
            "annotations_count": run.output["annotations"].as_array().map_or(0, Vec::len),
            "annotations_url": format!("{api}/check-runs/{}/annotations", run.id),
        },
        "check_suite": { "id": 1 },
        "app": app(state),
        "pull_requests": pulls.map(|pull| json!({
            "id": pull.id,
            "number": pull.number,
            "url": minimal(pull.number),
            "head": { "ref": pull.head_branch, "sha": pull.head_sha, "repo": end },
            "base": { "ref": pull.base_branch, "sha": pull.base_sha, "repo": end },
        })).collect::<Vec<_>>(),
    })
}
