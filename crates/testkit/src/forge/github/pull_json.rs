use serde_json::{Value, json};

use super::view::{api_url, node_id, repository, user};
use crate::forge::diff::{Change, FileDiff};
use crate::forge::model::pull::{Comment, Pull, PullState, Review, ReviewState, Thread};
use crate::forge::model::repository::Repository;
use crate::forge::model::state::State;
use crate::forge::model::time;

/// A pull request as lists show it.
pub(in crate::forge) fn simple(state: &State, into: &Repository, pull: &Pull) -> Value {
    let (api, html) = (api_url(state, into), format!("{}/{}", state.url, into.path));
    let number = pull.number;
    let (one, issue) = (format!("{api}/pulls/{number}"), format!("{api}/issues/{number}"));
    let page = format!("{html}/pull/{number}");
    let statuses = format!("{api}/statuses/{}", pull.head_sha);
    let href = |url: &str| json!({ "href": url });
    json!({
        "url": one,
        "id": pull.id,
        "node_id": node_id("PR", pull.id),
        "html_url": page,
        "diff_url": format!("{page}.diff"),
        "patch_url": format!("{page}.patch"),
        "issue_url": issue,
        "number": number,
        "state": if pull.is_open() { "open" } else { "closed" },
        "locked": false,
        "title": pull.title,
        "user": user(&state.url, &pull.author),
        "body": pull.body,
        "created_at": time::seconds(pull.created_at),
        "updated_at": time::seconds(pull.updated_at),
        "closed_at": pull.closed_at.map(time::seconds),
        "merged_at": pull.closed_at.filter(|_| pull.state == PullState::Merged).map(time::seconds),
        "merge_commit_sha": pull.merge_commit,
        "assignee": null,
        "assignees": [],
        "requested_reviewers": [],
        "requested_teams": [],
        "labels": pull.labels.iter().map(|label| self::label(&api, label)).collect::<Vec<_>>(),
        "milestone": null,
        "draft": pull.draft,
        "commits_url": format!("{one}/commits"),
        "review_comments_url": format!("{one}/comments"),
        "review_comment_url": format!("{api}/pulls/comments{{/number}}"),
        "comments_url": format!("{issue}/comments"),
        "statuses_url": statuses,
        "head": end(state, state.repository(&pull.head_repository), &pull.head_branch, &pull.head_sha),
        "base": end(state, Some(into), &pull.base_branch, &pull.base_sha),
        "_links": {
            "self": href(&one),
            "html": href(&page),
            "issue": href(&issue),
            "comments": href(&format!("{issue}/comments")),
            "review_comments": href(&format!("{one}/comments")),
            "review_comment": href(&format!("{api}/pulls/comments{{/number}}")),
            "commits": href(&format!("{one}/commits")),
            "statuses": href(&statuses),
        },
        "author_association": association(into, &pull.author.login),
        "auto_merge": null,
        "active_lock_reason": null,
    })
}

/// A pull request as it is when asked for by number.
pub(in crate::forge) fn full(state: &mut State, path: &str, number: u64) -> Value {
    let files = state.repository_mut(path).map(|repository| repository.diff_of(number)).unwrap_or_default();
    let (Some(into), Some(pull)) =
        (state.repository(path), state.repository(path).and_then(|repository| repository.pull(number)))
    else {
        return Value::Null;
    };
    let value = simple(state, into, pull);
    let version = pull.version();
    let merged = pull.state == PullState::Merged;
    let more = json!({
        "merged": merged,
        "mergeable": pull.is_open().then_some(true),
        "rebaseable": pull.is_open().then_some(true),
        "mergeable_state": if pull.is_open() { "clean" } else { "unknown" },
        "merged_by": merged.then(|| user(&state.url, &pull.author)),
        "comments": pull.comments.len(),
        "review_comments": pull.inline_comments().len(),
        "maintainer_can_modify": pull.is_from_fork(path),
        "commits": into.bare.commits(&version.base, &version.head).len(),
        "additions": files.iter().map(|file| file.additions).sum::<usize>(),
        "deletions": files.iter().map(|file| file.deletions).sum::<usize>(),
        "changed_files": files.len(),
    });
    crate::forge::answer::merged(value, more)
}

fn end(state: &State, of: Option<&Repository>, branch: &str, sha: &str) -> Value {
    let Some(of) = of else {
        // The fork is gone; its name goes with it.
        return json!({ "label": format!("unknown:{branch}"), "ref": branch, "sha": sha, "user": null, "repo": null });
    };
    json!({
        "label": format!("{}:{branch}", of.owner()),
        "ref": branch,
        "sha": sha,
        "user": super::view::owner(state, of),
        "repo": repository(state, of),
    })
}

fn label(api: &str, name: &str) -> Value {
    json!({
        "id": 1, "node_id": node_id("LA", 1), "url": format!("{api}/labels/{name}"), "name": name,
        "description": null, "color": "ededed", "default": false,
    })
}

fn association(repository: &Repository, login: &str) -> &'static str {
    if repository.owner() == login { "OWNER" } else { "CONTRIBUTOR" }
}

