use serde_json::{Value, json};

use super::{Api, errors, view};
use crate::forge::answer::{Answer, Outcome};

/// Every file of the merge request.
fn files(api: &mut Api<'_>, path: &str, number: u64) -> Result<Vec<Value>, Answer> {
    let limits = api.state.limits;
    let repository = api.state.repository_mut(path).ok_or_else(errors::no_project)?;
    let files = repository.diff_of(number);
    Ok(files.iter().map(|file| view::diff(file, limits.patch_lines, limits.patch_bytes)).collect())
}

pub(super) fn diffs(api: &mut Api<'_>, path: &str, number: u64) -> Outcome {
    let all = files(api, path, number)?;
    Ok(api.list(&all))
}

/// Everything at once. What was left out for its size comes only when asked for as raw diffs.
pub(super) fn changes(api: &mut Api<'_>, path: &str, number: u64) -> Outcome {
    let all = files(api, path, number)?;
    let overflow = all.iter().any(|file| file["too_large"] == true || file["collapsed"] == true);
    let mut value = view::merge_request(api.state, api.repository(path)?, api.pull(path, number)?);
    value["changes_count"] = json!(all.len().to_string());
    value["changes"] = json!(all);
    value["overflow"] = json!(overflow);
    Ok(Answer::json(200, &value))
}

pub(super) fn raw_diffs(api: &mut Api<'_>, path: &str, number: u64) -> Outcome {
    let version = api.pull(path, number)?.version().clone();
    let body = api.repository(path)?.bare.patch(&version.base, &version.head);
    Ok(Answer { body, ..Answer::text(200, "text/plain", "") })
}

pub(super) fn commits(api: &mut Api<'_>, path: &str, number: u64) -> Outcome {
    let repository = api.repository(path)?;
    let version = api.pull(path, number)?.version();
    let mut commits = repository.bare.commits(&version.base, &version.head);
    commits.reverse();
    let all: Vec<Value> = commits.iter().map(|commit| view::commit(api.state, repository, commit)).collect();
    Ok(api.list(&all))
}

/// The newest first.
pub(super) fn versions(api: &mut Api<'_>, path: &str, number: u64) -> Outcome {
    let pull = api.pull(path, number)?.clone();
    let mut all = Vec::new();
    for version in pull.versions.iter().rev() {
        let repository = api.state.repository_mut(path).ok_or_else(errors::no_project)?;
        let files = repository.diff_between((version.base.clone(), version.head.clone()));
        all.push(view::version(&pull, version, files.len()));
    }
    Ok(api.list(&all))
}

pub(super) fn version(api: &mut Api<'_>, path: &str, number: u64, id: &str) -> Outcome {
    let limits = api.state.limits;
    let pull = api.pull(path, number)?.clone();
    let version =
        pull.versions.iter().find(|version| version.id.to_string() == id).ok_or_else(errors::not_found)?;
    let repository = api.state.repository_mut(path).ok_or_else(errors::no_project)?;
    let files = repository.diff_between((version.base.clone(), version.head.clone()));
    let repository = api.repository(path)?;
    let commits = repository.bare.commits(&version.base, &version.head);
    let mut value = view::version(&pull, version, files.len());
    value["commits"] =
        json!(commits.iter().map(|commit| view::commit(api.state, repository, commit)).collect::<Vec<_>>());
    value["diffs"] = json!(
        files.iter().map(|file| view::diff(file, limits.patch_lines, limits.patch_bytes)).collect::<Vec<_>>()
    );
    Ok(Answer::json(200, &value))
}

pub(super) fn compare(api: &mut Api<'_>, path: &str) -> Outcome {
    let limits = api.state.limits;
    let (from, to) = (api.needed("from")?, api.needed("to")?);
    let straight = api.call.param("straight") == Some("true");
    let repository = api.state.repository_mut(path).ok_or_else(errors::no_project)?;
    let id = |name: &str| repository.bare.commit_id(name).ok_or_else(|| errors::named_not_found("Ref"));
    let (from, to) = (id(&from)?, id(&to)?);
    let start = if straight { Some(from.clone()) } else { repository.bare.merge_base(&from, &to) };
    let files = repository.diff_between((start.unwrap_or_else(|| from.clone()), to.clone()));
    let repository = api.repository(path)?;
    let commits = repository.bare.commits(&from, &to);
    let shown: Vec<Value> =
        commits.iter().map(|commit| view::commit(api.state, repository, commit)).collect();
    Ok(Answer::json(
        200,
        &json!({
            "commit": shown.last(),
            "commits": shown,
            "diffs": files.iter().map(|file| view::diff(file, limits.patch_lines, limits.patch_bytes)).collect::<Vec<_>>(),
            "compare_timeout": false,
            "compare_same_ref": from == to,
            "web_url": format!("{}/-/compare/{from}...{to}", view::web_url(api.state, repository)),
        }),
    ))
}
