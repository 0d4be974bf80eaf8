use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::view::{self, api_url, node_id};
use super::{Api, errors, pull_json};
use crate::forge::answer::{Answer, Outcome};
use crate::forge::model::repository::Repository;
use crate::forge::model::state::State;

pub(super) fn get(api: &mut Api<'_>, path: &str) -> Outcome {
    let repository = api.state.repository(path).ok_or_else(errors::not_found)?;
    let mut value = view::repository(api.state, repository);
    value["subscribers_count"] = json!(0);
    if let Some(parent) = repository.parent.and_then(|id| api.state.repository_by_id(id)) {
        value["parent"] = view::repository(api.state, parent);
        value["source"] = view::repository(api.state, parent);
    }
    Ok(Answer::json(200, &value))
}

pub(super) fn branch(api: &mut Api<'_>, path: &str, name: &str) -> Outcome {
    let repository = api.state.repository(path).ok_or_else(errors::not_found)?;
    let commit = repository.bare.branch(name).and_then(|sha| repository.bare.commit(&sha));
    let commit = commit.ok_or_else(|| errors::plain(404, "Branch not found"))?;
    let url = format!("{}/branches/{name}", api_url(api.state, repository));
    let page = format!("{}/{path}/tree/{name}", api.state.url);
    Ok(Answer::json(
        200,
        &json!({
            "name": name,
            "commit": view::commit(api.state, repository, &commit),
            "_links": { "self": url, "html": page },
            "protected": false,
            "protection": { "enabled": false },
            "protection_url": format!("{url}/protection"),
        }),
    ))
}

pub(super) fn branches(api: &mut Api<'_>, path: &str) -> Outcome {
    let repository = api.state.repository(path).ok_or_else(errors::not_found)?;
    let url = api_url(api.state, repository);
    let all: Vec<Value> = repository
        .bare
        .references()
        .iter()
        .filter_map(|(name, sha)| Some((name.strip_prefix("refs/heads/")?, sha)))
        .map(|(name, sha)| {
            let commit = json!({ "sha": sha, "url": format!("{url}/commits/{sha}") });
            json!({ "name": name, "commit": commit, "protected": false })
        })
        .collect();
    Ok(api.list(&all))
}

fn reference_json(state: &State, repository: &Repository, name: &str, sha: &str) -> Value {
    let url = api_url(state, repository);
    json!({
        "ref": name,
        "node_id": node_id("REF", repository.id),
        "url": format!("{url}/git/{name}"),
        "object": { "type": "commit", "sha": sha, "url": format!("{url}/git/commits/{sha}") },
    })
}

pub(super) fn reference(api: &mut Api<'_>, path: &str, name: &str) -> Outcome {
    let repository = api.state.repository(path).ok_or_else(errors::not_found)?;
    let name = format!("refs/{name}");
    let sha = repository.bare.reference(&name).ok_or_else(errors::not_found)?;
    Ok(Answer::json(200, &reference_json(api.state, repository, &name, &sha)))
}

pub(super) fn matching(api: &mut Api<'_>, path: &str, name: &str) -> Outcome {
    let repository = api.state.repository(path).ok_or_else(errors::not_found)?;
    let start = format!("refs/{name}");
    let all: Vec<Value> = repository
        .bare
        .references()
        .iter()
        .filter(|(name, _)| name.starts_with(&start))
        .map(|(name, sha)| reference_json(api.state, repository, name, sha))
        .collect();
    Ok(api.list(&all))
}

pub(super) fn create_reference(api: &mut Api<'_>, path: &str) -> Outcome {
    let (name, sha) = (
        api.call.text("ref").unwrap_or_default().to_owned(),
        api.call.text("sha").unwrap_or_default().to_owned(),
    );
    let repository = api.state.repository(path).ok_or_else(errors::not_found)?;
    if !name.starts_with("refs/") || name.matches('/').count() < 2 {
        return Err(errors::plain(
            422,
            "Reference name must start with 'refs/' and have at least two slashes",
        ));
    }
    if repository.bare.reference(&name).is_some() {
        return Err(errors::plain(422, "Reference already exists"));
    }
    let known = repository.bare.commit_id(&sha).filter(|whole| *whole == sha);
    let sha = known.ok_or_else(|| errors::plain(422, "Object does not exist"))?;
    repository.bare.git(&["update-ref", &name, &sha]);
    Ok(Answer::json(201, &reference_json(api.state, repository, &name, &sha)))
}

pub(super) fn delete_reference(api: &mut Api<'_>, path: &str, name: &str) -> Outcome {
    let repository = api.state.repository(path).ok_or_else(errors::not_found)?;
    let name = format!("refs/{name}");
    repository.bare.reference(&name).ok_or_else(|| errors::plain(422, "Reference does not exist"))?;
    repository.bare.delete_reference(&name);
    Ok(Answer::empty(204))
}

