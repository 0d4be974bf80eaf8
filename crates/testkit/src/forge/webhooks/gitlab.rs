use serde_json::{Value, json};

use super::{Delivery, PullAction};
use crate::forge::Forge;
use crate::forge::answer::merged;
use crate::forge::gitlab::view;
use crate::forge::model::repository::Repository;
use crate::forge::model::state::State;

impl Forge {
    /// GitLab's merge request event about a merge request as it is now. GitLab sends its token as it is.
    pub fn gitlab_webhook(&self, path: &str, number: u64, action: PullAction, token: &str) -> Delivery {
        let mut state = self.inner.state();
        state.sync(path);
        let body = payload(&state, path, number, action).to_string();
        let headers = [
            ("user-agent", "GitLab/18.5.0"),
            ("x-gitlab-event", "Merge Request Hook"),
            ("x-gitlab-token", token),
            ("x-gitlab-instance", &state.url),
            ("x-gitlab-event-uuid", "13792a34-cac6-4fda-95a8-c58e00a3954e"),
        ];
        Delivery::new(body, &headers)
    }
}

fn payload(state: &State, path: &str, number: u64, action: PullAction) -> Value {
    let into = state.repository(path).expect("the repository is there");
    let pull = into.pull(number).expect("the merge request is there");
    let from = state.repository(&pull.head_repository).unwrap_or(into);
    let commit = into.bare.commit(&pull.head_sha).map(|commit| {
        json!({
            "id": commit.sha,
            "message": commit.message,
            "title": commit.message.lines().next(),
            "timestamp": view::commit(state, into, &commit)["committed_date"],
            "url": format!("{}/-/commit/{}", view::web_url(state, into), commit.sha),
            "author": { "name": commit.author, "email": commit.email },
        })
    });
    let (name, before) = match action {
        PullAction::Opened => ("open", None),
        PullAction::Reopened => ("reopen", None),
        PullAction::Closed => ("close", None),
        PullAction::Synchronize => {
            ("update", pull.versions.iter().rev().nth(1).map(|version| version.head.clone()))
        }
    };
    let shown = view::merge_request(state, into, pull);
    let mut attributes = json!({
        "id": pull.id,
        "iid": number,
        "title": shown["title"],
        "description": shown["description"],
        "state": shown["state"],
        "action": name,
        "author_id": pull.author.id,
        "source_branch": pull.head_branch,
        "target_branch": pull.base_branch,
        "source_project_id": from.id,
        "target_project_id": into.id,
        "created_at": shown["created_at"],
        "updated_at": shown["updated_at"],
        "merge_status": "can_be_merged",
        "detailed_merge_status": shown["detailed_merge_status"],
        "merge_commit_sha": pull.merge_commit,
    });
    if let Some(before) = before {
        attributes["oldrev"] = json!(before);
    }
    let more = json!({
        "url": shown["web_url"],
        "draft": pull.draft,
        "work_in_progress": pull.draft,
        "source": project(state, from),
        "target": project(state, into),
        "last_commit": commit,
        "labels": [],
        "blocking_discussions_resolved": shown["blocking_discussions_resolved"],
    });
    json!({
        "object_kind": "merge_request",
        "event_type": "merge_request",
        "user": {
            "id": pull.author.id, "name": pull.author.login, "username": pull.author.login, "avatar_url": null,
            "email": "[REDACTED]",
        },
        "project": project(state, into),
        "object_attributes": merged(attributes, more),
        "labels": [],
        "changes": {},
        "repository": {
            "name": into.name(), "url": format!("git@127.0.0.1:{path}.git"), "description": "",
            "homepage": view::web_url(state, into),
        },
    })
}

fn project(state: &State, of: &Repository) -> Value {
    let shown = view::project(state, of);
    json!({
        "id": of.id,
        "name": of.name(),
        "description": null,
        "web_url": shown["web_url"],
        "avatar_url": null,
        "git_ssh_url": shown["ssh_url_to_repo"],
        "git_http_url": shown["http_url_to_repo"],
        "namespace": of.owner(),
        "visibility_level": 0,
        "path_with_namespace": of.path,
        "default_branch": of.default_branch,
        "ci_config_path": null,
        "homepage": shown["web_url"],
        "url": shown["ssh_url_to_repo"],
        "ssh_url": shown["ssh_url_to_repo"],
        "http_url": shown["http_url_to_repo"],
    })
}
