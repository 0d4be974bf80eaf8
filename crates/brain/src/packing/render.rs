//! How a change looks in a prompt: each line with its mark and its number on both sides.

use std::collections::HashMap;

use domain::change::{Change, FileChange, FileSide, Hunk, Line, LineKind, Mode, RepoPath, Side, Status};
use domain::review::{Finding, SkipReason};
use domain::text::short_line;

use super::tokens::count;
use crate::clean::Redact;
use crate::prompt::Fence;

/// More findings of the rules than this about one file are told by their number.
const MOST_EVIDENCE: usize = 20;
const LONGEST_PATH: usize = 400;

/// A file of the change as it goes into a prompt.
#[derive(Debug, Clone)]
pub struct FileText {
    /// Its position in the change.
    pub file: usize,
    /// One line that says which file it is and what happened to it.
    pub heading: String,
    /// What the built-in rules have found in it, a line each.
    pub evidence: String,
    /// Of heading and evidence together.
    pub tokens: usize,
    pub hunks: Vec<HunkText>,
}

#[derive(Debug, Clone)]
pub struct HunkText {
    /// Its position in the file.
    pub hunk: usize,
    /// `@@ -1,2 +1,3 @@ fn main() {`, without a line feed.
    pub heading: String,
    /// Each with its line feed.
    pub lines: Vec<String>,
    /// Of the heading and all lines.
    pub tokens: usize,
}

/// Every file of the change that has to be reviewed.
pub fn files(change: &Change, known: &[Finding], fence: &Fence<'_>) -> Vec<FileText> {
    let mut by_path: HashMap<&RepoPath, Vec<&Finding>> = HashMap::new();
    for finding in known {
        if let Some(path) = finding.path() {
            by_path.entry(path).or_default().push(finding);
        }
    }
    let known = |file: &FileChange| by_path.get(file.path()).map(Vec::as_slice).unwrap_or_default();
    let reviewed = change.files.iter().enumerate().filter(|(_, file)| SkipReason::of(file).is_none());
    reviewed.map(|(index, file)| file_text(index, file, known(file), fence)).collect()
}

/// A line for each file of the change, those included that are not reviewed.
pub fn overview(change: &Change, fence: &Fence<'_>) -> Vec<String> {
    let line = |file: &FileChange| {
        let skipped = match SkipReason::of(file) {
            Some(reason) => format!("; not shown: {}", reason.as_str()),
            None => String::new(),
        };
        let (added, removed) = (file.added().count(), file.removed().count());
        format!("{} ({}, +{added} -{removed}{skipped})\n", shown_path(file, fence), happened(file))
    };
    change.files.iter().map(line).collect()
}

fn file_text(index: usize, file: &FileChange, known: &[&Finding], fence: &Fence<'_>) -> FileText {
    let heading = heading(file, fence);
    let evidence = evidence(file, known, fence);
    let tokens = count(&heading) + count(&evidence);
    let hunks = file.hunks().iter().enumerate();
    let hunks = hunks.map(|(index, hunk)| hunk_text(file.path(), index, hunk, fence)).collect();
    FileText { file: index, heading, evidence, tokens, hunks }
}

fn shown_path(file: &FileChange, fence: &Fence<'_>) -> String {
    clipped_path(&file.path().to_string(), fence)
}

fn clipped_path(path: &str, fence: &Fence<'_>) -> String {
    let path = fence.scrub(path).replace('\n', " ");
    match path.char_indices().nth(LONGEST_PATH) {
        Some((end, _)) => format!("{}...", &path[..end]),
        None => path,
    }
}

fn happened(file: &FileChange) -> &'static str {
    match file.status {
        Status::Added => "added",
        Status::Deleted => "deleted",
        Status::Modified => "modified",
        Status::Renamed(_) => "renamed",
        Status::Copied(_) => "copied",
        Status::TypeChanged => "its type changed",
        Status::Unmerged => "has merge conflicts",
    }
}

fn heading(file: &FileChange, fence: &Fence<'_>) -> String {
    let mut notes = vec![happened(file).to_owned()];
    if let (Some(old), Some(new)) = (&file.old, &file.new) {
        if old.path != new.path {
            notes.push(format!("from {}", clipped_path(&old.path.to_string(), fence)));
        }
        if old.mode != new.mode {
            notes.push(format!("{} to {}", mode(old), mode(new)));
        }
    }
    if file.hunks().is_empty() {
        notes.push("no line differs".to_owned());
    }
    format!("File: {} ({})\n", shown_path(file, fence), notes.join(", "))
}

fn mode(side: &FileSide) -> &'static str {
    match side.mode {
        Mode::File => "plain file",
        Mode::Executable => "executable",
        Mode::Symlink => "symbolic link",
        Mode::Submodule => "submodule",
    }
}

fn evidence(file: &FileChange, here: &[&Finding], fence: &Fence<'_>) -> String {
    let mut text: String =
        here.iter().take(MOST_EVIDENCE).map(|finding| known_finding(finding, fence)).collect();
    if here.len() > MOST_EVIDENCE {
        text.push_str(&format!("and {} more in {}\n", here.len() - MOST_EVIDENCE, shown_path(file, fence)));
    }
    text
}