pub(super) fn commit(api: &mut Api<'_>, path: &str, name: &str) -> Outcome {
    let repository = api.state.repository(path).ok_or_else(errors::not_found)?;
    let sha = repository.bare.commit_id(name);
    let commit = sha.and_then(|sha| repository.bare.commit(&sha));
    let commit = commit.ok_or_else(|| errors::plain(422, &format!("No commit found for SHA: {name}")))?;
    Ok(Answer::json(200, &view::commit(api.state, repository, &commit)))
}

pub(super) fn compare(api: &mut Api<'_>, path: &str, range: &str) -> Outcome {
    let (base, head) = range.split_once("...").ok_or_else(errors::not_found)?;
    let limits = api.state.limits;
    let repository = api.state.repository_mut(path).ok_or_else(errors::not_found)?;
    let base = repository.bare.commit_id(base).ok_or_else(errors::not_found)?;
    let head = repository.bare.commit_id(head).ok_or_else(errors::not_found)?;
    let fork = repository.bare.merge_base(&base, &head).ok_or_else(errors::not_found)?;
    let files = repository.diff_between((fork.clone(), head.clone()));
    let repository = api.state.repository(path).ok_or_else(errors::not_found)?;
    let (ahead, behind) = (repository.bare.commits(&base, &head), repository.bare.commits(&head, &base));
    let (url, page) = (api_url(api.state, repository), format!("{}/{path}/compare/{range}", api.state.url));
    let commit =
        |sha: &str| repository.bare.commit(sha).map(|commit| view::commit(api.state, repository, &commit));
    let files = files.iter().take(limits.diff_files);
    Ok(Answer::json(
        200,
        &json!({
            "url": format!("{url}/compare/{range}"),
            "html_url": page,
            "permalink_url": page,
            "diff_url": format!("{page}.diff"),
            "patch_url": format!("{page}.patch"),
            "base_commit": commit(&base),
            "merge_base_commit": commit(&fork),
            "status": match (ahead.is_empty(), behind.is_empty()) {
                (true, true) => "identical",
                (false, true) => "ahead",
                (true, false) => "behind",
                (false, false) => "diverged",
            },
            "ahead_by": ahead.len(),
            "behind_by": behind.len(),
            "total_commits": ahead.len(),
            "commits": ahead.iter().map(|commit| view::commit(api.state, repository, commit)).collect::<Vec<_>>(),
            "files": files
                .map(|file| pull_json::file(api.state, repository, &head, file, limits.patch_lines))
                .collect::<Vec<_>>(),
        }),
    ))
}

pub(super) fn contents(api: &mut Api<'_>, path: &str, file: &str) -> Outcome {
    let repository = api.state.repository(path).ok_or_else(errors::not_found)?;
    let name = api.call.param("ref").unwrap_or(&repository.default_branch);
    let name = name.strip_prefix("refs/heads/").unwrap_or(name);
    let commit = repository
        .bare
        .commit_id(name)
        .ok_or_else(|| errors::plain(404, &format!("No commit found for the ref {name}")))?;
    if let Some(content) = repository.bare.blob(&commit, file) {
        if api.accepts("raw") || api.accepts("raw+json") {
            let answer = Answer::text(200, "application/vnd.github.raw; charset=utf-8", "");
            return Ok(Answer { body: content, ..answer });
        }
        return Ok(Answer::json(200, &file_json(api.state, repository, name, &commit, file, &content)));
    }
    let entries = repository.bare.tree(&commit, file).ok_or_else(errors::not_found)?;
    let url = api_url(api.state, repository);
    let entry = |(entry, kind, sha): &(String, String, String)| {
        let whole = if file.is_empty() { entry.clone() } else { format!("{file}/{entry}") };
        let kind = if kind == "tree" { "dir" } else { "file" };
        json!({ "name": entry, "path": whole, "sha": sha, "type": kind, "url": format!("{url}/contents/{whole}?ref={name}") })
    };
    Ok(Answer::json(200, &Value::Array(entries.iter().map(entry).collect())))
}

fn file_json(
    state: &State,
    repository: &Repository,
    name: &str,
    commit: &str,
    file: &str,
    content: &[u8],
) -> Value {
    let (url, html) = (api_url(state, repository), format!("{}/{}", state.url, repository.path));
    let sha = repository.bare.reference(&format!("{commit}:{file}")).unwrap_or_default();
    let (one, blob) = (format!("{url}/contents/{file}?ref={name}"), format!("{url}/git/blobs/{sha}"));
    let page = format!("{html}/blob/{name}/{file}");
    // GitHub breaks the text after 60 characters.
    let encoded = STANDARD.encode(content);
    let lines: Vec<&str> =
        (0..encoded.len()).step_by(60).map(|at| &encoded[at..(at + 60).min(encoded.len())]).collect();
    json!({
        "type": "file",
        "encoding": "base64",
        "size": content.len(),
        "name": file.rsplit('/').next(),
        "path": file,
        "content": format!("{}\n", lines.join("\n")),
        "sha": sha,
        "url": one,
        "git_url": blob,
        "html_url": page,
        "download_url": format!("{html}/raw/{name}/{file}"),
        "_links": { "git": blob, "self": one, "html": page },
    })
}
