use serde_json::{Value, json};

use super::{Request, errors, issues, json};
use crate::forge::answer::{Answer, Outcome};
use crate::forge::model::ticket::{Remark, Ticket, Transition};

fn is_legal(way: &Transition, ticket: &Ticket) -> bool {
    way.from.is_empty() || way.from.contains(&ticket.status)
}

pub(super) fn legal(request: &Request<'_>, ticket: &Ticket) -> Vec<Value> {
    let state = &*request.state;
    let show = |way: &Transition| {
        json!({
            "id": way.id.to_string(),
            "name": way.name,
            "to": json::status(state, request.api, &way.to),
            "hasScreen": false,
            "isGlobal": way.from.is_empty(),
            "isInitial": false,
            "isAvailable": true,
            "isConditional": false,
            "fields": {},
        })
    };
    state.transitions.iter().filter(|way| is_legal(way, ticket)).map(show).collect()
}

pub(super) fn list(request: &mut Request<'_>, key: &str) -> Outcome {
    let ways = legal(request, request.ticket(key)?);
    Ok(Answer::json(200, &json!({ "expand": "transitions", "transitions": ways })))
}

pub(super) fn execute(request: &mut Request<'_>, key: &str) -> Outcome {
    let call = request.call;
    let id = match &call.json["transition"]["id"] {
        Value::String(id) => id.clone(),
        Value::Number(id) => id.to_string(),
        _ => return Err(errors::plain(400, "Missing 'transition' identifier".to_owned())),
    };
    let way = request.state.transitions.iter().find(|way| way.id.to_string() == id).cloned();
    let ticket = request.ticket(key)?;
    let way = way
        .filter(|way| is_legal(way, ticket))
        .ok_or_else(|| errors::plain(400, format!("Transition id '{id}' is not valid for this issue.")))?;
    let note = &call.json["update"]["comment"][0]["add"]["body"];
    let note = if note.is_null() { None } else { Some(issues::text(request.api, note, "comment")?) };
    let remark = note.map(|text| {
        let comment = request.state.comment(request.caller.user(), &super::comments::wiki(&text));
        Remark { comment, text }
    });
    let at = request.state.tick();
    let ticket = request.ticket_mut(key)?;
    ticket.comments.extend(remark);
    ticket.status.clone_from(&way.to);
    ticket.history.push(way.to);
    ticket.updated_at = at;
    Ok(Answer::empty(204))
}
