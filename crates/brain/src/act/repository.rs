//! The tools that every review has: they look at the change and at the tree it is in.

use domain::change::{RepoPath, Scope, Side, Target};
use domain::ports::{ReviewRequest, SourceError};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::grep::{Pattern, grep};
use super::lint::{self, Linters};
use super::seen::{HunkId, Seen};
use super::{listing, paths, reading};
use crate::call::Tool;
use crate::clean::Redact;
use crate::packing::{self, FileText};
use crate::prompt::{Fence, Marker};

/// The files there are, besides those of a change.
pub trait RepositoryView: Send + Sync {
    /// Every file of the head of a change, in any order, and none that git ignores: what is on disk beside the
    /// repository, such as a file with passwords, is not to be shown. Their contents are read through the request's sources.
    fn files(&self, scope: &Scope) -> Result<Vec<RepoPath>, SourceError>;
}

/// Something to show to the model.
#[derive(Debug, Default)]
pub(super) struct Shown {
    /// In our own words, with nothing in it that was read anywhere.
    pub(super) note: String,
    /// Scrubbed, and short enough.
    pub(super) data: String,
    pub(super) sights: Vec<Sight>,
}

/// What the model has seen once it has seen what is shown.
#[derive(Debug, Clone, Copy)]
pub(super) enum Sight {
    Part { id: HunkId, part: usize, of: usize },
    Lines { file: usize, side: Side, first: u32, last: u32 },
}

/// How much may be shown, and until when.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    pub(super) tokens: usize,
    pub(super) deadline: Instant,
}

pub(super) struct Repository<'a> {
    pub(super) request: ReviewRequest<'a>,
    pub(super) marker: &'a Marker,
    pub(super) redact: Redact,
    pub(super) texts: Vec<FileText>,
    /// Tokens of one part of a hunk: always the same, or parts would not fit together.
    pub(super) part_tokens: usize,
    view: Option<&'a dyn RepositoryView>,
    linters: Option<&'a Linters>,
    tree: Option<Vec<RepoPath>>,
    pub(super) lint_runs: lint::Runs,
}

impl<'a> Repository<'a> {
    pub(super) fn new(
        request: ReviewRequest<'a>,
        fence: Fence<'a>,
        view: Option<&'a dyn RepositoryView>,
        linters: Option<&'a Linters>,
        part_tokens: usize,
    ) -> Self {
        let texts = packing::files(request.change, request.known, &fence);
        let Fence { marker, redact } = fence;
        Repository {
            request,
            marker,
            redact,
            texts,
            part_tokens,
            view,
            linters,
            tree: None,
            lint_runs: lint::Runs::new(),
        }
    }

