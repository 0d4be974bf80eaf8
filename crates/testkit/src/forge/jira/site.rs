use serde_json::{Value, json};

use super::{Request, errors, json};
use crate::forge::answer::{Answer, Outcome};
use crate::forge::model::account::Caller;
use crate::forge::model::ticket::Jira;

pub(super) fn server_info(request: &mut Request<'_>) -> Outcome {
    let (version, numbers, kind) = match request.state.jira {
        Jira::Cloud => ("1001.0.0-SNAPSHOT", [1001, 0, 0], "Cloud"),
        Jira::Server => ("9.12.14", [9, 12, 14], "Server"),
    };
    let body = json!({
        "baseUrl": request.state.url,
        "version": version,
        "versionNumbers": numbers,
        "deploymentType": kind,
        "buildNumber": 100_292,
        "serverTitle": "Jira",
    });
    Ok(Answer::json(200, &body))
}

pub(super) fn myself(request: &mut Request<'_>) -> Outcome {
    let Caller::Known { user, .. } = &request.caller else { return Err(errors::not_authenticated()) };
    Ok(Answer::json(200, &json::user(request.state, request.api, user)))
}

pub(super) fn user(request: &mut Request<'_>) -> Outcome {
    let call = request.call;
    let wanted =
        ["accountId", "username", "key"].iter().find_map(|name| call.param(name)).unwrap_or_default();
    let users = &request.state.users;
    let found = users.iter().find(|user| user.login == wanted || json::account_id(user) == wanted);
    let user = found.ok_or_else(|| errors::plain(404, "The user does not exist".to_owned()))?;
    Ok(Answer::json(200, &json::user(request.state, request.api, user)))
}

pub(super) fn fields(request: &mut Request<'_>) -> Outcome {
    let known = [
        ("summary", "Summary", "string"),
        ("description", "Description", "string"),
        ("status", "Status", "status"),
        ("labels", "Labels", "array"),
        ("comment", "Comment", "comments-page"),
        ("issuetype", "Issue Type", "issuetype"),
    ];
    let field = |(id, name, kind): (&str, &str, &str)| {
        json!({
            "id": id, "key": id, "name": name, "custom": false, "orderable": true, "navigable": true,
            "searchable": true, "clauseNames": [id], "schema": { "type": kind, "system": id },
        })
    };
    let mut all: Vec<Value> = known.into_iter().map(field).collect();
    for name in request.state.tickets.iter().flat_map(|ticket| ticket.custom.keys()) {
        all.push(json!({
            "id": name, "key": name, "name": name, "custom": true, "orderable": true, "navigable": true,
            "searchable": true, "clauseNames": [name], "schema": { "type": "string", "custom": "text" },
        }));
    }
    Ok(Answer::json(200, &Value::Array(all)))
}

pub(super) fn statuses(request: &mut Request<'_>) -> Outcome {
    let state = &*request.state;
    let all = json::statuses(state).iter().map(|name| json::status(state, request.api, name)).collect();
    Ok(Answer::json(200, &Value::Array(all)))
}

fn keys(request: &Request<'_>) -> Vec<String> {
    let mut keys: Vec<String> =
        request.state.tickets.iter().map(|ticket| ticket.project().to_owned()).collect();
    keys.sort();
    keys.dedup();
    keys
}

pub(super) fn projects(request: &mut Request<'_>) -> Outcome {
    let all = keys(request).iter().map(|key| json::project(request.state, request.api, key)).collect();
    Ok(Answer::json(200, &Value::Array(all)))
}

pub(super) fn project(request: &mut Request<'_>, key: &str) -> Outcome {
    if !keys(request).iter().any(|known| known == key) {
        return Err(errors::plain(404, format!("No project could be found with key '{key}'.")));
    }
    Ok(Answer::json(200, &json::project(request.state, request.api, key)))
}

pub(super) fn watchers(request: &mut Request<'_>, key: &str) -> Outcome {
    let ticket = request.ticket(key)?;
    let watcher = json::user(request.state, request.api, &ticket.reporter);
    Ok(Answer::json(200, &json!({ "isWatching": false, "watchCount": 1, "watchers": [watcher] })))
}
