use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Gitlab, OneMergeRequest, of_merge_request};
use crate::rest::{Ask, Fields as _, Kind, Listed, Trouble};
use crate::servers::patch::{Change, FilePatch};
use crate::servers::tool::{Answer, Hints, Tool};

/// How often there may be a new version while we read, or none yet.
const TRIES: u32 = 4;

pub(crate) struct GetMrDiff;

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Diff {
    diff: String,
    base_sha: String,
    start_sha: String,
    head_sha: String,
    version_id: u64,
    files: Vec<File>,
    complete: bool,
    omitted: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct File {
    path: String,
    old_path: String,
    /// added, modified, deleted or renamed
    status: &'static str,
    /// GitLab does not show its lines.
    withheld: bool,
    generated: bool,
}

/// One state of a merge request's change. A new push makes a new one.
#[derive(Debug, PartialEq, Eq)]
struct Version {
    id: u64,
    base_sha: String,
    start_sha: String,
    head_sha: String,
}

impl Tool for GetMrDiff {
    const NAME: &'static str = "gitlab_get_mr_diff";
    const DESCRIPTION: &'static str = "The whole diff of a merge request in git's format, and the commits it is between. What GitLab withholds is listed.";
    const HINTS: Hints = Hints::Reads;
    type Of = Gitlab;
    type Input = OneMergeRequest;
    type Output = Diff;

    async fn call(gitlab: &Gitlab, input: OneMergeRequest) -> Answer<Diff> {
        let path = of_merge_request(&input.project, input.mr_iid).join(&"diffs");
        let diffs = Ask::get(path).query("per_page", 100);
        let mut trouble = not_ready();
        for tries in 1..=TRIES {
            if let Some(before) = gitlab.version(&input).await? {
                let listed = gitlab.rest.list(&diffs, "").await?;
                if gitlab.version(&input).await?.as_ref() == Some(&before) {
                    return joined(before, &listed);
                }
                trouble = Trouble::moved();
            }
            gitlab.rest.pause(tries).await?;
        }
        Err(trouble)
    }
}

impl Gitlab {
    /// The newest. GitLab makes it in the background: there may be none yet.
    async fn version(&self, input: &OneMergeRequest) -> Answer<Option<Version>> {
        let path = of_merge_request(&input.project, input.mr_iid).join(&"versions");
        let page = self.rest.json(&Ask::get(path)).await?;
        let newest = page.list("").first().filter(|version| version.text_if("/head_commit_sha").is_some());
        newest
            .map(|version| {
                Ok(Version {
                    id: version.number("/id")?,
                    base_sha: version.text("/base_commit_sha")?,
                    start_sha: version.text("/start_commit_sha")?,
                    head_sha: version.text("/head_commit_sha")?,
                })
            })
            .transpose()
    }
}

fn not_ready() -> Trouble {
    Trouble::new(Kind::Unavailable, "GitLab has not made the diff ready yet", "call again in a few seconds")
}

fn joined(version: Version, listed: &Listed) -> Answer<Diff> {
    let (mut diff, mut files) = (String::new(), Vec::new());
    for value in &listed.items {
        let (old_path, new_path) = (value.text("/old_path")?, value.text("/new_path")?);
        let (old_mode, new_mode) = (value.text_or_empty("/a_mode"), value.text_or_empty("/b_mode"));
        let (hunks, change) = (value.text_or_empty("/diff"), change(value));
        FilePatch {
            old_path: &old_path,
            new_path: &new_path,
            change,
            old_mode: &old_mode,
            new_mode: &new_mode,
            hunks: &hunks,
        }
        .write_to(&mut diff);
        let flagged = value.is("/too_large") || value.is("/collapsed");
        let unexplained = change == Change::Modified && old_mode == new_mode;
        files.push(File {
            path: new_path,
            old_path,
            status: change.as_str(),
            withheld: hunks.is_empty() && (flagged || unexplained),
            generated: value.is("/generated_file"),
        });
    }
    let omitted: Vec<String> =
        files.iter().filter(|file| file.withheld).map(|file| file.path.clone()).collect();
    Ok(Diff {
        diff,
        base_sha: version.base_sha,
        start_sha: version.start_sha,
        head_sha: version.head_sha,
        version_id: version.id,
        complete: listed.complete && omitted.is_empty(),
        files,
        omitted,
    })
}

fn change(value: &Value) -> Change {
    match (value.is("/new_file"), value.is("/deleted_file"), value.is("/renamed_file")) {
        (true, _, _) => Change::Added,
        (_, true, _) => Change::Deleted,
        (_, _, true) => Change::Renamed,
        (false, false, false) => Change::Modified,
    }
}
