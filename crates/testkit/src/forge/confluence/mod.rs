//! Confluence: version 1 as Server and Cloud have it, and as much of Cloud's version 2 as reads pages.

mod cql;
mod view;

use axum::http::Method;
use serde_json::{Value, json};

use super::answer::{Answer, Outcome};
use super::jira;
use super::model::account::{Caller, Rights};
use super::model::page::Page;
use super::model::state::State;
use super::request::Call;

/// One request being answered.
#[derive(Debug)]
struct Request<'a> {
    state: &'a State,
    /// What the caller may see.
    pages: &'a [Page],
    call: &'a Call,
    /// `/wiki` on Cloud, nothing on a server.
    context: &'static str,
}

pub(super) fn answer(state: &mut State, call: &Call, parts: &[&str]) -> Answer {
    let caller = match jira::caller(state, call) {
        Ok(caller) => caller,
        Err(refusal) => return refusal,
    };
    let context = if call.segments.first().is_some_and(|first| first == "wiki") { "/wiki" } else { "" };
    let pages: &[Page] = if caller.rights() >= Rights::Read { &state.pages } else { &[] };
    let request = Request { state, pages, call, context };
    route(&request, &caller, parts).unwrap_or_else(|refusal| refusal)
}

fn route(request: &Request<'_>, caller: &Caller, parts: &[&str]) -> Outcome {
    if request.call.method != Method::GET {
        return Err(error(405, "Only reading is possible here"));
    }
    if matches!(caller, Caller::Nobody) {
        return Err(error(401, "Authentication required"));
    }
    let page = |id: &str| {
        let found = request.pages.iter().find(|page| page.id.to_string() == id);
        found.ok_or_else(|| error(404, &format!("No content found with id: ContentId{{id={id}}}")))
    };
    match parts {
        ["rest", "api", "content", "search"] => search_content(request),
        ["rest", "api", "search"] => search(request),
        ["rest", "api", "content"] => by_title(request),
        ["rest", "api", "content", id] => Ok(Answer::json(200, &view::content(request, page(id)?))),
        ["rest", "api", "content", id, "label"] => Ok(list(request, &view::labels(page(id)?))),
        ["rest", "api", "content", id, "child" | "property", ..] => page(id).map(|_| list(request, &[])),
        ["rest", "api", "space"] => Ok(list(request, &spaces(request))),
        ["rest", "api", "space", key] => space(request, key),
        ["rest", "api", "user", "current"] => Ok(Answer::json(200, &view::user(&caller.user()))),
        ["api", "v2", "pages"] => pages_v2(request),
        ["api", "v2", "pages", id] => {
            let page = request.pages.iter().find(|page| page.id.to_string() == *id);
            Ok(Answer::json(200, &view::page_v2(request, page.ok_or_else(not_found_v2)?)))
        }
        ["api", "v2", "pages", id, "labels"] => {
            let page = request.pages.iter().find(|page| page.id.to_string() == *id);
            let labels = view::labels(page.ok_or_else(not_found_v2)?);
            Ok(Answer::json(200, &json!({ "results": labels, "_links": {} })))
        }
        ["api", "v2", "spaces"] => Ok(spaces_v2(request)),
        ["api", "v2", "spaces", id] => space_v2(request, id),
        _ => Err(error(404, "Not Found")),
    }
}

fn error(status: u16, message: &str) -> Answer {
    let data = json!({ "authorized": false, "valid": true, "errors": [], "successful": false });
    Answer::json(status, &json!({ "statusCode": status, "data": data, "message": message }))
}

fn not_found_v2() -> Answer {
    let error = json!({ "status": 404, "code": "NOT_FOUND", "title": "Not Found", "detail": null });
    Answer::json(404, &json!({ "errors": [error] }))
}

fn found<'a>(request: &Request<'a>) -> Result<Vec<&'a Page>, Answer> {
    let text = request.call.param("cql").unwrap_or_default();
    let query =
        cql::parse(text).map_err(|words| error(400, &format!("Could not parse cql : {text}: {words}")))?;
    Ok(cql::run(&query, request.pages))
}

fn list(request: &Request<'_>, all: &[Value]) -> Answer {
    Answer::json(200, &view::page_of(request, all))
}

fn search_content(request: &Request<'_>) -> Outcome {
    let all: Vec<Value> = found(request)?.into_iter().map(|page| view::content(request, page)).collect();
    Ok(list(request, &all))
}

fn search(request: &Request<'_>) -> Outcome {
    let all: Vec<Value> = found(request)?.into_iter().map(|page| view::hit(request, page)).collect();
    let mut body = view::page_of(request, &all);
    body["totalSize"] = json!(all.len());
    body["cqlQuery"] = json!(request.call.param("cql"));
    body["searchDuration"] = json!(1);
    Ok(Answer::json(200, &body))
}

fn by_title(request: &Request<'_>) -> Outcome {
    let call = request.call;
    let fits = |page: &&Page| {
        call.param("title").is_none_or(|title| page.title == title)
            && call.param("spaceKey").is_none_or(|space| page.space == space)
    };
    let all: Vec<Value> =
        request.pages.iter().filter(fits).map(|page| view::content(request, page)).collect();
    Ok(list(request, &all))
}

fn pages_v2(request: &Request<'_>) -> Outcome {
    let call = request.call;
    let fits = |page: &&Page| {
        call.param("title").is_none_or(|title| page.title == title)
            && call.param("space-id").is_none_or(|id| view::space_id(&page.space) == id)
    };
    let all: Vec<Value> =
        request.pages.iter().filter(fits).map(|page| view::page_v2(request, page)).collect();
    Ok(Answer::json(200, &view::cursor_page(request, &all)))
}

fn keys(request: &Request<'_>) -> Vec<String> {
    let mut keys: Vec<String> = request.pages.iter().map(|page| page.space.clone()).collect();
    keys.sort();
    keys.dedup();
    keys
}

fn spaces(request: &Request<'_>) -> Vec<Value> {
    keys(request).iter().map(|key| view::space(request, key)).collect()
}

fn space(request: &Request<'_>, key: &str) -> Outcome {
    let known = keys(request).iter().any(|known| known == key);
    if known {
        Ok(Answer::json(200, &view::space(request, key)))
    } else {
        Err(error(404, "No space with that key"))
    }
}

fn spaces_v2(request: &Request<'_>) -> Answer {
    let wanted = request.call.param("keys");
    let keys = keys(request)
        .into_iter()
        .filter(|key| wanted.is_none_or(|wanted| wanted.split(',').any(|one| one == key)));
    let all: Vec<Value> = keys.map(|key| view::space_v2(&key)).collect();
    Answer::json(200, &view::cursor_page(request, &all))
}

fn space_v2(request: &Request<'_>, id: &str) -> Outcome {
    let key = keys(request).into_iter().find(|key| view::space_id(key) == id).ok_or_else(not_found_v2)?;
    Ok(Answer::json(200, &view::space_v2(&key)))
}
