//! As much of GraphQL as a client of the REST API cannot do without: threads and whether they are resolved, and
//! hiding comments. The query's text decides which it is; values may be in the text or in variables.

use serde_json::{Value, json};

use super::{Api, drafts, errors, view};
use crate::forge::answer::{Answer, Outcome};
use crate::forge::model::account::{Caller, Rights, User};
use crate::forge::model::pull::{Comment, Pull, Thread};

pub(super) fn answer(api: &mut Api<'_>) -> Outcome {
    if matches!(api.caller, Caller::Nobody) {
        return Err(errors::plain(401, "This endpoint requires you to be authenticated."));
    }
    let Some(query) = api.call.text("query").map(str::to_owned) else {
        return Err(errors::plain(400, "A query attribute must be specified and must be a string."));
    };
    let data = fields(api, &query);
    // GraphQL answers 200 even when it refuses.
    Ok(match data {
        Ok(data) => Answer::json(200, &json!({ "data": data })),
        Err(error) => Answer::json(200, &json!({ "data": null, "errors": [error] })),
    })
}

/// The longer names first: each contains one of the shorter.
fn fields(api: &mut Api<'_>, query: &str) -> Result<Value, Value> {
    for field in ["unresolveReviewThread", "resolveReviewThread"] {
        if query.contains(field) {
            return resolve(api, query, field);
        }
    }
    for field in ["unminimizeComment", "minimizeComment"] {
        if query.contains(field) {
            return minimize(api, query, field);
        }
    }
    if query.contains("addPullRequestReviewThread") {
        return drafts::add_thread(api);
    }
    if query.contains("reviewThreads") {
        return threads(api, query);
    }
    if query.contains("viewer") {
        return Ok(json!({ "viewer": { "login": api.caller.user().login } }));
    }
    Err(json!({ "message": "Field is not known to this server" }))
}

/// A value from the variables, wherever in them, or as a literal in the query.
fn argument(api: &Api<'_>, query: &str, name: &str) -> Option<Value> {
    fn within(value: &Value, name: &str) -> Option<Value> {
        let object = value.as_object()?;
        object.get(name).cloned().or_else(|| object.values().find_map(|inner| within(inner, name)))
    }
    if let Some(value) = within(&api.call.json["variables"], name) {
        return Some(value);
    }
    let mut rest = query;
    while let Some(at) = rest.find(name) {
        let before = rest[..at].chars().next_back();
        rest = &rest[at + name.len()..];
        let Some(literal) = rest.trim_start().strip_prefix(':') else { continue };
        let literal = literal.trim_start();
        if before.is_some_and(|before| before.is_alphanumeric() || before == '$') {
            continue;
        }
        if let Some(text) = literal.strip_prefix('"') {
            return text.split('"').next().map(Value::from);
        }
        if let Some(variable) = literal.strip_prefix('$') {
            let end = variable
                .find(|letter: char| !letter.is_alphanumeric() && letter != '_')
                .unwrap_or(variable.len());
            return api.call.json["variables"].get(&variable[..end]).cloned();
        }
        let end =
            literal.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(literal.len());
        let word = &literal[..end];
        return Some(word.parse::<u64>().map_or_else(|_| Value::from(word), Value::from));
    }
    None
}

fn not_found(what: &str) -> Value {
    json!({ "type": "NOT_FOUND", "message": format!("Could not resolve to a node with the global id of '{what}'") })
}

fn forbidden() -> Value {
    json!({ "type": "FORBIDDEN", "message": "Resource not accessible by personal access token" })
}

fn number_of(node: &str, kind: &str) -> Option<u64> {
    node.strip_prefix(kind)?.strip_prefix('_')?.parse().ok()
}

fn resolve(api: &mut Api<'_>, query: &str, field: &str) -> Result<Value, Value> {
    let node =
        argument(api, query, "threadId").and_then(|id| id.as_str().map(str::to_owned)).unwrap_or_default();
    let id = number_of(&node, "PRRT").ok_or_else(|| not_found(&node))?;
    let (me, url) = (api.caller.user(), api.state.url.clone());
    let caller = api.caller.clone();
    for repository in &mut api.state.repositories {
        let path = repository.path.clone();
        let mut threads = repository.pulls.iter_mut().flat_map(|pull| &mut pull.threads);
        let Some(thread) = threads.find(|thread| thread.id == id) else { continue };
        if caller.rights_in(&path) < Rights::Write {
            return Err(forbidden());
        }
        thread.resolved_by = (field == "resolveReviewThread").then_some(me);
        return Ok(json!({ field: { "thread": thread_json(&url, thread, &[]), "clientMutationId": null } }));
    }
    Err(not_found(&node))
}

