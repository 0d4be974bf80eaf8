//! Less than GitHub says: what its server leaves of it. Values that are empty are left out.

use serde_json::{Value, json};

use super::server::Reading;

pub(super) fn each(list: &Value, shape: impl Fn(&Value) -> Value) -> String {
    let items: Vec<Value> = list.as_array().unwrap().iter().map(shape).collect();
    json!(items).to_string()
}

fn without_empty(mut value: Value) -> Value {
    let is_empty = |value: &Value| {
        value.is_null() || value == "" || value == 0 || value.as_array().is_some_and(Vec::is_empty)
    };
    value.as_object_mut().unwrap().retain(|_, value| !is_empty(value));
    value
}

fn user(value: &Value) -> Value {
    if value.is_null() { Value::Null } else { json!({"login": value["login"], "id": value["id"]}) }
}

pub(super) fn branch(value: &Value) -> Value {
    json!({"name": value["name"], "sha": value["commit"]["sha"], "protected": value["protected"]})
}

pub(super) fn pull(value: &Value) -> Value {
    let end = |end: &Value| {
        let repo = json!({"full_name": end["repo"]["full_name"]});
        let repo = if end["repo"].is_null() { Value::Null } else { repo };
        without_empty(json!({"ref": end["ref"], "sha": end["sha"], "repo": repo}))
    };
    let labels: Vec<Value> =
        value["labels"].as_array().unwrap().iter().map(|label| label["name"].clone()).collect();
    without_empty(json!({
        "number": value["number"], "title": value["title"], "body": value["body"], "state": value["state"],
        "draft": value["draft"], "merged": value["merged"].as_bool().unwrap_or(false),
        "html_url": value["html_url"], "user": user(&value["user"]), "labels": labels,
        "head": end(&value["head"]), "base": end(&value["base"]), "changed_files": value["changed_files"],
        "merged_at": value["merged_at"],
    }))
}

pub(super) fn file(value: &Value) -> Value {
    without_empty(json!({
        "filename": value["filename"], "status": value["status"], "additions": value["additions"],
        "deletions": value["deletions"], "changes": value["changes"], "patch": value["patch"],
        "previous_filename": value["previous_filename"],
    }))
}

pub(super) fn review(value: &Value) -> Value {
    without_empty(json!({
        "id": value["id"], "state": value["state"], "body": value["body"], "html_url": value["html_url"],
        "user": user(&value["user"]), "commit_id": value["commit_id"],
    }))
}

pub(super) fn comment(value: &Value, reading: Reading) -> Value {
    without_empty(json!({
        "id": value["id"], "body": shown(&value["body"], reading), "html_url": value["html_url"],
        "user": user(&value["user"]),
    }))
}

pub(super) fn threads(threads: &Value, reading: Reading) -> Value {
    let remark = |said: &Value| {
        without_empty(json!({
            "body": shown(&said["body"], reading), "path": "src/a.rs", "author": said["author"]["login"],
            "html_url": said["url"],
        }))
    };
    let thread = |thread: &Value| {
        let comments: Vec<Value> =
            thread["comments"]["nodes"].as_array().unwrap().iter().map(remark).collect();
        json!({
            "id": thread["id"], "is_resolved": thread["isResolved"], "is_outdated": thread["isOutdated"],
            "is_collapsed": false, "total_count": comments.len(), "comments": comments,
        })
    };
    let nodes: Vec<Value> = threads["nodes"].as_array().unwrap().iter().map(thread).collect();
    json!({"review_threads": nodes, "totalCount": threads["totalCount"], "pageInfo": threads["pageInfo"]})
}

pub(super) fn made(value: &Value) -> String {
    json!({"id": value["id"].to_string(), "url": value["html_url"]}).to_string()
}

fn shown(body: &Value, reading: Reading) -> String {
    let body = body.as_str().unwrap_or_default();
    match reading {
        Reading::AsItIs => body.to_owned(),
        Reading::WithoutHtml => {
            let (before, rest) = body.split_once("<!--").unwrap_or((body, ""));
            format!("{before}{}", rest.split_once("-->").map_or("", |(_, after)| after))
        }
        Reading::Escaped => {
            let line = |line: &str| match line.starts_with('[') && line.contains("]: ") {
                true => format!("\\{line}"),
                false => line.replace('<', "&lt;"),
            };
            body.split('\n').map(line).collect::<Vec<_>>().join("\n")
        }
    }
}
