//! Searching the head of the repository, within bounds.

use domain::change::{RepoPath, Side};
use domain::ports::Sources;
use regex::{Regex, RegexBuilder};
use tokio::time::Instant;

use super::listing::below;
use super::repository::{Room, Shown, clipped};
use crate::prompt::Fence;

const MOST_MATCHES: usize = 100;
const MOST_BYTES: usize = 64 * 1024 * 1024;
const LARGEST_FILE: usize = 1024 * 1024;
const LONGEST_LINE: usize = 300;

pub(super) struct Pattern(Regex);

impl Pattern {
    pub(super) fn new(pattern: &str, kind: &str) -> Result<Pattern, String> {
        let pattern = if kind == "regex" { pattern.to_owned() } else { regex::escape(pattern) };
        let built =
            RegexBuilder::new(&pattern).size_limit(1 << 20).dfa_size_limit(1 << 20).multi_line(true).build();
        built
            .map(Pattern)
            .map_err(|_| "The pattern is no regular expression that can be used, or too large.".to_owned())
    }
}

/// Looks at masked text only: a search must not tell what a secret is.
pub(super) fn grep(
    files: &[RepoPath],
    folder: Option<&RepoPath>,
    pattern: &Pattern,
    sources: &dyn Sources,
    fence: &Fence<'_>,
    room: Room,
) -> Shown {
    let mut found = Vec::new();
    let mut looked_at = 0;
    let mut ended = "";
    for path in files.iter().filter(|path| below(path, folder).is_some()) {
        if looked_at > MOST_BYTES || Instant::now() >= room.deadline {
            ended = " Not all files were searched; name a folder.";
            break;
        }
        let Ok(Some(bytes)) = sources.read_path(path, Side::New) else { continue };
        looked_at += bytes.len();
        if bytes.len() > LARGEST_FILE || bytes.iter().take(8_000).any(|byte| *byte == 0) {
            continue;
        }
        let text = String::from_utf8_lossy(&bytes);
        if pattern.0.is_match(&text) {
            found.extend(
                matches(path, &fence.redact.file(path, &text), pattern, fence)
                    .take(MOST_MATCHES + 1 - found.len()),
            );
        }
        if found.len() > MOST_MATCHES {
            found.truncate(MOST_MATCHES);
            ended = " There are more.";
            break;
        }
    }
    clipped(&format!("{} lines found.{ended}", found.len()), &found.concat(), room.tokens)
}

fn matches<'a>(
    path: &'a RepoPath,
    masked: &'a str,
    pattern: &'a Pattern,
    fence: &'a Fence<'a>,
) -> impl Iterator<Item = String> + 'a {
    let name = fence.scrub(&path.to_string());
    masked.lines().enumerate().filter(|(_, line)| pattern.0.is_match(line)).map(move |(index, line)| {
        let kept = &line[..line.floor_char_boundary(LONGEST_LINE)];
        format!("{name}:{}|{}\n", index + 1, fence.shown(kept).replace('\n', " "))
    })
}