fn minimize(api: &mut Api<'_>, query: &str, field: &str) -> Result<Value, Value> {
    let node =
        argument(api, query, "subjectId").and_then(|id| id.as_str().map(str::to_owned)).unwrap_or_default();
    let classifier = argument(api, query, "classifier").and_then(|word| word.as_str().map(str::to_owned));
    let known = ["ABUSE", "DUPLICATE", "LOW_QUALITY", "OFF_TOPIC", "OUTDATED", "RESOLVED", "SPAM"];
    let reason = match (field, classifier) {
        ("unminimizeComment", _) => None,
        (_, Some(word)) if known.contains(&word.as_str()) => Some(word),
        _ => {
            return Err(
                json!({ "message": "Argument 'classifier' on InputObject 'MinimizeCommentInput' is required." }),
            );
        }
    };
    let id = number_of(&node, "IC").or_else(|| number_of(&node, "PRRC")).ok_or_else(|| not_found(&node))?;
    let caller = api.caller.clone();
    for repository in &mut api.state.repositories {
        let path = repository.path.clone();
        let mut comments = repository.pulls.iter_mut().flat_map(all_comments);
        let Some(comment) = comments.find(|comment| comment.id == id) else { continue };
        if caller.rights_in(&path) < Rights::Write {
            return Err(forbidden());
        }
        comment.minimized.clone_from(&reason);
        let shown = json!({
            "isMinimized": reason.is_some(),
            "minimizedReason": reason.map(|reason| reason.to_lowercase().replace('_', "-")),
        });
        return Ok(json!({ field: { "minimizedComment": shown, "unminimizedComment": shown } }));
    }
    Err(not_found(&node))
}

fn all_comments(pull: &mut Pull) -> impl Iterator<Item = &mut Comment> {
    let inline = pull.threads.iter_mut().flat_map(|thread| &mut thread.comments);
    pull.comments.iter_mut().chain(inline)
}

fn threads(api: &mut Api<'_>, query: &str) -> Result<Value, Value> {
    let text = |name: &str| argument(api, query, name).and_then(|value| value.as_str().map(str::to_owned));
    let number = argument(api, query, "number")
        .or_else(|| argument(api, query, "pullNumber"))
        .and_then(|value| value.as_u64());
    let owner = text("owner").unwrap_or_default();
    let name = text("name").or_else(|| text("repo")).unwrap_or_default();
    let path = format!("{owner}/{name}");
    let missing = || json!({ "type": "NOT_FOUND", "path": ["repository"], "message": format!("Could not resolve to a Repository with the name '{path}'.") });
    if api.enter(&path, Rights::Read).is_err() {
        return Err(missing());
    }
    let text = |name: &str| argument(api, query, name).and_then(|value| value.as_str().map(str::to_owned));
    let repository = api.state.repository(&path).ok_or_else(missing)?;
    let pull = number.and_then(|number| repository.pull(number)).ok_or_else(|| {
        json!({ "type": "NOT_FOUND", "path": ["repository", "pullRequest"], "message": "Could not resolve to a PullRequest." })
    })?;
    let first = argument(api, query, "first").and_then(|value| value.as_u64()).unwrap_or(100) as usize;
    let after = ["after", "cursor"].iter().find_map(|name| text(name)).and_then(|cursor| cursor.parse().ok());
    let start: usize = after.unwrap_or(0);
    let me = api.caller.user();
    let is_listed = |thread: &&Thread| thread.anchor.is_some() && drafts::is_shown(pull, thread, &me);
    let inline: Vec<&Thread> = pull.threads.iter().filter(is_listed).collect();
    let page: Vec<&&Thread> = inline.iter().skip(start).take(first).collect();
    let nodes: Vec<Value> =
        page.iter().map(|thread| thread_json(&api.state.url, thread, &thread.comments)).collect();
    let end = start + page.len();
    let info = json!({ "hasNextPage": end < inline.len(), "endCursor": end.to_string() });
    let threads = json!({ "totalCount": inline.len(), "pageInfo": info, "nodes": nodes });
    Ok(
        json!({ "repository": { "pullRequest": { "id": view::node_id("PR", pull.id), "reviewThreads": threads } } }),
    )
}

fn thread_json(url: &str, thread: &Thread, comments: &[Comment]) -> Value {
    let anchor = thread.anchor.as_ref();
    json!({
        "id": view::node_id("PRRT", thread.id),
        "isResolved": thread.is_resolved(),
        "isOutdated": anchor.is_some_and(crate::forge::model::anchor::Anchor::is_outdated),
        "path": anchor.map(|anchor| anchor.path.clone()),
        "line": anchor.and_then(|anchor| anchor.line),
        "originalLine": anchor.map(|anchor| anchor.original_line),
        "startLine": anchor.and_then(|anchor| anchor.start.map(|(_, line)| line)),
        "diffSide": anchor.map(|anchor| anchor.side.name()),
        "resolvedBy": thread.resolved_by.as_ref().map(|user| json!({ "login": user.login })),
        "comments": {
            "totalCount": comments.len(),
            "pageInfo": { "hasNextPage": false, "endCursor": null },
            "nodes": comments.iter().map(|comment| comment_json(url, comment)).collect::<Vec<_>>(),
        },
    })
}

fn comment_json(url: &str, comment: &Comment) -> Value {
    let User { login, .. } = &comment.author;
    json!({
        "id": view::node_id("PRRC", comment.id),
        "databaseId": comment.id,
        "fullDatabaseId": comment.id.to_string(),
        "body": comment.body,
        "author": { "login": login.trim_end_matches("[bot]") },
        "isMinimized": comment.minimized.is_some(),
        "url": format!("{url}/comments/{}", comment.id),
    })
}
