use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::Request;
use crate::forge::model::account::User;
use crate::forge::model::page::Page;
use crate::forge::model::time;

fn webui(page: &Page) -> String {
    format!("/spaces/{}/pages/{}", page.space, page.id)
}

pub(super) fn user(user: &User) -> Value {
    json!({ "type": "known", "username": user.login, "displayName": user.login, "accountId": user.id.to_string() })
}

pub(super) fn space_id(key: &str) -> String {
    key.bytes().fold(7_u64, |sum, byte| (sum * 31 + u64::from(byte)) % 1_000_000).to_string()
}

pub(super) fn space(request: &Request<'_>, key: &str) -> Value {
    let number: u64 = space_id(key).parse().unwrap_or_default();
    json!({
        "id": number, "key": key, "name": key, "type": "global", "status": "current",
        "_links": {
            "webui": format!("/spaces/{key}"),
            "self": format!("{}{}/rest/api/space/{key}", request.state.url, request.context),
        },
    })
}

pub(super) fn space_v2(key: &str) -> Value {
    json!({
        "id": space_id(key), "key": key, "name": key, "type": "global", "status": "current",
        "_links": { "webui": format!("/spaces/{key}") },
    })
}

pub(super) fn labels(page: &Page) -> Vec<Value> {
    let label = |(at, name): (usize, &String)| json!({ "prefix": "global", "name": name, "id": (page.id * 100 + at as u64).to_string(), "label": name });
    page.labels.iter().enumerate().map(label).collect()
}

/// Only what was asked for with `expand` is there; the rest is named as expandable.
pub(super) fn content(request: &Request<'_>, page: &Page) -> Value {
    let expand = request.call.param("expand").unwrap_or_default();
    let asked = |name: &str| {
        expand.split(',').map(|part| part.trim().trim_start_matches("content.")).any(|part| part == name)
    };
    let base = format!("{}{}", request.state.url, request.context);
    let at = time::millis(page.created_at);
    let mut value = json!({
        "id": page.id.to_string(),
        "type": "page",
        "status": "current",
        "title": page.title,
        "extensions": { "position": "none" },
        "_links": {
            "webui": webui(page), "self": format!("{base}/rest/api/content/{}", page.id), "base": base,
            "context": request.context,
        },
        "_expandable": {},
    });
    let parts = [
        ("space", space(request, &page.space)),
        (
            "version",
            json!({ "number": page.version, "when": at, "by": { "displayName": "author" }, "message": "" }),
        ),
        ("history", json!({ "latest": true, "createdDate": at, "createdBy": { "displayName": "author" } })),
        ("ancestors", json!([])),
        (
            "metadata.labels",
            json!({ "results": labels(page), "start": 0, "limit": 200, "size": page.labels.len() }),
        ),
        ("children.attachment", json!({ "results": [], "start": 0, "limit": 25, "size": 0 })),
    ];
    for (name, part) in parts {
        let whole =
            asked(name) || expand.split(',').any(|known| known.trim().starts_with(&format!("{name}.")));
        match (whole, name.split_once('.')) {
            (true, Some((outer, inner))) => value[outer][inner] = part,
            (true, None) => value[name] = part,
            (false, Some((outer, _))) => value["_expandable"][outer] = json!(""),
            (false, None) => value["_expandable"][name] = json!(""),
        }
    }
    for format in ["storage", "view", "export_view"] {
        if asked(&format!("body.{format}")) {
            value["body"][format] = json!({ "value": page.storage, "representation": format });
        }
    }
    value
}

pub(super) fn hit(request: &Request<'_>, page: &Page) -> Value {
    let words = page.words();
    let words: Vec<&str> = words.split_whitespace().take(40).collect();
    let at = time::millis(page.created_at);
    json!({
        "content": content(request, page),
        "title": page.title,
        "excerpt": words.join(" "),
        "url": webui(page),
        "resultGlobalContainer": { "title": page.space, "displayUrl": format!("/spaces/{}", page.space) },
        "entityType": "content",
        "iconCssClass": "aui-icon content-type-page",
        "lastModified": at,
        "friendlyLastModified": "Sep 01, 2026",
        "timestamp": page.created_at * 1000,
    })
}

/// Pages by offset, the next one linked.
pub(super) fn page_of(request: &Request<'_>, all: &[Value]) -> Value {
    let call = request.call;
    let (start, limit) =
        (call.number("start").unwrap_or(0), call.number("limit").unwrap_or(25).clamp(1, 200));
    let page: Vec<Value> = all.iter().skip(start).take(limit).cloned().collect();
    let mut links =
        json!({ "base": format!("{}{}", request.state.url, request.context), "context": request.context });
    if start + page.len() < all.len() {
        let mut pairs: Vec<(String, String)> =
            call.query.iter().filter(|(name, _)| name != "start" && name != "limit").cloned().collect();
        pairs.push(("start".to_owned(), (start + limit).to_string()));
        pairs.push(("limit".to_owned(), limit.to_string()));
        let path = call.path.strip_prefix(request.context).unwrap_or(&call.path);
        links["next"] = json!(format!("{path}?{}", encoded(&pairs)));
    }
    json!({ "results": page, "start": start, "limit": limit, "size": page.len(), "_links": links })
}

fn encoded(pairs: &[(String, String)]) -> String {
    let pair =
        |(name, value): &(String, String)| format!("{name}={}", utf8_percent_encode(value, NON_ALPHANUMERIC));
    pairs.iter().map(pair).collect::<Vec<_>>().join("&")
}

/// Pages by cursor, the next one linked in the body.
pub(super) fn cursor_page(request: &Request<'_>, all: &[Value]) -> Value {
    let call = request.call;
    let limit = call.number("limit").unwrap_or(25).clamp(1, 250);
    let start = call.param("cursor").and_then(|cursor| cursor.strip_prefix("at-")?.parse().ok()).unwrap_or(0);
    let page: Vec<Value> = all.iter().skip(start).take(limit).cloned().collect();
    let mut links = json!({ "base": format!("{}{}", request.state.url, request.context) });
    if start + page.len() < all.len() {
        let mut pairs: Vec<(String, String)> =
            call.query.iter().filter(|(name, _)| name != "cursor").cloned().collect();
        pairs.push(("cursor".to_owned(), format!("at-{}", start + limit)));
        links["next"] = json!(format!("{}?{}", call.path, encoded(&pairs)));
    }
    json!({ "results": page, "_links": links })
}

pub(super) fn page_v2(request: &Request<'_>, page: &Page) -> Value {
    let at = time::millis(page.created_at);
    let mut value = json!({
        "id": page.id.to_string(),
        "status": "current",
        "title": page.title,
        "spaceId": space_id(&page.space),
        "parentId": null,
        "parentType": null,
        "position": 0,
        "authorId": "1",
        "ownerId": "1",
        "lastOwnerId": null,
        "createdAt": at,
        "version": { "createdAt": at, "message": "", "number": page.version, "minorEdit": false, "authorId": "1" },
        "body": {},
        "_links": {
            "webui": webui(page), "editui": format!("/pages/resumedraft.action?draftId={}", page.id),
            "tinyui": format!("/x/{}", page.id), "base": format!("{}{}", request.state.url, request.context),
        },
    });
    if let Some(format @ ("storage" | "view")) = request.call.param("body-format") {
        value["body"][format] = json!({ "value": page.storage, "representation": format });
    }
    value
}
