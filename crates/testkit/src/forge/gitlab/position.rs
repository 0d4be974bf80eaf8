//! Where GitLab lets a comment hang: the three commits of a version, both paths, and the line numbers that such a
//! line has, no more and no fewer.

use serde_json::Value;

use super::errors;
use super::view::sha1;
use crate::forge::answer::Answer;
use crate::forge::diff::FileDiff;
use crate::forge::model::anchor::{Anchor, DiffLine, Side};
use crate::forge::model::repository::Repository;

pub(super) fn anchor(repository: &mut Repository, number: u64, wanted: &Value) -> Result<Anchor, Answer> {
    let text = |name: &str| wanted[name].as_str().unwrap_or_default();
    let missing: Vec<String> = ["base_sha", "start_sha", "head_sha", "position_type"]
        .iter()
        .filter(|name| text(name).is_empty())
        .map(|name| format!("position[{name}] is missing"))
        .collect();
    if !missing.is_empty() {
        return Err(errors::bad_request(&missing.join(", ")));
    }
    if text("position_type") != "text" {
        return Err(errors::bad_request("position[position_type] does not have a valid value"));
    }
    let line = DiffLine { old: number_of(&wanted["old_line"]), new: number_of(&wanted["new_line"]) };
    if line.old.is_none() && line.new.is_none() {
        return Err(errors::incomplete_position());
    }
    let version = repository.pull(number).and_then(|pull| {
        let fits = |version: &&crate::forge::model::pull::Version| {
            version.base == text("base_sha")
                && version.start == text("start_sha")
                && version.head == text("head_sha")
        };
        pull.versions.iter().find(fits).cloned()
    });
    let version = version.ok_or_else(errors::line_code)?;
    let files = repository.diff_between((version.base.clone(), version.head.clone()));
    let fits = |file: &&FileDiff| file.new_path == text("new_path") && file.old_path == text("old_path");
    let file = files.iter().find(fits).ok_or_else(errors::line_code)?;
    let found = file.exact(line).ok_or_else(errors::line_code)?;
    let start_at = range(file, &wanted["line_range"], line)?;
    let code = |end: &str| wanted["line_range"][end]["line_code"].as_str().map(str::to_owned);
    let codes = code("start").zip(code("end"));
    let side = if line.new.is_some() { Side::Right } else { Side::Left };
    let shown = line.new.or(line.old).unwrap_or_default();
    let start = start_at.map(|start| match (start.new, start.old) {
        (Some(new), _) => (Side::Right, new),
        (None, old) => (Side::Left, old.unwrap_or_default()),
    });
    Ok(Anchor {
        path: file.new_path.clone(),
        old_path: file.old_path.clone(),
        side,
        line: Some(shown),
        original_line: shown,
        start,
        original_start: start,
        at: line,
        start_at,
        codes,
        position: found.position,
        diff_hunk: found.diff_hunk,
        commit: version.head.clone(),
        original_commit: version.head.clone(),
        version,
    })
}

fn number_of(value: &Value) -> Option<u32> {
    match value {
        Value::String(text) => text.parse().ok(),
        other => other.as_u64().and_then(|number| u32::try_from(number).ok()),
    }
}

/// The first line of a range, whose last line has to be the one commented on.
fn range(file: &FileDiff, wanted: &Value, last: DiffLine) -> Result<Option<DiffLine>, Answer> {
    if wanted.is_null() {
        return Ok(None);
    }
    let (start, end) = (coded(file, &wanted["start"])?, coded(file, &wanted["end"])?);
    if end.1 != last || start.0 > end.0 {
        return Err(errors::line_code());
    }
    Ok(Some(start.1))
}

/// The line a code names, with its place in the diff.
fn coded(file: &FileDiff, wanted: &Value) -> Result<(usize, DiffLine), Answer> {
    let code = wanted["line_code"].as_str().unwrap_or_default();
    let kind = wanted["type"].as_str().unwrap_or_default();
    let lines = codes(file);
    let place = lines.iter().position(|(known, _)| known == code).ok_or_else(errors::line_code)?;
    let line = lines[place].1;
    let right_kind = if line.old.is_none() { "new" } else { "old" };
    if kind != right_kind {
        return Err(errors::line_code());
    }
    Ok((place, line))
}

/// `sha1(path)_old_new` of every line shown. An added line carries the number of the old line it stands before, a
/// removed one that of the new line.
fn codes(file: &FileDiff) -> Vec<(String, DiffLine)> {
    let path = sha1(&file.new_path);
    let mut codes = Vec::new();
    for hunk in &file.hunks {
        let (mut old, mut new) = hunk.starts();
        for (line, _) in &hunk.lines {
            if line.old.is_some() || line.new.is_some() {
                codes.push((format!("{path}_{old}_{new}"), *line));
            }
            old += u32::from(line.old.is_some());
            new += u32::from(line.new.is_some());
        }
    }
    codes
}
