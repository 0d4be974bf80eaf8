use serde_json::{Value, json};

use super::json::{self, Wanted};
use super::{Request, errors, jql};
use crate::forge::answer::{Answer, Outcome};
use crate::forge::model::account::Rights;
use crate::forge::model::ticket::{Jira, Ticket};
use crate::forge::query::Query;

/// A parameter of the query or of the body.
fn given(request: &Request<'_>, name: &str) -> Option<Value> {
    let call = request.call;
    call.param(name).map(Value::from).or_else(|| call.json.get(name).cloned())
}

fn number(request: &Request<'_>, name: &str) -> Option<usize> {
    match given(request, name)? {
        Value::String(text) => text.parse().ok(),
        other => other.as_u64().map(|number| number as usize),
    }
}

fn wanted(request: &Request<'_>) -> Option<Wanted> {
    match given(request, "fields")? {
        Value::String(text) => Some(Wanted::parse(&text)),
        Value::Array(names) => {
            let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
            Some(Wanted::parse(&names.join(",")))
        }
        _ => None,
    }
}

fn query(request: &Request<'_>) -> Result<Query, Answer> {
    let text = given(request, "jql").and_then(|jql| jql.as_str().map(str::to_owned)).unwrap_or_default();
    jql::parse(&text).map_err(|words| errors::plain(400, words))
}

fn found<'a>(request: &'a Request<'_>, query: &Query) -> Vec<&'a Ticket> {
    if request.caller.rights() < Rights::Read { Vec::new() } else { jql::run(query, &request.state.tickets) }
}

/// Pages by offset. Cloud has taken it away.
pub(super) fn old(request: &mut Request<'_>) -> Outcome {
    if request.state.jira == Jira::Cloud {
        let words = "The requested API has been removed. Please migrate to the /rest/api/3/search/jql API. A full \
                     migration guideline is available at https://developer.atlassian.com/changelog/#CHANGE-2046";
        return Err(errors::plain(410, words.to_owned()));
    }
    let query = query(request)?;
    let all = found(request, &query);
    let start = number(request, "startAt").unwrap_or(0);
    let most = number(request, "maxResults").unwrap_or(50).min(1000);
    let wanted = wanted(request).unwrap_or_else(|| Wanted::parse("*navigable"));
    let page: Vec<Value> = all
        .iter()
        .skip(start)
        .take(most)
        .map(|ticket| json::issue(request.state, request.api, ticket, &wanted))
        .collect();
    let body = json!({
        "expand": "schema,names", "startAt": start, "maxResults": most, "total": all.len(), "issues": page,
    });
    Ok(Answer::json(200, &body))
}

/// Pages by a token, without a total, on Cloud only. Without `fields` there is nothing but ids.
pub(super) fn new(request: &mut Request<'_>) -> Outcome {
    if request.state.jira == Jira::Server {
        return Err(errors::plain(404, "null for uri: ".to_owned() + &request.call.path));
    }
    let query = query(request)?;
    if query.clauses.is_empty() {
        let words =
            "Unbounded JQL queries are not allowed here. Please add a search restriction to your query.";
        return Err(errors::plain(400, words.to_owned()));
    }
    let all = found(request, &query);
    let token = given(request, "nextPageToken").and_then(|token| token.as_str().map(str::to_owned));
    let start = match token.filter(|token| !token.is_empty()) {
        None => 0,
        Some(token) => {
            token.strip_prefix("page-").and_then(|at| at.parse::<usize>().ok()).ok_or_else(|| {
                errors::plain(400, "The provided next page token is invalid or expired.".to_owned())
            })?
        }
    };
    let most = number(request, "maxResults").unwrap_or(50).clamp(1, 5000);
    let show = |ticket: &&Ticket| match wanted(request) {
        Some(wanted) => json::issue(request.state, request.api, ticket, &wanted),
        None => json!({ "id": ticket.id.to_string() }),
    };
    let page: Vec<Value> = all.iter().skip(start).take(most).map(show).collect();
    let last = start + page.len() >= all.len();
    let mut body = json!({ "issues": page, "isLast": last });
    if !last {
        body["nextPageToken"] = json!(format!("page-{}", start + most));
    }
    Ok(Answer::json(200, &body))
}
