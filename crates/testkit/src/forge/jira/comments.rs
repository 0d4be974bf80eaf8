use serde_json::{Value, json};

use super::issues::text;
use super::{Request, adf, errors, json};
use crate::forge::answer::{Answer, Outcome};
use crate::forge::model::ticket::{Remark, Text};
use crate::forge::paging;

pub(super) fn list(request: &mut Request<'_>, key: &str) -> Outcome {
    let ticket = request.ticket_mut(key)?;
    let mut seen = paging::visible(&mut ticket.comments, |remark| &mut remark.comment.hidden_for);
    if request.call.param("orderBy") == Some("-created") {
        seen.reverse();
    }
    let ticket = request.ticket(key)?;
    let start = request.call.number("startAt").unwrap_or(0);
    let most = request.call.number("maxResults").unwrap_or(if request.state.jira == super::Jira::Cloud {
        5000
    } else {
        1_048_576
    });
    let page: Vec<Value> = seen
        .iter()
        .skip(start)
        .take(most)
        .filter_map(|&at| ticket.comments.get(at))
        .map(|remark| json::comment(request.state, request.api, ticket, remark))
        .collect();
    let body = json!({ "startAt": start, "maxResults": most, "total": seen.len(), "comments": page });
    Ok(Answer::json(200, &body))
}

pub(super) fn wiki(text: &Text) -> String {
    match text {
        Text::Wiki(wiki) => wiki.clone(),
        Text::Document(document) => adf::to_wiki(document),
    }
}

pub(super) fn add(request: &mut Request<'_>, key: &str) -> Outcome {
    let text = text(request.api, &request.call.json["body"], "comment")?;
    let comment = request.state.comment(request.caller.user(), &wiki(&text));
    let remark = Remark { comment, text };
    let ticket = request.ticket_mut(key)?;
    ticket.updated_at = remark.comment.created_at;
    ticket.comments.push(remark.clone());
    Ok(Answer::json(201, &json::comment(request.state, request.api, request.ticket(key)?, &remark)))
}

fn place(request: &Request<'_>, key: &str, id: &str) -> Result<usize, Answer> {
    let ticket = request.ticket(key)?;
    let place = ticket.comments.iter().position(|remark| remark.comment.id.to_string() == id);
    place.ok_or_else(|| errors::plain(404, format!("Can not find a comment for the id: {id}.")))
}

pub(super) fn get(request: &mut Request<'_>, key: &str, id: &str) -> Outcome {
    let at = place(request, key, id)?;
    let ticket = request.ticket(key)?;
    Ok(Answer::json(200, &json::comment(request.state, request.api, ticket, &ticket.comments[at])))
}

pub(super) fn update(request: &mut Request<'_>, key: &str, id: &str) -> Outcome {
    let at = place(request, key, id)?;
    let text = text(request.api, &request.call.json["body"], "comment")?;
    let when = request.state.tick();
    let remark = &mut request.ticket_mut(key)?.comments[at];
    remark.comment.body = wiki(&text);
    remark.comment.updated_at = when;
    remark.text = text;
    get(request, key, id)
}

pub(super) fn delete(request: &mut Request<'_>, key: &str, id: &str) -> Outcome {
    let at = place(request, key, id)?;
    request.ticket_mut(key)?.comments.remove(at);
    Ok(Answer::empty(204))
}
