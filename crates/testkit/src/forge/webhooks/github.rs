use serde_json::{Value, json};

use super::{Delivery, signature};
use crate::forge::Forge;
use crate::forge::github::{pull_json, view};

/// What happened to a pull request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PullAction {
    Opened,
    /// Somebody pushed: from the commit before to the present head.
    Synchronize,
    Reopened,
    Closed,
}

impl PullAction {
    fn name(self) -> &'static str {
        match self {
            PullAction::Opened => "opened",
            PullAction::Synchronize => "synchronize",
            PullAction::Reopened => "reopened",
            PullAction::Closed => "closed",
        }
    }
}

impl Forge {
    /// GitHub's `pull_request` event about a pull request as it is now.
    pub fn github_webhook(&self, path: &str, number: u64, action: PullAction, secret: &str) -> Delivery {
        let mut state = self.inner.state();
        state.sync(path);
        let pull_request = pull_json::full(&mut state, path, number);
        let repository = state.repository(path).expect("the repository is there");
        let pull = repository.pull(number).expect("the pull request is there");
        let mut payload = json!({ "action": action.name(), "number": number, "pull_request": pull_request });
        if action == PullAction::Synchronize {
            let before = pull.versions.iter().rev().nth(1).map_or(&pull.base_sha, |version| &version.head);
            payload["before"] = json!(before);
            payload["after"] = json!(pull.head_sha);
        }
        payload["repository"] = view::repository(&state, repository);
        payload["sender"] = view::user(&state.url, &pull.author);
        deliver(&payload, secret)
    }
}

fn deliver(payload: &Value, secret: &str) -> Delivery {
    let body = payload.to_string();
    let signature = signature(secret, body.as_bytes());
    let headers = [
        ("user-agent", "GitHub-Hookshot/0000000"),
        ("x-github-event", "pull_request"),
        ("x-github-delivery", "72d3162e-cc78-11e3-81ab-4c9367dc0958"),
        ("x-github-hook-id", "292430182"),
        ("x-hub-signature-256", &signature),
    ];
    Delivery::new(body, &headers)
}