/// What a built-in rule has found, in one line.
pub fn known_finding(finding: &Finding, fence: &Fence<'_>) -> String {
    let place = clipped_path(&finding.location(), fence);
    let message = fence.scrub(&short_line(&finding.message)).replace('\n', " ");
    format!("{} {place} [{}] {message}\n", finding.severity, finding.rule)
}

fn hunk_text(path: &RepoPath, index: usize, hunk: &Hunk, fence: &Fence<'_>) -> HunkText {
    let enclosing = fence.scrub(&short_line(&hunk.heading)).replace('\n', " ");
    let (old, new) = (hunk.old, hunk.new);
    let heading = format!("@@ -{},{} +{},{} @@ {enclosing}", old.start, old.len, new.start, new.len);
    let heading = heading.trim_end().to_owned();
    let masked = masked(path, hunk, fence.redact);
    let lines: Vec<_> =
        hunk.lines().zip(masked).map(|(line, text)| shown_line(&line, &fence.shown(&text))).collect();
    let tokens = count(&format!("{heading}\n{}", lines.concat()));
    HunkText { hunk: index, heading, lines, tokens }
}

fn shown_line(line: &Line<'_>, text: &str) -> String {
    let end = if line.newline { "\n" } else { "\n\\ no line feed at the end of the file\n" };
    let (old, new) = (line.old.unwrap_or_default(), line.new.unwrap_or_default());
    match line.kind {
        LineKind::Added => format!("+{new}|{text}{end}"),
        LineKind::Removed => format!("-{old}|{text}{end}"),
        LineKind::Context => format!(" {old}/{new}|{text}{end}"),
    }
}

/// The lines of a hunk without their secrets. Each side is masked as a whole, since a private key spans lines.
fn masked(path: &RepoPath, hunk: &Hunk, redact: Redact) -> Vec<String> {
    let mut sides = [Side::Old, Side::New].map(|side| masked_side(path, hunk, side, redact).into_iter());
    let [old, new] = &mut sides;
    hunk.lines()
        .map(|line| {
            let on_old = if line.old.is_some() { old.next() } else { None };
            let on_new = if line.new.is_some() { new.next() } else { None };
            // A mask that lost a line must not let anything slip by.
            on_new.or(on_old).unwrap_or_else(|| "[redacted]".to_owned())
        })
        .collect()
}

fn masked_side(path: &RepoPath, hunk: &Hunk, side: Side, redact: Redact) -> Vec<String> {
    let here = |line: &Line<'_>| match side {
        Side::Old => line.old.is_some(),
        Side::New => line.new.is_some(),
    };
    let lines: Vec<_> =
        hunk.lines().filter(here).map(|line| String::from_utf8_lossy(line.text).into_owned()).collect();
    redact.file(path, &lines.join("\n")).split('\n').map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompt::Marker;
    use crate::scripted;

    #[test]
    fn lines_carry_their_numbers_on_both_sides() {
        let marker = Marker::new("data-1");
        let fence = Fence { marker: &marker, redact: Redact::new(|text| text.into(), |_, text| text.into()) };
        let change =
            scripted::change(&[("src/a.rs", "@@ -3,3 +3,3 @@ fn a() {\n same\n-old\n+new\u{202e}\n }\n")]);
        let files = files(&change, &[], &fence);
        assert_eq!(files[0].heading, "File: src/a.rs (modified)\n");
        assert_eq!(files[0].hunks[0].heading, "@@ -3,3 +3,3 @@ fn a() {");
        assert_eq!(files[0].hunks[0].lines.concat(), " 3/3|same\n-4|old\n+4|new<U+202E>\n 5/5|}\n");
    }

    #[test]
    fn a_secret_that_spans_lines_is_masked_on_the_side_it_is_on() {
        let marker = Marker::new("data-1");
        let redact = Redact::new(
            |text| text.into(),
            |_, text| text.replace("BEGIN\nMII\nEND", "[redacted]\n[redacted]\n[redacted]").into(),
        );
        let body = "@@ -1,3 +1,4 @@\n BEGIN\n-QQQ\n+MII\n END\n+x\n";
        let change = scripted::change(&[("key", body)]);
        let files = files(&change, &[], &Fence { marker: &marker, redact });
        let text = files[0].hunks[0].lines.concat();
        assert_eq!(text, " 1/1|[redacted]\n-2|QQQ\n+2|[redacted]\n 3/3|[redacted]\n+4|x\n");
    }

    #[test]
    fn a_mask_that_loses_lines_lets_nothing_slip_by() {
        let marker = Marker::new("data-1");
        let change = scripted::change(&[("key", "@@ -0,0 +1,2 @@\n+one\n+two\n")]);
        let redact = Redact::new(|text| text.into(), |_, _| "gone".into());
        let files = files(&change, &[], &Fence { marker: &marker, redact });
        assert_eq!(files[0].hunks[0].lines.concat(), "+1|gone\n+2|[redacted]\n");
    }
}
