use std::collections::BTreeSet;

use serde_json::{Value, json};
use testkit::forge::webhooks::{Delivery, PullAction, TicketEvent, signature};

use crate::github_pulls::shop;

fn payload(delivery: &Delivery) -> Value {
    serde_json::from_str(&delivery.body).unwrap()
}

#[test]
fn a_signature_is_the_one_github_documents() {
    let expected = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
    assert_eq!(signature("It's a Secret to Everybody", b"Hello, World!"), expected);
}

#[test]
fn a_push_says_from_where_to_where() {
    let forge = shop();
    let before = forge.pull("acme/shop", 1).head_sha;
    let after = forge.commit("acme/shop", "feature", &[("b.txt", "b\n")]);
    let delivery = forge.github_webhook("acme/shop", 1, PullAction::Synchronize, "secret");
    let body = payload(&delivery);
    assert_eq!((&body["before"], &body["after"]), (&json!(before), &json!(after)));
    assert_eq!(delivery.header("x-github-event"), Some("pull_request"));
    let signed = signature("secret", delivery.body.as_bytes());
    assert_eq!(delivery.header("x-hub-signature-256"), Some(signed.as_str()));
    let gitlab = forge.gitlab_webhook("acme/shop", 1, PullAction::Synchronize, "token");
    assert_eq!(payload(&gitlab)["object_attributes"]["oldrev"], before);
    assert_eq!(payload(&gitlab)["object_attributes"]["last_commit"]["id"], after);
    assert_eq!(gitlab.header("x-gitlab-token"), Some("token"));
}

#[test]
fn a_ticket_says_how_its_status_changed() {
    let forge = shop();
    forge.ticket("PROJ-1", "S", "text");
    forge.set_status("PROJ-1", "Code Review");
    let delivery = forge.jira_webhook("PROJ-1", TicketEvent::Updated, "secret");
    let body = payload(&delivery);
    assert_eq!(
        (&body["webhookEvent"], &body["issue"]["key"]),
        (&json!("jira:issue_updated"), &json!("PROJ-1"))
    );
    assert_eq!(body["changelog"]["items"][0]["toString"], "Code Review");
    let created = payload(&forge.jira_webhook("PROJ-1", TicketEvent::Created, "secret"));
    assert!(created.get("changelog").is_none());
}

/// Every field of GitHub's own examples (npm `@octokit/webhooks-examples`) is in ours.
#[test]
fn payloads_have_every_field_of_the_examples() {
    let Some(path) = testkit::installed("COUNTERSIGN_WEBHOOK_EXAMPLES", "GitHub's examples of webhooks are")
    else {
        return;
    };
    let all: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let event = all.as_array().unwrap().iter().find(|event| event["name"] == "pull_request").unwrap();
    let forge = shop();
    forge.commit("acme/shop", "feature", &[("b.txt", "b\n")]);
    for (action, name) in [(PullAction::Opened, "opened"), (PullAction::Synchronize, "synchronize")] {
        let ours = payload(&forge.github_webhook("acme/shop", 1, action, "secret"));
        let mut examples =
            event["examples"].as_array().unwrap().iter().filter(|example| example["action"] == name);
        let example = examples.next_back().unwrap();
        let mut missing = missing(example, &ours, String::new());
        // Only deliveries to an app or of an organisation have these.
        missing.retain(|name| !name.starts_with(".installation") && !name.starts_with(".organization"));
        assert!(missing.is_empty(), "{name} lacks {missing:?}");
    }
}

fn missing(wanted: &Value, given: &Value, place: String) -> BTreeSet<String> {
    let (Value::Object(wanted), Value::Object(given)) = (wanted, given) else { return BTreeSet::new() };
    let mut lacking = BTreeSet::new();
    for (name, inner) in wanted {
        let place = format!("{place}.{name}");
        match given.get(name) {
            Some(there) => lacking.extend(missing(inner, there, place)),
            None => {
                lacking.insert(place);
            }
        }
    }
    lacking
}
