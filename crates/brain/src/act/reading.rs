//! Showing hunks and lines of files.

use domain::change::{FileChange, RepoPath, Side};

use super::repository::{Repository, Room, Shown, Sight};
use super::seen::Seen;
use crate::packing::{FileText, HunkText, clip, count, pack};

/// Lines that are shown if nobody says how many.
const SOME_LINES: u32 = 400;
/// More of a file is not read into a conversation.
const LARGEST_FILE: usize = 4 * 1024 * 1024;

pub(super) fn show_hunk(
    repository: &Repository<'_>,
    seen: &Seen<'_>,
    path: &RepoPath,
    hunk: Option<u32>,
    part: Option<u32>,
    room: Room,
) -> Result<Shown, String> {
    let files = &repository.request.change.files;
    let is_it = |text: &&FileText| files.get(text.file).is_some_and(|file| is_called(file, path));
    let Some(file) = repository.texts.iter().find(is_it) else {
        return Err("The change has no such file to review. list_files names those it has.".to_owned());
    };
    if file.hunks.is_empty() {
        return Ok(Shown {
            note: "No line of it differs:".to_owned(),
            data: file.heading.clone(),
            sights: Vec::new(),
        });
    }
    match hunk {
        Some(number) => {
            let index = (number as usize).saturating_sub(1);
            let hunk =
                file.hunks.get(index).ok_or_else(|| format!("The file has {} hunks.", file.hunks.len()))?;
            one(repository, file, hunk, part.unwrap_or(1) as usize, room)
        }
        None => several(repository, seen, file, room),
    }
}

fn one(
    repository: &Repository<'_>,
    file: &FileText,
    hunk: &HunkText,
    part: usize,
    room: Room,
) -> Result<Shown, String> {
    let parts = parts(file, hunk, capacity(repository));
    let of = parts.len();
    let index = part.saturating_sub(1);
    let data = parts.into_iter().nth(index).ok_or_else(|| format!("The hunk has {of} parts."))?;
    if count(&data) > room.tokens {
        return Err(NO_ROOM.to_owned());
    }
    let number = hunk.hunk + 1;
    let note = if of > 1 {
        format!("Hunk {number}, part {part} of {of}:")
    } else {
        format!("Hunk {number}, all of it:")
    };
    let sights = vec![Sight::Part { id: (file.file, hunk.hunk), part: index, of }];
    let mut shown = Shown { note, data, sights };
    if part == 1 {
        tell_known(&mut shown, file, room);
    }
    Ok(shown)
}

/// What the built-in rules have found in the file, where there is room for it.
fn tell_known(shown: &mut Shown, file: &FileText, room: Room) {
    let known = format!("Found already by the built-in rules, not to be reported again:\n{}", file.evidence);
    if !file.evidence.is_empty() && count(&shown.data) + count(&known) <= room.tokens {
        shown.data.push_str(&known);
    }
}

/// A part of a hunk has less than a result may have, since counts of its lines do not add up exactly.
fn capacity(repository: &Repository<'_>) -> usize {
    repository.part_tokens / 10 * 9
}

pub(super) const NO_FILE: &str =
    "There is no such file on that side. list_files and grep tell which there are.";
pub(super) const NO_ROOM: &str =
    "There is no room for this in the present turn. Ask for it again in the next one.";

