use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{Api, errors, view};
use crate::forge::answer::{Answer, Outcome, hex};
use crate::forge::bare::Commit;
use crate::forge::model::account::{Caller, Rights};
use crate::forge::model::repository::{Repository, Visibility};
use crate::forge::model::state::State;

pub(super) fn me(api: &mut Api<'_>) -> Outcome {
    let Caller::Known { user, .. } = &api.caller else { return Err(errors::unauthorized()) };
    let mut value = view::user(api.state, user);
    value["email"] = json!(user.email);
    value["is_admin"] = json!(false);
    value["created_at"] = json!("2024-01-01T00:00:00.000Z");
    value["confirmed_at"] = json!("2024-01-01T00:00:00.000Z");
    let empty = ["bio", "location", "public_email", "website_url", "organization", "job_title"];
    empty.iter().for_each(|field| value[*field] = json!(""));
    ["last_sign_in_at", "last_activity_on"].iter().for_each(|field| value[*field] = Value::Null);
    Ok(Answer::json(200, &value))
}

pub(super) fn users(api: &mut Api<'_>) -> Outcome {
    let wanted = api.call.param("username");
    let users = api.state.users.iter().filter(|user| wanted.is_none_or(|name| user.login == name));
    let all: Vec<Value> = users.map(|user| view::user(api.state, user)).collect();
    Ok(api.list(&all))
}

pub(super) fn list(api: &mut Api<'_>) -> Outcome {
    let search = api.call.param("search").unwrap_or_default();
    let seen = |repository: &&Repository| {
        let rights = api.caller.rights_in(&repository.path);
        repository.visibility == Visibility::Public || rights >= Rights::Read
    };
    let found =
        api.state.repositories.iter().filter(seen).filter(|repository| repository.path.contains(search));
    let all: Vec<Value> = found.map(|repository| view::project(api.state, repository)).collect();
    if api.call.param("pagination") == Some("keyset") {
        return Ok(keyset(api, all));
    }
    Ok(api.list(&all))
}

/// Pages by the last number seen: the link is all there is to go by.
fn keyset(api: &Api<'_>, mut all: Vec<Value>) -> Answer {
    let (after, size) =
        (api.call.number("id_after").unwrap_or(0), api.call.number("per_page").unwrap_or(20).clamp(1, 100));
    all.retain(|project| project["id"].as_u64().is_some_and(|id| id > after as u64));
    let more = all.len() > size;
    all.truncate(size);
    let last = all.last().map(|project| project["id"].clone());
    let answer = Answer::json(200, &Value::Array(all));
    let Some(last) = last.filter(|_| more) else { return answer };
    let order = "order_by=id&sort=asc&pagination=keyset";
    let next = format!("{}{}?{order}&per_page={size}&id_after={last}", api.state.url, api.call.path);
    answer.with("link", format!("<{next}>; rel=\"next\""))
}

pub(super) fn get(api: &mut Api<'_>, path: &str) -> Outcome {
    Ok(Answer::json(200, &view::project(api.state, api.repository(path)?)))
}

fn branch_json(state: &State, repository: &Repository, name: &str, commit: &Commit) -> Value {
    let default = repository.default_branch == name;
    json!({
        "name": name,
        "commit": view::commit(state, repository, commit),
        "merged": false,
        "protected": default,
        "developers_can_push": false,
        "developers_can_merge": false,
        "can_push": true,
        "default": default,
        "web_url": format!("{}/-/tree/{name}", view::web_url(state, repository)),
    })
}

pub(super) fn branch(api: &mut Api<'_>, path: &str, name: &str) -> Outcome {
    let repository = api.repository(path)?;
    let commit = repository.bare.branch(name).and_then(|sha| repository.bare.commit(&sha));
    let commit = commit.ok_or_else(|| errors::named_not_found("Branch"))?;
    Ok(Answer::json(200, &branch_json(api.state, repository, name, &commit)))
}

pub(super) fn branches(api: &mut Api<'_>, path: &str) -> Outcome {
    let repository = api.repository(path)?;
    let search = api.call.param("search").unwrap_or_default();
    let mut all = Vec::new();
    for (name, sha) in repository.bare.references() {
        let Some(name) = name.strip_prefix("refs/heads/").filter(|name| name.contains(search)) else {
            continue;
        };
        if let Some(commit) = repository.bare.commit(&sha) {
            all.push(branch_json(api.state, repository, name, &commit));
        }
    }
    Ok(api.list(&all))
}

pub(super) fn commit(api: &mut Api<'_>, path: &str, sha: &str) -> Outcome {
    let repository = api.repository(path)?;
    let commit = repository.bare.commit_id(sha).and_then(|sha| repository.bare.commit(&sha));
    let commit = commit.ok_or_else(|| errors::named_not_found("Commit"))?;
    Ok(Answer::json(200, &view::commit(api.state, repository, &commit)))
}

fn content(api: &Api<'_>, path: &str, file: &str) -> Result<(String, String, Vec<u8>), Answer> {
    let repository = api.repository(path)?;
    let name = api.call.param("ref").unwrap_or(&repository.default_branch).to_owned();
    let name = if name == "HEAD" { repository.default_branch.clone() } else { name };
    let commit = repository.bare.commit_id(&name).ok_or_else(|| errors::named_not_found("Commit"))?;
    let content = repository.bare.blob(&commit, file).ok_or_else(|| errors::named_not_found("File"))?;
    Ok((name, commit, content))
}

pub(super) fn file(api: &mut Api<'_>, path: &str, file: &str) -> Outcome {
    let (name, commit, content) = content(api, path, file)?;
    let blob = api.repository(path)?.bare.reference(&format!("{commit}:{file}"));
    Ok(Answer::json(
        200,
        &json!({
            "file_name": file.rsplit('/').next(),
            "file_path": file,
            "size": content.len(),
            "encoding": "base64",
            "content": STANDARD.encode(&content),
            "content_sha256": hex(&Sha256::digest(&content)),
            "ref": name,
            "blob_id": blob,
            "commit_id": commit,
            "last_commit_id": commit,
            "execute_filemode": false,
        }),
    ))
}

pub(super) fn raw_file(api: &mut Api<'_>, path: &str, file: &str) -> Outcome {
    let (_, _, content) = content(api, path, file)?;
    let answer = Answer::text(200, "text/plain; charset=utf-8", "");
    Ok(Answer { body: content, ..answer })
}
