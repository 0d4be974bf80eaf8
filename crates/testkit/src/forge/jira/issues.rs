use serde_json::{Value, json};

use super::json::{self, Wanted};
use super::{Api, Request, errors, transitions};
use crate::forge::answer::{Answer, Outcome};
use crate::forge::model::ticket::Text;

pub(super) fn get(request: &mut Request<'_>, key: &str) -> Outcome {
    let ticket = request.ticket(key)?;
    let wanted = request.call.param("fields").map_or_else(Wanted::all, Wanted::parse);
    let mut value = json::issue(request.state, request.api, ticket, &wanted);
    let expand = request.call.param("expand").unwrap_or_default();
    let asked = |name: &str| expand.split(',').any(|part| part.trim() == name);
    if asked("changelog") {
        value["changelog"] = json::changelog(ticket);
    }
    if asked("transitions") {
        value["transitions"] = Value::Array(transitions::legal(request, ticket));
    }
    if asked("renderedFields") {
        let text = ticket.description.as_ref().map(|text| json::text(Api::V2, text));
        let html = text.as_ref().and_then(Value::as_str).map(|text| format!("<p>{}</p>", escape(text)));
        value["renderedFields"] = json!({ "description": html });
    }
    if asked("names") {
        value["names"] = json!({ "summary": "Summary", "description": "Description", "status": "Status" });
    }
    Ok(Answer::json(200, &value))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

pub(super) fn edit(request: &mut Request<'_>, key: &str) -> Outcome {
    let (call, api) = (request.call, request.api);
    let Some(fields) = call.json["fields"].as_object().cloned() else {
        return Err(errors::plain(400, "one of 'fields' or 'update' required".to_owned()));
    };
    let at = request.state.tick();
    let ticket = request.ticket_mut(key)?;
    for (name, value) in fields {
        match (name.as_str(), value) {
            ("summary", Value::String(summary)) => ticket.summary = summary,
            ("description", value) => ticket.description = Some(text(api, &value, "description")?),
            ("labels", Value::Array(labels)) => {
                ticket.labels = labels.iter().filter_map(|label| label.as_str().map(str::to_owned)).collect();
            }
            ("status", _) => {
                let words = "Field 'status' cannot be set. It is not on the appropriate screen, or unknown.";
                return Err(errors::field("status", words));
            }
            (_, value) => {
                ticket.custom.insert(name, value);
            }
        }
    }
    ticket.updated_at = at;
    Ok(Answer::empty(204))
}

/// The longest text Jira takes.
const LONGEST: usize = 32_767;

/// Cloud's version 3 takes documents only, version 2 texts only.
pub(super) fn text(api: Api, value: &Value, field: &str) -> Result<Text, Answer> {
    let text = match (api, value) {
        (Api::V2, Value::String(text)) => Text::Wiki(text.clone()),
        (Api::V3, document @ Value::Object(_)) if super::adf_check::is_document(document) => {
            Text::Document(document.clone())
        }
        (Api::V3, Value::Object(_)) => return Err(errors::plain(400, "INVALID_INPUT".to_owned())),
        (Api::V3, Value::String(_)) => {
            return Err(errors::field(
                field,
                "Operation value must be an Atlassian Document (see the Atlassian Document Format)",
            ));
        }
        (Api::V2, _) => return Err(errors::field(field, "Operation value must be a string")),
        (Api::V3, _) => return Err(errors::plain(400, "INVALID_INPUT".to_owned())),
    };
    let plain = match &text {
        Text::Wiki(wiki) => wiki.clone(),
        Text::Document(document) => super::adf::to_wiki(document),
    };
    if plain.chars().count() > LONGEST {
        let words = "The entered text is too long. It exceeds the allowed limit of 32,767 characters.";
        return Err(errors::field(field, words));
    }
    if plain.trim().is_empty() && field == "comment" {
        return Err(errors::field(field, "Comment body can not be empty!"));
    }
    Ok(text)
}
