//! Where inline comments may hang: a line the diff shows, on the side that has it.

use serde_json::Value;

use crate::forge::diff::{FileDiff, Found};
use crate::forge::model::anchor::{Anchor, Side};
use crate::forge::model::repository::Repository;

/// What is wrong with a place, in GitHub's words. The field is the one of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) field: &'static str,
    pub(super) words: &'static str,
}

const PATH: Fault = Fault { field: "path", words: "path is invalid" };
const LINE: Fault = Fault { field: "line", words: "line must be part of the diff" };
const START: Fault =
    Fault { field: "start_line", words: "start line must be part of the same hunk as the line." };
const ORDER: Fault = Fault { field: "start_line", words: "start line must precede the end line." };
const HUNK: Fault = Fault { field: "diff_hunk", words: "diff hunk can't be blank" };

/// The commit to comment on has to belong to the pull request. None stands for its head.
pub(super) fn commit(repository: &Repository, number: u64, wanted: Option<&str>) -> Option<String> {
    let version = repository.pull(number)?.version();
    let Some(wanted) = wanted else { return Some(version.head.clone()) };
    let whole = repository.bare.commit_id(wanted).filter(|whole| whole == wanted)?;
    let within = whole == version.head
        || (repository.bare.is_ancestor(&whole, &version.head)
            && !repository.bare.is_ancestor(&whole, &version.base));
    within.then_some(whole)
}

pub(super) fn anchor(
    repository: &mut Repository,
    number: u64,
    wanted: &Value,
    commit: &str,
) -> Result<Anchor, Vec<Fault>> {
    let version = match repository.pull(number) {
        Some(pull) => pull.version().clone(),
        None => return Err(vec![PATH]),
    };
    let files = repository.diff_between((version.base.clone(), commit.to_owned()));
    let path = wanted["path"].as_str().unwrap_or_default();
    let file = files.iter().find(|file| file.new_path == path).ok_or_else(|| vec![PATH, HUNK])?;
    let side = side(&wanted["side"]).unwrap_or(Side::Right);
    let found = place(file, wanted, side).ok_or_else(|| {
        let range = !wanted["start_line"].is_null();
        if range { vec![LINE, START, HUNK] } else { vec![LINE, HUNK] }
    })?;
    let (side, line) = numbered(&found, side);
    let start = start(file, wanted, side, line, &found)?;
    Ok(Anchor {
        path: file.new_path.clone(),
        old_path: file.old_path.clone(),
        side,
        line: Some(line),
        original_line: line,
        start: start.as_ref().map(|(place, _)| *place),
        original_start: start.as_ref().map(|(place, _)| *place),
        at: found.line,
        start_at: start.map(|(_, found)| found.line),
        codes: None,
        position: found.position,
        diff_hunk: found.diff_hunk,
        commit: commit.to_owned(),
        original_commit: commit.to_owned(),
        version,
    })
}

fn side(value: &Value) -> Option<Side> {
    match value.as_str()? {
        "LEFT" => Some(Side::Left),
        "RIGHT" => Some(Side::Right),
        _ => None,
    }
}

/// By line and side, or by the older position.
fn place(file: &FileDiff, wanted: &Value, side: Side) -> Option<Found> {
    if let Some(line) = wanted["line"].as_u64() {
        return file.find(side, u32::try_from(line).ok()?);
    }
    let position = u32::try_from(wanted["position"].as_u64()?).ok()?;
    let lines = file.hunks.iter().flat_map(|hunk| hunk.lines.iter());
    lines.filter_map(|(line, _)| file.exact(*line)).find(|found| found.position == position)
}

/// A position on a removed line is on the left, whatever was said about sides.
fn numbered(found: &Found, side: Side) -> (Side, u32) {
    match (side, found.line.old, found.line.new) {
        (Side::Left, Some(old), _) => (Side::Left, old),
        (_, _, Some(new)) => (Side::Right, new),
        (_, old, None) => (Side::Left, old.unwrap_or_default()),
    }
}

type Start = ((Side, u32), Found);

fn start(
    file: &FileDiff,
    wanted: &Value,
    side: Side,
    line: u32,
    end: &Found,
) -> Result<Option<Start>, Vec<Fault>> {
    let Some(start) = wanted["start_line"].as_u64() else { return Ok(None) };
    let start = u32::try_from(start).map_err(|_| vec![START])?;
    let start_side = self::side(&wanted["start_side"]).unwrap_or(side);
    if start_side == side && start >= line {
        return Err(vec![ORDER]);
    }
    let found =
        file.find(start_side, start).filter(|found| found.hunk == end.hunk).ok_or_else(|| vec![START])?;
    if found.position >= end.position {
        return Err(vec![ORDER]);
    }
    Ok(Some(((start_side, start), found)))
}

/// `Pull request review thread line must be part of the diff and Pull request review thread …`, as one sentence.
pub(super) fn sentence(faults: &[Fault]) -> String {
    let words: Vec<String> =
        faults.iter().map(|fault| format!("Pull request review thread {}", fault.words)).collect();
    match words.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [one, other] => format!("{one} and {other}"),
        [most @ .., last] => format!("{}, and {last}", most.join(", ")),
    }
}