    pub(super) fn fence(&self) -> Fence<'a> {
        Fence { marker: self.marker, redact: self.redact }
    }

    pub(super) fn tools(&self) -> Vec<Tool> {
        let mut tools = vec![
            tool(
                "show_hunk",
                "Shows a hunk of the change with the line numbers of both sides. Without `hunk` it shows as many hunks of the \
                 file as fit, those first that you have not seen. A large hunk comes in parts; ask for each.",
                json!({ "file": text(), "hunk": number("From 1"), "part": number("From 1; 1 if absent") }),
                &["file"],
            ),
            tool(
                "read_file",
                "Reads lines of a file as it was before the change (base) or is with it (head).",
                json!({
                    "path": text(), "side": { "type": "string", "enum": ["base", "head"] },
                    "start": number("The first line; 1 if absent"), "end": number("The last line"),
                }),
                &["path"],
            ),
            tool(
                "list_files",
                "Lists the files of the change with their hunks, or what is in a folder of the whole tree.",
                json!({
                    "of": { "type": "string", "enum": ["change", "tree"] },
                    "folder": text(), "from": number("The first entry to list; 1 if absent"),
                }),
                &["of"],
            ),
            tool(
                "grep",
                "Finds lines in the head of the repository, in all files or below a folder.",
                json!({
                    "pattern": { "type": "string", "minLength": 1, "maxLength": 500 },
                    "kind": { "type": "string", "enum": ["literal", "regex"] }, "folder": text(),
                }),
                &["pattern"],
            ),
        ];
        tools.extend(self.linters.and_then(lint::offer));
        tools
    }

    /// Does what one of our own tools does. `Err` is told to the model.
    pub(super) async fn execute(
        &mut self,
        name: &str,
        arguments: &Value,
        seen: &Seen<'_>,
        room: Room,
    ) -> Result<Shown, String> {
        let text = |key: &str| arguments.get(key).and_then(Value::as_str);
        let number = |key: &str| {
            arguments.get(key).and_then(Value::as_u64).map(|number| u32::try_from(number).unwrap_or(u32::MAX))
        };
        match name {
            "show_hunk" => {
                let file = paths::inside(text("file").unwrap_or_default())?;
                reading::show_hunk(self, seen, &file, number("hunk"), number("part"), room)
            }
            "read_file" => {
                let path = paths::inside(text("path").unwrap_or_default())?;
                let side = if text("side") == Some("base") { Side::Old } else { Side::New };
                if side == Side::New && !self.belongs(&path)? {
                    return Err(reading::NO_FILE.to_owned());
                }
                reading::read_file(self, &path, side, (number("start"), number("end")), room)
            }
            "list_files" => {
                let folder = paths::folder(text("folder").unwrap_or_default())?;
                let from = number("from").unwrap_or(1).max(1) as usize;
                match text("of") {
                    Some("tree") => {
                        let marked = self.fence();
                        Ok(listing::folder(self.tree()?, folder.as_ref(), from, &marked, room))
                    }
                    _ => Ok(listing::change(self, seen, from, room)),
                }
            }
            "grep" => {
                let pattern =
                    Pattern::new(text("pattern").unwrap_or_default(), text("kind").unwrap_or("literal"))?;
                let folder = paths::folder(text("folder").unwrap_or_default())?;
                let (sources, marked) = (self.request.sources, self.fence());
                Ok(grep(self.tree()?, folder.as_ref(), &pattern, sources, &marked, room))
            }
            "run_linter" => {
                let (linters, change, marked) = (self.linters, self.request.change, self.fence());
                lint::lint(linters, arguments, change, &marked, room, &mut self.lint_runs).await
            }
            _ => Err("There is no such tool.".to_owned()),
        }
    }

    /// The files of the head; without a view of it, those of the change.
    fn tree(&mut self) -> Result<&[RepoPath], String> {
        if self.tree.is_none() {
            let change = self.request.change;
            let own = change.files.iter().filter_map(|file| Some(file.new.as_ref()?.path.clone()));
            let mut files: Vec<_> = match self.view {
                Some(view) => {
                    let all =
                        view.files(&change.scope).map_err(|_| "The tree cannot be listed.".to_owned())?;
                    all.into_iter().chain(own).collect()
                }
                None => own.collect(),
            };
            files.retain(|path| path.to_str().is_none_or(|text| paths::inside(text).is_ok()));
            files.sort_unstable();
            files.dedup();
            self.tree = Some(files);
        }
        Ok(self.tree.as_deref().unwrap_or_default())
    }

    /// Whether a file of the head belongs to the repository, and does not only lie beside it on disk.
    fn belongs(&mut self, path: &RepoPath) -> Result<bool, String> {
        let in_commit = matches!(self.request.change.scope.head, Target::Commit(_));
        let was_there = || self.request.sources.read_path(path, Side::Old).is_ok_and(|bytes| bytes.is_some());
        Ok(in_commit || was_there() || self.tree()?.binary_search(path).is_ok())
    }
}

/// As much of a scrubbed text as there is room for.
pub(super) fn clipped(note: &str, scrubbed: &str, tokens: usize) -> Shown {
    let data = packing::clip(scrubbed, tokens);
    let cut = if data.len() < scrubbed.len() { " Only the beginning fits." } else { "" };
    Shown { note: format!("{note}{cut}"), data: data.to_owned(), sights: Vec::new() }
}

pub(super) fn tool(name: &str, description: &str, properties: Value, required: &[&str]) -> Tool {
    let input = json!({
        "type": "object", "properties": properties, "required": required, "additionalProperties": false,
    });
    Tool { name: name.to_owned(), description: description.to_owned(), input }
}

pub(super) fn text() -> Value {
    json!({ "type": "string", "maxLength": 4096 })
}

fn number(description: &str) -> Value {
    json!({ "type": "integer", "minimum": 1, "description": description })
}
