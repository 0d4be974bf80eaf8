use std::path::{Component, Path, PathBuf};

use agent_client_protocol::v1::schema::{ToolCallContent, ToolCallUpdateFields, ToolKind};
use serde_json::Value;

/// Where tools of the known agents say which file or directory they mean.
const PATHS: [&str; 15] = [
    "path",
    "file_path",
    "filePath",
    "abs_path",
    "absolute_path",
    "notebook_path",
    "target_file",
    "source",
    "destination",
    "old_path",
    "new_path",
    "dir_path",
    "directory",
    "cwd",
    "workdir",
];

/// What a tool call comes to, from everything it says about itself. Where two things contradict each other, both count.
#[derive(Debug)]
pub(super) struct Wish {
    pub(super) kind: ToolKind,
    /// Absolute and without `..`; absent where it leads out of the file system.
    pub(super) paths: Vec<Option<PathBuf>>,
    /// A line for a shell.
    pub(super) command: Option<String>,
    pub(super) address: Option<String>,
}

impl Wish {
    pub(super) fn of(call: &ToolCallUpdateFields, worktree: &Path) -> Wish {
        let input = call.raw_input.as_ref();
        let get = |keys: &[&str]| keys.iter().find_map(|key| input?.get(key)).cloned();
        let locations = call.locations.iter().flatten().map(|location| location.path.clone());
        let diffs = call.content.iter().flatten().filter_map(|content| match content {
            ToolCallContent::Diff(diff) => Some(diff.path.clone()),
            _ => None,
        });
        let named = PATHS.iter().filter_map(|key| input?.get(key)?.as_str()).map(PathBuf::from);
        let listed = input.and_then(|input| input.get("changes")).and_then(Value::as_object);
        let listed = listed.into_iter().flat_map(|changes| changes.keys()).map(PathBuf::from);
        Wish {
            kind: call.kind.unwrap_or_default(),
            paths: locations
                .chain(diffs)
                .chain(named)
                .chain(listed)
                .map(|path| resolve(&path, worktree))
                .collect(),
            command: get(&["command", "cmd"]).and_then(|command| shell_line(&command)),
            address: get(&["url", "uri"]).and_then(|address| address.as_str().map(str::to_owned)),
        }
    }
}

/// A command is a line, or a program with its arguments; often that program is a shell with a line.
fn shell_line(command: &Value) -> Option<String> {
    if let Some(line) = command.as_str() {
        return Some(line.to_owned());
    }
    let words: Vec<&str> = command.as_array()?.iter().map(Value::as_str).collect::<Option<_>>()?;
    match words.as_slice() {
        [shell, "-c" | "-lc", line] if shell.ends_with("sh") => Some((*line).to_owned()),
        words => Some(words.join(" ")),
    }
}

/// As the agent would see it from its worktree, by the text alone: what a link leads to is the kernel's to judge.
pub(super) fn resolve(path: &Path, worktree: &Path) -> Option<PathBuf> {
    let mut resolved = PathBuf::new();
    for component in worktree.join(path).components() {
        match component {
            Component::ParentDir => {
                if !resolved.pop() {
                    return None;
                }
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => resolved.push(component),
        }
    }
    Some(resolved)
}

/// Whether a path leads into a repository's own directory.
pub(super) fn is_git(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str().eq_ignore_ascii_case(".git"))
}
