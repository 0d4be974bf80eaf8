use serde_json::{Map, Value, json};

use super::{Api, adf};
use crate::forge::model::account::User;
use crate::forge::model::state::State;
use crate::forge::model::ticket::{Jira, Remark, Text, Ticket};
use crate::forge::model::time;

pub(in crate::forge) fn user(state: &State, api: Api, user: &User) -> Value {
    let rest = format!("{}/rest/api/{}", state.url, api.number());
    let picture = format!("{}/avatars/{}", state.url, user.id);
    let mut value = json!({
        "emailAddress": user.email,
        "avatarUrls": { "48x48": picture, "24x24": picture, "16x16": picture, "32x32": picture },
        "displayName": user.login,
        "active": true,
        "timeZone": "Etc/UTC",
    });
    match state.jira {
        Jira::Cloud => {
            let account = account_id(user);
            value["self"] = json!(format!("{rest}/user?accountId={account}"));
            value["accountId"] = json!(account);
            value["accountType"] = json!("atlassian");
        }
        Jira::Server => {
            value["self"] = json!(format!("{rest}/user?username={}", user.login));
            value["name"] = json!(user.login);
            value["key"] = json!(format!("JIRAUSER{}", user.id));
        }
    }
    value
}

pub(in crate::forge) fn account_id(user: &User) -> String {
    format!("5b10a2844c20165700{:06}", user.id)
}

pub(in crate::forge) fn text(api: Api, text: &Text) -> Value {
    match (api, text) {
        (Api::V2, Text::Wiki(wiki)) => json!(wiki),
        (Api::V2, Text::Document(document)) => json!(adf::to_wiki(document)),
        (Api::V3, Text::Wiki(wiki)) => adf::from_wiki(wiki),
        (Api::V3, Text::Document(document)) => document.clone(),
    }
}

pub(in crate::forge) fn comment(state: &State, api: Api, ticket: &Ticket, remark: &Remark) -> Value {
    let author = user(state, api, &remark.comment.author);
    let url =
        format!("{}/rest/api/{}/issue/{}/comment/{}", state.url, api.number(), ticket.id, remark.comment.id);
    let mut value = json!({
        "self": url,
        "id": remark.comment.id.to_string(),
        "author": author,
        "body": text(api, &remark.text),
        "updateAuthor": author,
        "created": time::offset(remark.comment.created_at),
        "updated": time::offset(remark.comment.updated_at),
    });
    if state.jira == Jira::Cloud {
        value["jsdPublic"] = json!(true);
    }
    value
}

pub(in crate::forge) fn status(state: &State, api: Api, name: &str) -> Value {
    let (category, key, id) = match name {
        "To Do" | "Open" | "Backlog" => ("To Do", "new", 2),
        "Done" | "Closed" | "Resolved" => ("Done", "done", 3),
        _ => ("In Progress", "indeterminate", 4),
    };
    let rest = format!("{}/rest/api/{}", state.url, api.number());
    let number = status_id(state, name);
    json!({
        "self": format!("{rest}/status/{number}"),
        "description": "",
        "iconUrl": format!("{}/images/status.png", state.url),
        "name": name,
        "id": number.to_string(),
        "statusCategory": {
            "self": format!("{rest}/statuscategory/{id}"), "id": id, "key": key, "colorName": "blue-gray",
            "name": category,
        },
    })
}

pub(in crate::forge) fn statuses(state: &State) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let ways = state.transitions.iter().flat_map(|way| way.from.iter().chain([&way.to]));
    for name in ways.chain(state.tickets.iter().map(|ticket| &ticket.status)) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

fn status_id(state: &State, name: &str) -> usize {
    10_000 + statuses(state).iter().position(|known| known == name).unwrap_or(999)
}

pub(in crate::forge) fn project(state: &State, api: Api, key: &str) -> Value {
    json!({
        "self": format!("{}/rest/api/{}/project/{key}", state.url, api.number()),
        "id": "10000",
        "key": key,
        "name": key,
        "projectTypeKey": "software",
        "avatarUrls": {},
    })
}

pub(in crate::forge) fn issue(state: &State, api: Api, ticket: &Ticket, wanted: &Wanted) -> Value {
    let rest = format!("{}/rest/api/{}", state.url, api.number());
    let mut fields = json!({
        "summary": ticket.summary,
        "description": ticket.description.as_ref().map(|known| text(api, known)),
        "status": status(state, api, &ticket.status),
        "issuetype": {
            "self": format!("{rest}/issuetype/10001"), "id": "10001", "name": ticket.kind, "subtask": false,
            "description": "", "iconUrl": format!("{}/images/type.png", state.url),
        },
        "project": project(state, api, ticket.project()),
        "priority": {
            "self": format!("{rest}/priority/3"), "id": "3", "name": "Medium",
            "iconUrl": format!("{}/images/priority.png", state.url),
        },
        "labels": ticket.labels,
        "reporter": user(state, api, &ticket.reporter),
        "creator": user(state, api, &ticket.reporter),
        "assignee": null,
        "resolution": null,
        "components": [],
        "fixVersions": [],
        "versions": [],
        "issuelinks": [],
        "subtasks": [],
        "attachment": [],
        "created": time::offset(ticket.created_at),
        "updated": time::offset(ticket.updated_at),
        "duedate": null,
        "comment": {
            "comments": ticket.comments.iter().map(|remark| comment(state, api, ticket, remark)).collect::<Vec<_>>(),
            "maxResults": ticket.comments.len(),
            "total": ticket.comments.len(),
            "startAt": 0,
        },
    });
    if let Some(fields) = fields.as_object_mut() {
        fields.extend(ticket.custom.clone());
        fields.retain(|name, _| wanted.includes(name));
    }
    json!({
        "expand": "renderedFields,names,schema,operations,editmeta,changelog,versionedRepresentations",
        "id": ticket.id.to_string(),
        "self": format!("{rest}/issue/{}", ticket.id),
        "key": ticket.key,
        "fields": fields,
    })
}

/// The `fields` parameter: names, `*all`, `*navigable`, and names taken away with a minus.
#[derive(Debug, Clone)]
pub(in crate::forge) struct Wanted {
    names: Vec<String>,
}

impl Wanted {
    pub(in crate::forge) fn all() -> Wanted {
        Wanted { names: vec!["*all".to_owned()] }
    }

    pub(in crate::forge) fn parse(text: &str) -> Wanted {
        let names: Vec<String> =
            text.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect();
        if names.is_empty() { Wanted::all() } else { Wanted { names } }
    }

    fn includes(&self, name: &str) -> bool {
        let listed = |wanted: &str| self.names.iter().any(|known| known == wanted);
        if listed(&format!("-{name}")) {
            return false;
        }
        let only_minus = self.names.iter().all(|known| known.starts_with('-'));
        listed(name) || listed("*all") || only_minus || (listed("*navigable") && name != "comment")
    }
}

pub(in crate::forge) fn changelog(ticket: &Ticket) -> Value {
    let step = |pair: &[String]| {
        let mut item = Map::new();
        item.insert("field".to_owned(), json!("status"));
        item.insert("fromString".to_owned(), json!(pair[0]));
        item.insert("toString".to_owned(), json!(pair[1]));
        json!({ "items": [item] })
    };
    let steps: Vec<Value> = ticket.history.windows(2).map(step).collect();
    json!({ "startAt": 0, "maxResults": steps.len(), "total": steps.len(), "histories": steps })
}
