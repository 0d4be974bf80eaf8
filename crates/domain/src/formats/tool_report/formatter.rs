use std::collections::BTreeMap;

use super::ToolResult;
use crate::change::{Change, FileChange, Status};
use crate::review::Confidence;
use crate::text::short_line;
use crate::words::{Category, Level};

/// The rule of what a formatter would write otherwise.
pub(super) const UNFORMATTED: &str = "unformatted";

/// Reads what a formatter prints in check mode: the files it would write otherwise, one to a line, as `gofmt -l`,
/// `prettier --check`, `black --check` and `ruff format --check` name them, or a diff of them, as `rustfmt --check`,
/// `gofmt -d` and `black --diff` show it.
///
/// Each file of the change is told of once, at a line that the change added. Where a diff says which lines are meant and
/// none of them is new, the file is left alone; where there is only a name, an older file is told of as a remark.
pub fn read_formatter(tool: &str, output: &str, change: &Change) -> Vec<ToolResult> {
    let mut files: BTreeMap<&str, Wanted> = BTreeMap::new();
    let mut reader = Reader::default();
    for line in output.lines() {
        let line = line.strip_suffix('\r').unwrap_or(line);
        match reader.read(line) {
            Some(Said::File(path)) => {
                files.entry(path).or_default();
            }
            Some(Said::Line(path, number)) => files.entry(path).or_default().lines.push(number),
            None => {}
        }
    }
    files.values_mut().for_each(|wanted| wanted.lines.sort_unstable());
    let changed = change.files.iter().filter_map(|file| Some((file.new.as_ref()?.path.to_str()?, file)));
    changed.filter_map(|(path, file)| result(tool, path, file, files.get(path)?)).collect()
}

/// What a formatter wants of a file.
#[derive(Debug, Default)]
struct Wanted {
    /// In order; none where it does not say which.
    lines: Vec<u32>,
}

enum Said<'o> {
    File(&'o str),
    Line(&'o str, u32),
}

/// Where in a diff the reader is.
#[derive(Debug, Default)]
struct Reader<'o> {
    path: Option<&'o str>,
    /// The line of the file that the next line of the diff stands for, inside a hunk.
    next: Option<u32>,
    /// Whether what the formatter would write stands for lines that it has just taken away, and were counted.
    replaces: bool,
}

impl<'o> Reader<'o> {
    fn read(&mut self, line: &'o str) -> Option<Said<'o>> {
        if let Some((path, number)) = rustfmt_heading(line) {
            (self.path, self.next) = (Some(path), Some(number));
            return None;
        }
        if let Some(path) = line.strip_prefix("+++ ") {
            (self.path, self.next) = (Some(of_heading(path)), None);
            return None;
        }
        if line.starts_with("--- ") || line.starts_with("diff ") {
            self.next = None;
            return None;
        }
        if let Some(span) = line.strip_prefix("@@ -") {
            self.next = span.split([',', ' ']).next().and_then(|number| number.parse().ok());
            return None;
        }
        let replaced = std::mem::take(&mut self.replaces);
        match (self.path, self.next, line.as_bytes().first()) {
            (Some(path), Some(number), Some(b'-')) => {
                self.next = number.checked_add(1);
                self.replaces = true;
                Some(Said::Line(path, number))
            }
            (Some(_), Some(_), Some(b'+')) if replaced => {
                self.replaces = true;
                None
            }
            (Some(path), Some(number), Some(b'+')) => Some(Said::Line(path, number.max(1))),
            (Some(_), Some(number), Some(b' ')) => {
                self.next = number.checked_add(1);
                None
            }
            _ => {
                self.next = None;
                named(line).map(Said::File)
            }
        }
    }
}

/// `Diff in src/a.rs:12:`, or `Diff in src/a.rs at line 12:` as it was written before.
fn rustfmt_heading(line: &str) -> Option<(&str, u32)> {
    let place = line.strip_prefix("Diff in ")?.strip_suffix(':')?;
    let (path, number) = place.rsplit_once(" at line ").or_else(|| place.rsplit_once(':'))?;
    Some((without_dot(path), number.parse().ok()?))
}

/// Without the date that some write behind a path, and without the `b/` of git.
fn of_heading(path: &str) -> &str {
    let path = path.split('\t').next().unwrap_or(path);
    without_dot(path.strip_prefix("b/").unwrap_or(path))
}

fn named(line: &str) -> Option<&str> {
    const WORDS: [&str; 4] = ["would reformat ", "Would reformat: ", "[warn] ", "Unformatted: "];
    let path = WORDS.iter().find_map(|word| line.strip_prefix(word)).unwrap_or(line);
    Some(without_dot(path.trim())).filter(|path| !path.is_empty())
}

fn without_dot(path: &str) -> &str {
    path.trim_start_matches("./")
}

fn result(tool: &str, path: &str, file: &FileChange, wanted: &Wanted) -> Option<ToolResult> {
    let mut added = file.added().map(|(number, _)| number);
    let line = if wanted.lines.is_empty() {
        added.next()?
    } else {
        added.find(|number| wanted.lines.binary_search(number).is_ok())?
    };
    let told_apart = !wanted.lines.is_empty() || file.status == Status::Added;
    let what = if wanted.lines.is_empty() { "this file" } else { "what was added here" };
    Some(ToolResult {
        tool: short_line(tool),
        rule: UNFORMATTED.to_owned(),
        level: if told_apart { Level::Warning } else { Level::Info },
        category: Category::BestPractices,
        score: None,
        confidence: Confidence::Medium,
        message: format!("`{}` would write {what} in another way", short_line(tool)),
        path: path.to_owned(),
        inside: None,
        line,
        end_line: line,
    })
}
