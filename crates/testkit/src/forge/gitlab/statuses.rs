use serde_json::{Value, json};

use super::{Api, errors, view};
use crate::forge::answer::{Answer, Outcome};
use crate::forge::model::checks::CommitStatus;
use crate::forge::model::state::State;
use crate::forge::model::time;
use crate::forge::paging;

const STATES: [&str; 6] = ["pending", "running", "success", "failed", "canceled", "skipped"];

fn is_final(state: &str) -> bool {
    matches!(state, "success" | "failed" | "canceled" | "skipped")
}

/// A status of the same name and branch is moved on as long as it is not final; afterwards a new one begins.
pub(super) fn create(api: &mut Api<'_>, path: &str, sha: &str) -> Outcome {
    let state = api.needed("state")?;
    if !STATES.contains(&state.as_str()) {
        return Err(errors::bad_request("state does not have a valid value"));
    }
    let repository = api.repository(path)?;
    let whole = repository.bare.commit_id(sha).filter(|whole| whole == sha);
    let sha = whole.ok_or_else(|| errors::named_not_found("Commit"))?;
    let context =
        api.given_text("name").or_else(|| api.given_text("context")).unwrap_or_else(|| "default".to_owned());
    let (description, target_url, ref_name) =
        (api.given_text("description"), api.given_text("target_url"), api.given_text("ref"));
    if description.as_ref().is_some_and(|text| text.chars().count() > 1024) {
        return Err(errors::message(
            400,
            "400 Bad request - description is too long (maximum is 1024 characters)",
        ));
    }
    let (id, at, creator, lag) = (api.state.id(), api.state.tick(), api.caller.user(), api.state.lag);
    let repository = api.state.repository_mut(path).ok_or_else(errors::no_project)?;
    let same = |known: &&mut CommitStatus| {
        known.sha == sha && known.context == context && known.ref_name == ref_name && !is_final(&known.state)
    };
    let status = match repository.statuses.iter_mut().find(same) {
        Some(known) if known.state == state => {
            let words = format!(
                "Cannot transition status via :{} from :{state} (Reason(s): Status cannot transition via \"{}\")",
                event(&state),
                event(&state)
            );
            return Err(errors::message(400, &words));
        }
        Some(known) => {
            known.state = state;
            known.description = description.or(known.description.take());
            known.target_url = target_url.or(known.target_url.take());
            known.updated_at = at;
            known.clone()
        }
        None => {
            let status = CommitStatus {
                id,
                sha,
                state,
                context,
                description,
                target_url,
                ref_name,
                creator,
                created_at: at,
                updated_at: at,
                hidden_for: lag,
            };
            repository.statuses.push(status.clone());
            status
        }
    };
    Ok(Answer::json(201, &shown(api.state, &status)))
}

fn event(state: &str) -> &'static str {
    match state {
        "pending" => "enqueue",
        "running" => "run",
        "success" => "success",
        "failed" => "drop",
        "canceled" => "cancel",
        _ => "skip",
    }
}

/// The newest of each name, or all of them.
pub(super) fn list(api: &mut Api<'_>, path: &str, sha: &str) -> Outcome {
    let repository = api.state.repository_mut(path).ok_or_else(errors::no_project)?;
    let sha = repository.bare.commit_id(sha).ok_or_else(|| errors::named_not_found("Commit"))?;
    let seen = paging::visible(&mut repository.statuses, |status| &mut status.hidden_for);
    let name = api.call.param("name");
    let repository = api.repository(path)?;
    let mut found: Vec<&CommitStatus> = seen
        .into_iter()
        .filter_map(|at| repository.statuses.get(at))
        .filter(|status| status.sha == sha && name.is_none_or(|name| status.context == name))
        .collect();
    if api.call.param("all") != Some("true") {
        let newest: Vec<u64> =
            found.iter().map(|status| status.id).filter(|id| is_newest(&found, *id)).collect();
        found.retain(|status| newest.contains(&status.id));
    }
    let all: Vec<Value> = found.into_iter().map(|status| shown(api.state, status)).collect();
    Ok(api.list(&all))
}

fn is_newest(all: &[&CommitStatus], id: u64) -> bool {
    let Some(status) = all.iter().find(|status| status.id == id) else { return false };
    !all.iter().any(|other| other.context == status.context && other.id > id)
}

fn shown(state: &State, status: &CommitStatus) -> Value {
    let finished = is_final(&status.state).then(|| time::millis(status.updated_at));
    json!({
        "id": status.id,
        "sha": status.sha,
        "ref": status.ref_name,
        "status": status.state,
        "name": status.context,
        "target_url": status.target_url,
        "description": status.description,
        "created_at": time::millis(status.created_at),
        "started_at": null,
        "finished_at": finished,
        "allow_failure": false,
        "coverage": null,
        "pipeline_id": status.id,
        "author": view::user(state, &status.creator),
    })
}
