use serde_json::{Value, json};

use super::{Request, errors};
use crate::forge::answer::{Answer, Outcome};
use crate::forge::model::ticket::RemoteLink;

pub(super) fn list(request: &mut Request<'_>, key: &str) -> Outcome {
    let wanted = request.call.param("globalId");
    let links = &request.ticket(key)?.links;
    let show = |link: &RemoteLink| {
        json!({
            "id": link.id,
            "self": format!("{}/rest/api/{}/issue/{key}/remotelink/{}", request.state.url, request.api.number(), link.id),
            "globalId": link.global_id,
            "relationship": link.relationship,
            "object": { "url": link.url, "title": link.title },
        })
    };
    if let Some(wanted) = wanted {
        let found = links.iter().find(|link| link.global_id.as_deref() == Some(wanted));
        let link = found.ok_or_else(|| errors::plain(404, "The remote link does not exist.".to_owned()))?;
        return Ok(Answer::json(200, &show(link)));
    }
    Ok(Answer::json(200, &Value::Array(links.iter().map(show).collect())))
}

pub(super) fn add(request: &mut Request<'_>, key: &str) -> Outcome {
    let body = &request.call.json;
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let url = text(&body["object"]["url"]).ok_or_else(|| errors::field("url", "'url' is required."))?;
    let title =
        text(&body["object"]["title"]).ok_or_else(|| errors::field("title", "'title' is required."))?;
    let (global_id, relationship) = (text(&body["globalId"]), text(&body["relationship"]));
    let api = request.api.number();
    let id = request.state.id();
    let base = request.state.url.clone();
    let links = &mut request.ticket_mut(key)?.links;
    let known =
        global_id.as_ref().and_then(|id| links.iter_mut().find(|link| link.global_id.as_ref() == Some(id)));
    let (id, status) = match known {
        Some(known) => {
            (known.url, known.title, known.relationship) = (url, title, relationship);
            (known.id, 200)
        }
        None => {
            links.push(RemoteLink { id, global_id, url, title, relationship });
            (id, 201)
        }
    };
    let address = format!("{base}/rest/api/{api}/issue/{key}/remotelink/{id}");
    Ok(Answer::json(status, &json!({ "id": id, "self": address })))
}
