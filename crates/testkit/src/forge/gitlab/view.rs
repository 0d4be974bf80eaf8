use serde_json::{Value, json};
use sha1::{Digest as _, Sha1};

use crate::forge::answer::{hex, merged};
use crate::forge::bare::Commit;
use crate::forge::diff::{Change, FileDiff};
use crate::forge::model::account::User;
use crate::forge::model::anchor::{Anchor, DiffLine};
use crate::forge::model::pull::{Comment, Pull, PullState, Thread, Version};
use crate::forge::model::repository::{Repository, Visibility};
use crate::forge::model::state::State;
use crate::forge::model::time;

pub(in crate::forge) fn sha1(text: &str) -> String {
    hex(&Sha1::digest(text.as_bytes()))
}

/// Discussions are named by digests, also those of a single note.
pub(in crate::forge) fn discussion_id(id: u64) -> String {
    sha1(&format!("discussion {id}"))
}

pub(in crate::forge) fn user(state: &State, user: &User) -> Value {
    json!({
        "id": user.id,
        "username": user.login,
        "name": user.login,
        "state": "active",
        "locked": false,
        "avatar_url": format!("{}/avatars/{}", state.url, user.id),
        "web_url": format!("{}/{}", state.url, user.login),
    })
}

pub(in crate::forge) fn web_url(state: &State, repository: &Repository) -> String {
    format!("{}/{}", state.url, repository.path)
}

pub(in crate::forge) fn project(state: &State, repository: &Repository) -> Value {
    let url = web_url(state, repository);
    let at = time::millis(repository.created_at);
    let namespace = repository.owner();
    let mut value = json!({
        "id": repository.id,
        "description": null,
        "name": repository.name(),
        "name_with_namespace": repository.path.replace('/', " / "),
        "path": repository.name(),
        "path_with_namespace": repository.path,
        "created_at": at,
        "default_branch": repository.default_branch,
        "tag_list": [],
        "topics": [],
        "ssh_url_to_repo": format!("git@127.0.0.1:{}.git", repository.path),
        "http_url_to_repo": format!("{url}.git"),
        "web_url": url,
        "readme_url": format!("{url}/-/blob/{}/README.md", repository.default_branch),
        "forks_count": 0,
        "avatar_url": null,
        "star_count": 0,
        "last_activity_at": at,
        "namespace": {
            "id": repository.id + 500_000, "name": namespace, "path": namespace.rsplit('/').next(), "kind": "group",
            "full_path": namespace, "parent_id": null, "avatar_url": null, "web_url": format!("{}/{namespace}", state.url),
        },
        "visibility": if repository.visibility == Visibility::Private { "private" } else { "public" },
        "archived": false,
        "merge_method": "merge",
        "open_issues_count": 0,
        "permissions": { "project_access": { "access_level": 40, "notification_level": 3 }, "group_access": null },
    });
    if let Some(parent) = repository.parent.and_then(|id| state.repository_by_id(id)) {
        value["forked_from_project"] = project(state, parent);
    }
    value
}

pub(in crate::forge) fn commit(state: &State, repository: &Repository, commit: &Commit) -> Value {
    let at = time::millis(commit.at);
    json!({
        "id": commit.sha,
        "short_id": commit.sha.get(..8),
        "created_at": at,
        "parent_ids": commit.parents,
        "title": commit.message.lines().next(),
        "message": commit.message,
        "author_name": commit.author,
        "author_email": commit.email,
        "authored_date": at,
        "committer_name": commit.author,
        "committer_email": commit.email,
        "committed_date": at,
        "trailers": {},
        "extended_trailers": {},
        "web_url": format!("{}/-/commit/{}", web_url(state, repository), commit.sha),
    })
}

pub(in crate::forge) fn merge_request(state: &State, into: &Repository, pull: &Pull) -> Value {
    let source = state.repository(&pull.head_repository).map_or(into.id, |source| source.id);
    let version = pull.version();
    let closed = |wanted: PullState| pull.closed_at.filter(|_| pull.state == wanted).map(time::millis);
    let merged_by = (pull.state == PullState::Merged).then(|| user(state, &pull.author));
    let short = format!("!{}", pull.number);
    let references = json!({ "short": short, "relative": short, "full": format!("{}{short}", into.path) });
    let unresolved = pull.threads.iter().any(|thread| !thread.is_resolved());
    let value = json!({
        "id": pull.id,
        "iid": pull.number,
        "project_id": into.id,
        "title": if pull.draft { format!("Draft: {}", pull.title) } else { pull.title.clone() },
        "description": pull.body,
        "state": match pull.state {
            PullState::Open => "opened",
            PullState::Closed => "closed",
            PullState::Merged => "merged",
        },
        "created_at": time::millis(pull.created_at),
        "updated_at": time::millis(pull.updated_at),
        "merged_by": merged_by,
        "merge_user": merged_by,
        "merged_at": closed(PullState::Merged),
        "closed_by": null,
        "closed_at": closed(PullState::Closed),
        "target_branch": pull.base_branch,
        "source_branch": pull.head_branch,
        "user_notes_count": pull.comments.len() + pull.inline_comments().len(),
        "upvotes": 0,
        "downvotes": 0,
        "author": user(state, &pull.author),
        "assignees": [],
        "assignee": null,
        "reviewers": [],
        "source_project_id": source,
        "target_project_id": into.id,
    });
    let more = json!({
        "labels": pull.labels,
        "draft": pull.draft,
        "work_in_progress": pull.draft,
        "milestone": null,
        "merge_when_pipeline_succeeds": false,
        "merge_status": "can_be_merged",
        "detailed_merge_status": if pull.is_open() { "mergeable" } else { "not_open" },
        "sha": pull.head_sha,
        "merge_commit_sha": pull.merge_commit,
        "squash_commit_sha": null,
        "discussion_locked": null,
        "should_remove_source_branch": null,
        "force_remove_source_branch": false,
        "reference": short,
        "references": references,
        "web_url": format!("{}/-/merge_requests/{}", web_url(state, into), pull.number),
        "squash": false,
        "has_conflicts": false,
        "blocking_discussions_resolved": !unresolved,
        "diff_refs": { "base_sha": version.base, "head_sha": version.head, "start_sha": version.start },
    });
    merged(value, more)
}

