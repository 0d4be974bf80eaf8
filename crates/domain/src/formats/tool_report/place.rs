use std::collections::{HashMap, HashSet};

use super::families::weighed;
use super::{ToolResult, one_word};
use crate::change::{Change, RepoPath, Side};
use crate::review::{Anchor, Finding, Fingerprint, Place};

/// Results as findings, and how many were about something else than this change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Placed {
    pub findings: Vec<Finding>,
    pub elsewhere: usize,
}

/// Keeps what lies on lines that the change added. `root` is where the repository lies, for programs that write whole
/// paths; where they ran somewhere else, that is found out. What two programs say in the same words about the same line is said once.
pub fn place(results: &[ToolResult], change: &Change, root: Option<&str>) -> Placed {
    let added = added_lines(change);
    let elsewhere = root_elsewhere(results, &added, root);
    let root = elsewhere.as_deref().or(root);
    let mut placed = Placed::default();
    let mut said = HashSet::new();
    for result in results {
        let places = [Some(&result.path), result.inside.as_ref()];
        let spot = places.into_iter().flatten().find_map(|path| {
            let path = relative(path, root)?;
            let lines = added.get(&path)?;
            let first = lines.partition_point(|(line, _)| *line < result.line);
            let within = lines.get(first).filter(|(line, _)| *line <= result.end_line);
            within.map(|(line, text)| (path, *line, *text))
        });
        match spot {
            Some((path, line, text)) if said.insert((path.clone(), line, result.message.clone())) => {
                placed.findings.push(finding(result, path, line, text));
            }
            Some(_) => {}
            None => placed.elsewhere += 1,
        }
    }
    placed
}

/// In the order of their numbers.
type Added<'a> = HashMap<RepoPath, Vec<(u32, &'a [u8])>>;

fn added_lines(change: &Change) -> Added<'_> {
    let new = change.files.iter().filter_map(|file| Some((file.new.as_ref()?.path.clone(), file)));
    new.map(|(path, file)| (path, file.added().collect())).collect()
}

/// Where the repository lay on the machine that wrote the results, if that was another place: the folder that all whole
/// paths lie in, and below which one of them is a file of the change.
fn root_elsewhere(results: &[ToolResult], added: &Added<'_>, root: Option<&str>) -> Option<String> {
    let mut whole: Vec<String> = results.iter().filter_map(|result| plain(&result.path)).collect();
    whole.retain(|path| path.starts_with('/'));
    whole.sort_unstable();
    whole.dedup();
    if root.is_some_and(|root| whole.iter().any(|path| path.starts_with(root))) {
        return None;
    }
    let is_of_change = |path: &str| added.contains_key(&RepoPath::from(path));
    let mut ways = whole.iter().flat_map(|path| path.match_indices('/').map(|(at, _)| path.split_at(at + 1)));
    let (found, _) = ways.find(|(_, rest)| is_of_change(rest))?;
    whole.iter().all(|path| path.starts_with(found)).then(|| found.to_owned())
}

/// A path of the repository. One that leads out of it is none.
fn relative(path: &str, root: Option<&str>) -> Option<RepoPath> {
    let path = plain(path)?;
    let path = match root.and_then(|root| path.strip_prefix(root)) {
        Some(inside) => inside.trim_start_matches('/'),
        None => path.as_str(),
    };
    let path = path.trim_start_matches("./");
    let climbs = path.split('/').any(|part| part == "..");
    (!path.is_empty() && !path.starts_with('/') && !climbs).then(|| RepoPath::from(path))
}

/// Without what makes an address of it.
fn plain(path: &str) -> Option<String> {
    match path.strip_prefix("file://") {
        Some(address) => decoded(address.strip_prefix("localhost").unwrap_or(address)),
        None if path.contains('%') => decoded(path),
        None => Some(path.to_owned()),
    }
}

/// Undoes the escapes of an address.
fn decoded(address: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(address.len());
    let mut rest = address.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        match first {
            b'%' => {
                let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
                bytes.push(u8::from_str_radix(digits, 16).ok()?);
                rest = &rest[2..];
            }
            other => bytes.push(*other),
        }
    }
    String::from_utf8(bytes).ok()
}

fn finding(result: &ToolResult, path: RepoPath, line: u32, text: &[u8]) -> Finding {
    let rule = match result.rule.is_empty() {
        true => result.tool.clone(),
        false => format!("{}/{}", result.tool, one_word(&result.rule)),
    };
    let (severity, category) = weighed(result);
    Finding {
        rule,
        severity,
        category,
        dimension: category.dimension(),
        confidence: result.confidence,
        place: Place::Lines(Anchor {
            path,
            side: Side::New,
            start: line,
            end: line,
            text: String::from_utf8_lossy(text).into_owned(),
        }),
        message: result.message.clone(),
        impact: String::new(),
        suggestion: String::new(),
        fingerprint: Fingerprint::default(),
    }
}
