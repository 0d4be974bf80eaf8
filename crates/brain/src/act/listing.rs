//! Listing files, a page at a time.

use std::collections::BTreeSet;

use domain::change::RepoPath;

use super::repository::{Repository, Room, Shown};
use super::seen::Seen;
use crate::packing::{clip, overview};
use crate::prompt::Fence;

/// Hunks of one file that are named; of more the first ones are.
const MOST_NAMED: usize = 30;

pub(super) fn change(repository: &Repository<'_>, seen: &Seen<'_>, from: usize, room: Room) -> Shown {
    let change = repository.request.change;
    let lines = overview(change, &repository.fence());
    let entries: Vec<_> = lines
        .iter()
        .zip(&change.files)
        .enumerate()
        .map(|(index, (line, file))| {
            format!("{}{}\n", line.trim_end(), hunks(seen, index, file.hunks().len()))
        })
        .collect();
    page("files of the change", &entries, from, room)
}

fn hunks(seen: &Seen<'_>, file: usize, count: usize) -> String {
    let missing: Vec<_> = seen.missing_in(file).map(|hunk| (hunk + 1).to_string()).collect();
    match missing.len() {
        0 => format!(" {count} hunks"),
        all if all == count => format!(" {count} hunks, none seen yet"),
        _ => format!(
            " {count} hunks, not seen yet: {}",
            missing.get(..MOST_NAMED).unwrap_or(&missing).join(", ")
        ),
    }
}

/// What is directly in a folder; folders end in a slash.
pub(super) fn folder(
    files: &[RepoPath],
    folder: Option<&RepoPath>,
    from: usize,
    fence: &Fence<'_>,
    room: Room,
) -> Shown {
    let entry = |path: &RepoPath| {
        let rest = below(path, folder)?;
        let end = rest.iter().position(|byte| *byte == b'/').map_or(rest.len(), |at| at + 1);
        Some(RepoPath::from_bytes(&rest[..end]))
    };
    let entries: BTreeSet<_> = files.iter().filter_map(entry).collect();
    let entries: Vec<_> =
        entries.iter().map(|entry| format!("{}\n", fence.scrub(&entry.to_string()))).collect();
    page("entries", &entries, from, room)
}

/// The part of a path after a folder, if it is in there.
pub(super) fn below<'a>(path: &'a RepoPath, folder: Option<&RepoPath>) -> Option<&'a [u8]> {
    match folder {
        None => Some(path.as_bytes()),
        Some(folder) => path.as_bytes().strip_prefix(folder.as_bytes())?.strip_prefix(b"/"),
    }
}

fn page(what: &str, entries: &[String], from: usize, room: Room) -> Shown {
    let rest = entries.get(from - 1..).unwrap_or_default().concat();
    let data = clip(&rest, room.tokens);
    let data = data.get(..data.rfind('\n').map_or(0, |at| at + 1)).unwrap_or_default();
    let last = from - 1 + data.matches('\n').count();
    let note = if last < from {
        format!("There are {} {what}, and none can be shown from number {from} on.", entries.len())
    } else {
        format!("{from} to {last} of {} {what}:", entries.len())
    };
    Shown { note, data: data.to_owned(), sights: Vec::new() }
}
