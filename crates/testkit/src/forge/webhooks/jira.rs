use serde_json::json;

use super::{Delivery, signature};
use crate::forge::Forge;
use crate::forge::jira::Api;
use crate::forge::jira::json::{Wanted, issue, user};

/// What happened to a ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TicketEvent {
    Created,
    /// With the last change of status, if there was one.
    Updated,
}

impl Forge {
    /// Jira's event about a ticket as it is now. Jira writes texts in wiki markup here, Cloud included.
    pub fn jira_webhook(&self, key: &str, event: TicketEvent, secret: &str) -> Delivery {
        let state = self.inner.state();
        let ticket = state.tickets.iter().find(|ticket| ticket.key == key).expect("the ticket is there");
        let (name, kind) = match event {
            TicketEvent::Created => ("jira:issue_created", "issue_created"),
            TicketEvent::Updated => ("jira:issue_updated", "issue_generic"),
        };
        let mut payload = json!({
            "timestamp": ticket.updated_at * 1000,
            "webhookEvent": name,
            "issue_event_type_name": kind,
            "user": user(&state, Api::V2, &ticket.reporter),
            "issue": issue(&state, Api::V2, ticket, &Wanted::all()),
        });
        if let (TicketEvent::Updated, [.., from, to]) = (event, ticket.history.as_slice()) {
            let item = json!({
                "field": "status", "fieldtype": "jira", "fieldId": "status", "from": "1", "fromString": from,
                "to": "2", "toString": to,
            });
            payload["changelog"] = json!({ "id": "10124", "items": [item] });
        }
        let body = payload.to_string();
        let signature = signature(secret, body.as_bytes());
        let headers = [
            ("user-agent", "Atlassian HttpClient"),
            ("x-atlassian-webhook-identifier", "9e1a1c1d-1f5b-4d37-8d3c-3b1c9f0f7d10"),
            ("x-hub-signature", &signature),
        ];
        Delivery::new(body, &headers)
    }
}