pub(in crate::forge) fn version(pull: &Pull, version: &Version, files: usize) -> Value {
    json!({
        "id": version.id,
        "head_commit_sha": version.head,
        "base_commit_sha": version.base,
        "start_commit_sha": version.start,
        "created_at": time::millis(version.created_at),
        "merge_request_id": pull.id,
        "state": "collected",
        "real_size": files.to_string(),
        "patch_id_sha": sha1(&version.head),
    })
}

/// What is too large or collapsed has an empty diff.
pub(in crate::forge) fn diff(file: &FileDiff, longest: usize, largest: usize) -> Value {
    let too_large = file.patch.len() > largest;
    let collapsed = !too_large && file.lines() > longest;
    let diff = if file.patch.is_empty() || too_large || collapsed {
        String::new()
    } else {
        format!("{}\n", file.patch)
    };
    json!({
        "old_path": file.old_path,
        "new_path": file.new_path,
        "a_mode": file.old_mode.trim_start_matches(':'),
        "b_mode": file.new_mode,
        "new_file": file.change == Change::Added,
        "renamed_file": file.change == Change::Renamed,
        "deleted_file": file.change == Change::Removed,
        "generated_file": false,
        "collapsed": collapsed,
        "too_large": too_large,
        "diff": diff,
    })
}

/// What a note belongs to, which decides its type and what it shows.
#[derive(Debug, Clone, Copy)]
pub(in crate::forge) enum Place<'a> {
    Alone,
    In(&'a Thread),
}

pub(in crate::forge) fn note(
    state: &State,
    of: &Repository,
    pull: &Pull,
    place: Place<'_>,
    comment: &Comment,
) -> Value {
    let mut value = json!({
        "id": comment.id,
        "type": null,
        "body": comment.body,
        "attachment": null,
        "author": user(state, &comment.author),
        "created_at": time::millis(comment.created_at),
        "updated_at": time::millis(comment.updated_at),
        "system": false,
        "noteable_id": pull.id,
        "noteable_type": "MergeRequest",
        "project_id": of.id,
        "noteable_iid": pull.number,
        "resolvable": false,
        "confidential": false,
        "internal": false,
        "imported": false,
        "commands_changes": {},
    });
    let Place::In(thread) = place else { return value };
    value["type"] = json!("DiscussionNote");
    value["resolvable"] = json!(true);
    value["resolved"] = json!(thread.is_resolved());
    value["resolved_by"] = thread.resolved_by.as_ref().map_or(Value::Null, |by| user(state, by));
    if let Some(anchor) = &thread.anchor {
        value["type"] = json!("DiffNote");
        value["commit_id"] = json!(null);
        value["position"] = position(anchor);
    }
    value
}

/// As GitLab keeps it: of the version that was commented on.
fn position(anchor: &Anchor) -> Value {
    let version = &anchor.version;
    let end = |line: DiffLine, code: &str| {
        json!({
            "line_code": code,
            "type": if line.old.is_none() { json!("new") } else { json!("old") },
            "old_line": line.old,
            "new_line": line.new,
        })
    };
    let range = anchor.start_at.zip(anchor.codes.as_ref());
    let range = range
        .map(|(start, (first, last))| json!({ "start": end(start, first), "end": end(anchor.at, last) }));
    json!({
        "base_sha": version.base,
        "start_sha": version.start,
        "head_sha": version.head,
        "old_path": anchor.old_path,
        "new_path": anchor.path,
        "position_type": "text",
        "old_line": anchor.at.old,
        "new_line": anchor.at.new,
        "line_range": range,
    })
}

pub(in crate::forge) fn discussion(state: &State, of: &Repository, pull: &Pull, thread: &Thread) -> Value {
    let notes = thread.comments.iter().map(|comment| note(state, of, pull, Place::In(thread), comment));
    json!({
        "id": discussion_id(thread.id),
        "individual_note": false,
        "notes": notes.collect::<Vec<_>>(),
    })
}

pub(in crate::forge) fn single(state: &State, of: &Repository, pull: &Pull, comment: &Comment) -> Value {
    json!({
        "id": discussion_id(comment.id),
        "individual_note": true,
        "notes": [note(state, of, pull, Place::Alone, comment)],
    })
}
