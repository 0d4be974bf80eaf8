//! Having a linter run: the model names one and files of the change, and that is all it has to say in the matter.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use domain::change::{Change, RepoPath};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::paths;
use super::repository::{Room, Shown, clipped, tool};
use crate::call::Tool;
use crate::prompt::Fence;

/// What runs a linter: its output, or why there is none.
pub type RunLinter = Arc<dyn Fn(&LinterJob) -> Result<String, String> + Send + Sync>;

/// As [`RunLinter`], with what it printed to either stream.
pub type CollectLinter = Arc<dyn Fn(&LinterJob) -> Result<Printed, String> + Send + Sync>;

/// What a linter printed, with the paths of the repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Printed {
    /// With which it ended.
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// Linters that the configuration allows a model to have run.
#[derive(Clone)]
pub struct Linters {
    pub allowed: Vec<String>,
    /// What the report has to say about them: which cannot be had, and whether they are confined.
    pub notes: Vec<String>,
    /// Runs one of them, confined and within its time, and returns what it printed. Called on a thread that may
    /// block, with a name that is in `allowed` and paths of files that the change has at its head.
    pub run: RunLinter,
    /// As `run`, but what it printed and nothing else, for programs to read; an error if it was cut off.
    pub collect: CollectLinter,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinterJob {
    pub name: String,
    pub paths: Vec<RepoPath>,
    pub timeout: Duration,
}

impl fmt::Debug for Linters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Linters").field("allowed", &self.allowed).finish_non_exhaustive()
    }
}

/// Files that a model may name at once. All of a larger change are had by naming none.
const MOST_NAMED: usize = 100;

/// How often each linter was run.
pub(super) type Runs = BTreeMap<String, usize>;

pub(super) fn offer(linters: &Linters) -> Option<Tool> {
    let names = &linters.allowed;
    (!names.is_empty()).then(|| {
        tool(
            "run_linter",
            "Runs a linter of this repository on files of the change; without `paths` on all of them that it is for.",
            json!({
                "name": { "type": "string", "enum": names },
                "paths": { "type": "array", "items": super::repository::text(), "maxItems": MOST_NAMED },
            }),
            &["name"],
        )
    })
}

/// `Err` is told to the model, and then nothing was run.
pub(super) async fn lint(
    linters: Option<&Linters>,
    arguments: &Value,
    change: &Change,
    fence: &Fence<'_>,
    room: Room,
    runs: &mut Runs,
) -> Result<Shown, String> {
    let name = arguments.get("name").and_then(Value::as_str).unwrap_or_default();
    let allowed = |linters: &&Linters| linters.allowed.iter().any(|allowed| allowed == name);
    let Some(linters) = linters.filter(allowed) else {
        return Err("That linter is not allowed here.".to_owned());
    };
    let paths = chosen(arguments.get("paths"), change)?;
    let timeout = room.deadline.saturating_duration_since(Instant::now());
    let job = LinterJob { name: name.to_owned(), paths, timeout };
    let run = Arc::clone(&linters.run);
    let ran = tokio::task::spawn_blocking(move || run(&job)).await;
    let (note, said) = match ran {
        Ok(Ok(said)) => {
            *runs.entry(name.to_owned()).or_default() += 1;
            ("It printed:", said)
        }
        Ok(Err(reason)) => ("It could not be run:", reason),
        Err(_) => return Err("The linter broke down.".to_owned()),
    };
    Ok(clipped(note, &fence.scrub(&said), room.tokens))
}

/// The files the model named, each of which the change has at its head; all of those if it named none.
fn chosen(named: Option<&Value>, change: &Change) -> Result<Vec<RepoPath>, String> {
    let stays_inside = |path: &RepoPath| path.to_str().is_none_or(|text| paths::inside(text).is_ok());
    let there = || {
        let at_head = change.files.iter().filter_map(|file| Some(&file.new.as_ref()?.path));
        at_head.filter(|path| stays_inside(path))
    };
    let named: Vec<&str> =
        named.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    if named.is_empty() {
        return Ok(there().cloned().collect());
    }
    let mut chosen = Vec::new();
    for text in named {
        let path = paths::inside(text)?;
        if !there().any(|own| *own == path) {
            return Err("Nothing was run: not every path is a file that the change has at its head. list_files names \
                        those it has."
                .to_owned());
        }
        if !chosen.contains(&path) {
            chosen.push(path);
        }
    }
    Ok(chosen)
}
