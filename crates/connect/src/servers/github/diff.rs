use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::model::Pull;
use super::{Github, OnePull, of_pull};
use crate::rest::{Accept, Ask, Fields as _, Trouble};
use crate::servers::patch::{Change, FilePatch};
use crate::servers::tool::{Answer, Hints, Tool};

/// How often the head may move while we read.
const TRIES: usize = 3;

pub(crate) struct GetPrDiff;
pub(crate) struct GetPrFiles;

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Diff {
    diff: String,
    base_sha: String,
    head_sha: String,
    complete: bool,
    omitted: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Files {
    files: Vec<File>,
    head_sha: String,
    complete: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct File {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_path: Option<String>,
    status: String,
    additions: u64,
    deletions: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch: Option<String>,
}

impl Tool for GetPrDiff {
    const NAME: &'static str = "github_get_pr_diff";
    const DESCRIPTION: &'static str =
        "The whole diff of a pull request in git's format. What GitHub withholds is listed.";
    const HINTS: Hints = Hints::Reads;
    type Of = Github;
    type Input = OnePull;
    type Output = Diff;

    async fn call(github: &Github, input: OnePull) -> Answer<Diff> {
        for _ in 0..TRIES {
            let before = github.pull(&input.repo, input.pr_number).await?;
            let diff = github.diff(&input, &before).await?;
            let after = github.pull(&input.repo, input.pr_number).await?;
            if before.head.sha == after.head.sha {
                return Ok(diff);
            }
        }
        Err(Trouble::moved())
    }
}

impl Tool for GetPrFiles {
    const NAME: &'static str = "github_get_pr_files";
    const DESCRIPTION: &'static str = "The files of a pull request, each with its part of the diff.";
    const HINTS: Hints = Hints::Reads;
    type Of = Github;
    type Input = OnePull;
    type Output = Files;

    async fn call(github: &Github, input: OnePull) -> Answer<Files> {
        for _ in 0..TRIES {
            let before = github.pull(&input.repo, input.pr_number).await?;
            let files = github.files(&input, &before).await?;
            let after = github.pull(&input.repo, input.pr_number).await?;
            if before.head.sha == after.head.sha {
                return Ok(files);
            }
        }
        Err(Trouble::moved())
    }
}

impl Github {
    async fn diff(&self, input: &OnePull, pull: &Pull) -> Answer<Diff> {
        let ask = Ask::get(of_pull(&input.repo, input.pr_number)).accepting(Accept::GithubDiff);
        match self.rest.reply(&ask).await {
            Ok(reply) => Ok(Diff {
                diff: reply.text(),
                base_sha: pull.base.sha.clone(),
                head_sha: pull.head.sha.clone(),
                complete: true,
                omitted: Vec::new(),
            }),
            // Too many files or lines for one answer.
            Err(trouble) if trouble.status == Some(406) => {
                Ok(joined(self.files(input, pull).await?, pull.base.sha.clone()))
            }
            Err(trouble) => Err(trouble),
        }
    }

    async fn files(&self, input: &OnePull, pull: &Pull) -> Answer<Files> {
        let path = of_pull(&input.repo, input.pr_number).join(&"files");
        let listed = self.rest.list(&Ask::get(path).query("per_page", 100), "").await?;
        let files = listed.items.iter().map(File::of).collect::<Answer<Vec<File>>>()?;
        let all = pull.changed_files.is_none_or(|count| files.len() as u64 >= count);
        Ok(Files { complete: listed.complete && all, files, head_sha: pull.head.sha.clone() })
    }
}

impl File {
    fn of(value: &Value) -> Answer<File> {
        Ok(File {
            path: value.text("/filename")?,
            previous_path: value.text_if("/previous_filename"),
            status: value.text("/status")?,
            additions: value.number_if("/additions").unwrap_or(0),
            deletions: value.number_if("/deletions").unwrap_or(0),
            patch: value.text_if("/patch"),
        })
    }

    fn change(&self) -> Change {
        match self.status.as_str() {
            "added" | "copied" => Change::Added,
            "removed" => Change::Deleted,
            "renamed" => Change::Renamed,
            _ => Change::Modified,
        }
    }

    /// Lines changed, and GitHub does not show them.
    fn is_withheld(&self) -> bool {
        self.patch.is_none() && (self.additions > 0 || self.deletions > 0)
    }
}

fn joined(files: Files, base_sha: String) -> Diff {
    let mut diff = String::new();
    for file in &files.files {
        let old_path = file.previous_path.as_deref().unwrap_or(&file.path);
        let hunks = file.patch.as_deref().unwrap_or_default();
        let (change, new_path) = (file.change(), file.path.as_str());
        FilePatch { old_path, new_path, change, old_mode: "", new_mode: "", hunks }.write_to(&mut diff);
    }
    let omitted: Vec<String> =
        files.files.iter().filter(|file| file.is_withheld()).map(|file| file.path.clone()).collect();
    Diff { diff, base_sha, head_sha: files.head_sha, complete: files.complete && omitted.is_empty(), omitted }
}