pub(in crate::forge) fn comment(state: &State, of: &Repository, pull: &Pull, comment: &Comment) -> Value {
    let (api, html) = (api_url(state, of), format!("{}/{}", state.url, of.path));
    json!({
        "id": comment.id,
        "node_id": node_id("IC", comment.id),
        "url": format!("{api}/issues/comments/{}", comment.id),
        "html_url": format!("{html}/pull/{}#issuecomment-{}", pull.number, comment.id),
        "issue_url": format!("{api}/issues/{}", pull.number),
        "user": user(&state.url, &comment.author),
        "created_at": time::seconds(comment.created_at),
        "updated_at": time::seconds(comment.updated_at),
        "author_association": association(of, &comment.author.login),
        "body": comment.body,
        "performed_via_github_app": null,
    })
}

pub(in crate::forge) fn review(state: &State, of: &Repository, pull: &Pull, review: &Review) -> Value {
    let (one, html) = pull_urls(state, of, pull);
    let page = format!("{html}#pullrequestreview-{}", review.id);
    let mut value = json!({
        "id": review.id,
        "node_id": node_id("PRR", review.id),
        "user": user(&state.url, &review.author),
        "body": review.body,
        "state": match review.state {
            ReviewState::Pending => "PENDING",
            ReviewState::Commented => "COMMENTED",
            ReviewState::Approved => "APPROVED",
            ReviewState::ChangesRequested => "CHANGES_REQUESTED",
            ReviewState::Dismissed => "DISMISSED",
        },
        "html_url": page,
        "pull_request_url": one,
        "author_association": association(of, &review.author.login),
        "_links": { "html": { "href": page }, "pull_request": { "href": one } },
        "commit_id": review.commit,
    });
    if let Some(at) = review.submitted_at {
        value["submitted_at"] = json!(time::seconds(at));
    }
    value
}

fn pull_urls(state: &State, of: &Repository, pull: &Pull) -> (String, String) {
    let api = format!("{}/pulls/{}", api_url(state, of), pull.number);
    (api, format!("{}/{}/pull/{}", state.url, of.path, pull.number))
}

/// A comment on a line. What is outdated has no line and no position any more, only its original ones.
pub(in crate::forge) fn inline(
    state: &State,
    of: &Repository,
    pull: &Pull,
    thread: &Thread,
    comment: &Comment,
) -> Value {
    let (one, html) = pull_urls(state, of, pull);
    let url = format!("{}/pulls/comments/{}", api_url(state, of), comment.id);
    let page = format!("{html}#discussion_r{}", comment.id);
    let mut value = json!({
        "url": url,
        "pull_request_review_id": comment.review,
        "id": comment.id,
        "node_id": node_id("PRRC", comment.id),
        "user": user(&state.url, &comment.author),
        "body": comment.body,
        "created_at": time::seconds(comment.created_at),
        "updated_at": time::seconds(comment.updated_at),
        "html_url": page,
        "pull_request_url": one,
        "author_association": association(of, &comment.author.login),
        "_links": { "self": { "href": url }, "html": { "href": page }, "pull_request": { "href": one } },
    });
    if let Some(anchor) = &thread.anchor {
        value["diff_hunk"] = json!(anchor.diff_hunk);
        value["path"] = json!(anchor.path);
        value["commit_id"] = json!(anchor.commit);
        value["original_commit_id"] = json!(anchor.original_commit);
        value["line"] = json!(anchor.line);
        value["original_line"] = json!(anchor.original_line);
        value["side"] = json!(anchor.side.name());
        value["start_line"] = json!(anchor.start.map(|(_, line)| line));
        value["original_start_line"] = json!(anchor.original_start.map(|(_, line)| line));
        value["start_side"] = json!(anchor.original_start.map(|(side, _)| side.name()));
        value["position"] = json!(anchor.line.map(|_| anchor.position));
        value["original_position"] = json!(anchor.position);
        value["subject_type"] = json!("line");
    }
    if let Some(first) = thread.comments.first().filter(|first| first.id != comment.id) {
        value["in_reply_to_id"] = json!(first.id);
    }
    value
}

pub(in crate::forge) fn file(
    state: &State,
    of: &Repository,
    head: &str,
    file: &FileDiff,
    longest_patch: usize,
) -> Value {
    let (api, html) = (api_url(state, of), format!("{}/{}", state.url, of.path));
    let (name, changes) = (&file.new_path, file.additions + file.deletions);
    let removed = file.change == Change::Removed;
    let mut value = json!({
        "sha": if removed { &file.old_sha } else { &file.new_sha },
        "filename": name,
        "status": match file.change {
            Change::Added => "added",
            Change::Removed => "removed",
            Change::Modified => "modified",
            Change::Renamed => "renamed",
        },
        "additions": file.additions,
        "deletions": file.deletions,
        "changes": changes,
        "blob_url": format!("{html}/blob/{head}/{}", escaped(name)),
        "raw_url": format!("{html}/raw/{head}/{}", escaped(name)),
        "contents_url": format!("{api}/contents/{}?ref={head}", escaped(name)),
    });
    if !file.patch.is_empty() && file.lines() <= longest_patch {
        value["patch"] = json!(file.patch);
    }
    if file.change == Change::Renamed {
        value["previous_filename"] = json!(file.old_path);
    }
    value
}

fn escaped(path: &str) -> String {
    let escape =
        |part| percent_encoding::utf8_percent_encode(part, percent_encoding::NON_ALPHANUMERIC).to_string();
    path.split('/').map(escape).collect::<Vec<_>>().join("/")
}
