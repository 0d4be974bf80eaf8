//! Where a model says a finding is, looked up in the real change.

use domain::change::{Change, FileChange, Hunk, RepoPath, Side};
use domain::review::{Anchor, Claim, Place};

/// As a model wrote it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Said<'a> {
    pub(super) file: Option<&'a str>,
    pub(super) line: Option<u32>,
    pub(super) end_line: Option<u32>,
    pub(super) quote: Option<&'a str>,
}

/// Whether a finding is where it was said to be, as far as anything was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Placed {
    AsSaid,
    /// On the file or the change as a whole, for want of a better place.
    Somewhere,
}

pub(super) fn place(said: Said<'_>, change: &Change) -> (Place, Placed) {
    let line = said.line.filter(|line| *line > 0);
    let quote = said.quote.map(without_numbers).filter(|quote| !quote.trim().is_empty());
    let named = said.file.map(str::trim).filter(|file| !file.is_empty());
    let path = named.and_then(|file| path(file, change));
    let wants_line = line.is_some() || quote.is_some();
    let wants_file = named.is_some() || wants_line;
    let claim = Claim { path, line, quote };
    match claim.resolve(change) {
        Place::Lines(anchor) => (Place::Lines(extended(anchor, &said, change)), Placed::AsSaid),
        place @ Place::File { .. } => (place, if wants_line { Placed::Somewhere } else { Placed::AsSaid }),
        Place::Summary => (Place::Summary, if wants_file { Placed::Somewhere } else { Placed::AsSaid }),
    }
}

/// The path in the change that is meant. Models add the `a/` and `b/` of a diff, a `./` or a line number, or
/// leave out folders: the last counts only if one file alone fits.
fn path(text: &str, change: &Change) -> Option<RepoPath> {
    const LONGEST: usize = 4_096;
    let text = text.trim_matches('`');
    if text.len() > LONGEST {
        return None;
    }
    let numberless =
        text.rsplit_once(':').filter(|(_, number)| number.starts_with(|c: char| c.is_ascii_digit()));
    let candidates = [Some(text), numberless.map(|(path, _)| path)];
    for candidate in candidates.into_iter().flatten() {
        for prefix in ["", "./", "a/", "b/"] {
            let Some(candidate) = candidate.strip_prefix(prefix) else { continue };
            let Ok(candidate) = RepoPath::try_from(candidate.to_owned()) else { continue };
            if change.files.iter().any(|file| is_called(file, &candidate)) {
                return Some(candidate);
            }
        }
    }
    let ending = format!("/{}", numberless.map_or(text, |(path, _)| path));
    let mut fitting = change.files.iter().filter(|file| file.path().as_bytes().ends_with(ending.as_bytes()));
    match (fitting.next(), fitting.next()) {
        (Some(file), None) => Some(file.path().clone()),
        (_, _) => None,
    }
}

fn is_called(file: &FileChange, path: &RepoPath) -> bool {
    [&file.new, &file.old].into_iter().flatten().any(|side| side.path == *path)
}

/// The first line that says something, without the `+12|` that our diffs put in front.
fn without_numbers(quote: &str) -> String {
    let line = quote.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    match line.split_once('|') {
        Some((mark, code))
            if mark.chars().any(|c| c.is_ascii_digit())
                && mark.trim().chars().all(|c| c.is_ascii_digit() || "+-/".contains(c)) =>
        {
            code.to_owned()
        }
        _ => line.to_owned(),
    }
}

/// Down to the last line that was named, as far as the same hunk shows it.
fn extended(mut anchor: Anchor, said: &Said<'_>, change: &Change) -> Anchor {
    let (Some(line), Some(end)) = (said.line, said.end_line) else { return anchor };
    let wanted = anchor.start.saturating_add(end.saturating_sub(line));
    let span = |hunk: &Hunk| match anchor.side {
        Side::Old => hunk.old,
        Side::New => hunk.new,
    };
    let file = change.files.iter().find(|file| *file.path() == anchor.path);
    let hunk = file.and_then(|file| file.hunks().iter().map(span).find(|span| span.contains(anchor.start)));
    if let Some(span) = hunk {
        anchor.end = wanted.min(span.start.saturating_add(span.len.saturating_sub(1))).max(anchor.start);
    }
    anchor
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scripted;

    fn find(file: &str, line: u32, quote: &str) -> (String, Placed) {
        let change = scripted::change(&[
            ("src/a.rs", "@@ -1,1 +1,5 @@\n fn a() {\n+    check(x);\n+    b();\n+    check(x);\n+}\n"),
            ("lib/mod.rs", "@@ -0,0 +1,1 @@\n+x\n"),
            ("src/mod.rs", "@@ -0,0 +1,1 @@\n+x\n"),
        ]);
        let said = Said { file: Some(file), line: Some(line), end_line: Some(line + 1), quote: Some(quote) };
        let (place, placed) = place(said, &change);
        let place = match place {
            Place::Lines(anchor) => format!("{}:{}-{}", anchor.path, anchor.start, anchor.end),
            Place::File { path } => path.to_string(),
            Place::Summary => String::new(),
        };
        (place, placed)
    }

    #[test]
    fn of_identical_lines_the_right_one_is_taken() {
        assert_eq!(find("src/a.rs", 2, "check(x);").0, "src/a.rs:2-3");
        assert_eq!(find("src/a.rs", 5, "check(x);").0, "src/a.rs:4-5");
        assert_eq!(find("src/a.rs", 3, "+4|    check(x);\nmore").0, "src/a.rs:2-3");
    }

    #[test]
    fn paths_are_recognised_in_the_ways_models_write_them() {
        for path in ["b/src/a.rs", "./src/a.rs", "`src/a.rs`", "src/a.rs:3", "a.rs"] {
            assert_eq!(find(path, 3, "").0, "src/a.rs:3-4", "{path}");
        }
        assert_eq!(find("mod.rs", 1, "x"), (String::new(), Placed::Somewhere));
    }

    #[test]
    fn what_is_not_there_is_placed_on_the_file_and_told_apart() {
        assert_eq!(find("src/a.rs", 99, "nothing like it"), ("src/a.rs".into(), Placed::Somewhere));
        assert_eq!(find("src/a.rs", 0, ""), ("src/a.rs".into(), Placed::AsSaid));
    }
}