/// What has not been seen first. One that comes in parts is left to be asked for by itself.
fn several(
    repository: &Repository<'_>,
    seen: &Seen<'_>,
    file: &FileText,
    room: Room,
) -> Result<Shown, String> {
    let mut shown = Shown { data: file.heading.clone(), ..Shown::default() };
    let mut used = file.tokens;
    let mut left_out = Vec::new();
    let unseen_first = [false, true]
        .into_iter()
        .flat_map(|known| file.hunks.iter().filter(move |hunk| seen.holds((file.file, hunk.hunk)) == known));
    for hunk in unseen_first {
        let is_whole = hunk.tokens + file.tokens <= capacity(repository);
        if !is_whole || used + hunk.tokens > room.tokens {
            left_out.push((hunk.hunk + 1).to_string());
            continue;
        }
        used += hunk.tokens;
        shown.data.push_str(&format!("{}\n{}", hunk.heading, hunk.lines.concat()));
        shown.sights.push(Sight::Part { id: (file.file, hunk.hunk), part: 0, of: 1 });
    }
    if shown.sights.is_empty() && file.hunks.len() > 1 {
        return Err(format!(
            "None of its hunks fits beside what this turn shows already. Ask for one by its number, 1 to {}.",
            file.hunks.len()
        ));
    }
    if shown.sights.is_empty() {
        return file
            .hunks
            .first()
            .map_or_else(|| Err(NO_ROOM.to_owned()), |hunk| one(repository, file, hunk, 1, room));
    }
    tell_known(&mut shown, file, room);
    shown.note = match left_out.len() {
        0 => format!("All {} hunks:", file.hunks.len()),
        _ => format!(
            "{} of {} hunks; these did not fit: {}.",
            shown.sights.len(),
            file.hunks.len(),
            left_out.get(..30).unwrap_or(&left_out).join(", ")
        ),
    };
    Ok(shown)
}

fn parts(file: &FileText, hunk: &HunkText, capacity: usize) -> Vec<String> {
    let alone = FileText {
        hunks: vec![hunk.clone()],
        evidence: String::new(),
        tokens: count(&file.heading),
        ..file.clone()
    };
    pack(vec![alone], capacity).iter().map(crate::packing::Bundle::diff).collect()
}

pub(super) fn read_file(
    repository: &Repository<'_>,
    path: &RepoPath,
    side: Side,
    (start, end): (Option<u32>, Option<u32>),
    room: Room,
) -> Result<Shown, String> {
    let read = repository.request.sources.read_path(path, side);
    let bytes = read.map_err(|_| "The file cannot be read.".to_owned())?;
    let Some(bytes) = bytes else {
        return Err(NO_FILE.to_owned());
    };
    if bytes.len() > LARGEST_FILE || bytes.iter().take(8_000).any(|byte| *byte == 0) {
        return Err("The file is binary, or too large to be read. Use show_hunk or grep.".to_owned());
    }
    let fence = repository.fence();
    let text = String::from_utf8_lossy(&bytes);
    // Masked as a whole, since a private key spans lines.
    let masked = repository.redact.file(path, &text);
    let lines: Vec<&str> = masked.lines().collect();
    if lines.len() != text.lines().count() {
        return Err("The file holds secrets and cannot be shown.".to_owned());
    }
    let total = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    let start = start.unwrap_or(1).max(1);
    let end = end.unwrap_or(start.saturating_add(SOME_LINES - 1)).min(total);
    if start > end {
        return Err(format!("The file has {total} lines."));
    }
    let wanted = lines.iter().enumerate().take(end as usize).skip(start as usize - 1);
    let numbered: String = wanted
        .map(|(index, line)| format!("{}|{}\n", index + 1, fence.shown(line).replace('\n', " ")))
        .collect();
    let data = clip(&numbered, room.tokens);
    let whole = u32::try_from(data.matches('\n').count()).unwrap_or(0);
    if whole == 0 {
        return Err(if room.tokens < repository.part_tokens {
            NO_ROOM.to_owned()
        } else {
            format!("Line {start} is too long to be shown.")
        });
    }
    let last = start + whole - 1;
    let data = data.get(..data.rfind('\n').map_or(0, |at| at + 1)).unwrap_or_default().to_owned();
    let files = repository.request.change.files.iter().enumerate();
    let sights = files
        .filter(|(_, file)| file.side(side).is_some_and(|here| here.path == *path))
        .map(|(file, _)| Sight::Lines { file, side, first: start, last })
        .collect();
    Ok(Shown { note: format!("Lines {start} to {last} of {total}:"), data, sights })
}

fn is_called(file: &FileChange, path: &RepoPath) -> bool {
    [&file.new, &file.old].into_iter().flatten().any(|side| side.path == *path)
}
