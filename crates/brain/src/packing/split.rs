//! Taking apart what does not fit into one call.

use super::render::{FileText, HunkText};
use super::tokens::{count, floor};

/// Lines of a part that the next one repeats, so that no statement is seen only by its halves.
const OVERLAP: usize = 3;
/// For `(part 12 of 34)` and the like.
const LABEL: usize = 16;

/// A hunk or a part of one.
#[derive(Debug, Clone)]
pub struct Piece {
    /// Its position in the file; absent for a file in which no line differs.
    pub hunk: Option<usize>,
    pub text: String,
    pub tokens: usize,
    /// Which part of its hunk it is, from 0.
    pub part: usize,
    /// Whether it is all there is to be seen of its hunk.
    pub whole: bool,
}

/// Something that goes into one call together: a file, or as much of it as fits.
#[derive(Debug, Clone)]
pub(super) struct Item {
    /// The position in the list of files to pack.
    pub(super) source: usize,
    pub(super) pieces: Vec<Piece>,
    /// The heading and evidence of the file included.
    pub(super) tokens: usize,
}

/// The file as items of at most `capacity` tokens. Nothing of it is left out.
pub(super) fn items(source: usize, file: &FileText, capacity: usize) -> Vec<Item> {
    let room = capacity.saturating_sub(file.tokens).max(1);
    let mut items = vec![Item { source, pieces: Vec::new(), tokens: file.tokens }];
    for piece in file.hunks.iter().flat_map(|hunk| pieces(hunk, room)) {
        match items.last_mut() {
            Some(last) if last.pieces.is_empty() || last.tokens + piece.tokens <= capacity => {
                last.tokens += piece.tokens;
                last.pieces.push(piece);
            }
            _ => items.push(Item { source, tokens: file.tokens + piece.tokens, pieces: vec![piece] }),
        }
    }
    items
}

fn pieces(hunk: &HunkText, room: usize) -> Vec<Piece> {
    if hunk.tokens <= room {
        let text = format!("{}\n{}", hunk.heading, hunk.lines.concat());
        return vec![Piece { hunk: Some(hunk.hunk), text, tokens: hunk.tokens, part: 0, whole: true }];
    }
    let parts = labelled(&hunk.heading, &hunk.lines, room);
    let piece = |(part, (text, tokens)): (usize, (String, usize))| Piece {
        hunk: Some(hunk.hunk),
        text,
        tokens,
        part,
        whole: false,
    };
    parts.into_iter().enumerate().map(piece).collect()
}

/// Lines in parts of at most `room` tokens, each under the heading with its number, and with its tokens.
pub(super) fn labelled(heading: &str, lines: &[String], room: usize) -> Vec<(String, usize)> {
    let own = count(heading) + LABEL;
    let parts = parts(lines, room.saturating_sub(own).max(1));
    let of = parts.len();
    let text = |(index, (lines, tokens)): (usize, (Vec<String>, usize))| {
        (format!("{heading} (part {} of {of})\n{}", index + 1, lines.concat()), tokens + own)
    };
    parts.into_iter().enumerate().map(text).collect()
}

/// Runs of lines that have at most `room` tokens each, with those tokens.
fn parts(lines: &[String], room: usize) -> Vec<(Vec<String>, usize)> {
    let mut parts = Vec::new();
    let mut part: Vec<(String, usize)> = Vec::new();
    let mut used = 0;
    for (line, tokens) in lines.iter().flat_map(|line| fitting(line, room)) {
        if used + tokens > room && !part.is_empty() {
            let next = overlap(&part, room.saturating_sub(tokens));
            parts.push(finished(std::mem::replace(&mut part, next)));
            used = part.iter().map(|(_, tokens)| tokens).sum();
        }
        used += tokens;
        part.push((line, tokens));
    }
    if !part.is_empty() {
        parts.push(finished(part));
    }
    parts
}

fn finished(part: Vec<(String, usize)>) -> (Vec<String>, usize) {
    let tokens = part.iter().map(|(_, tokens)| tokens).sum();
    (part.into_iter().map(|(line, _)| line).collect(), tokens)
}

/// The last lines of a part, as far as they take little of the next one.
fn overlap(part: &[(String, usize)], room: usize) -> Vec<(String, usize)> {
    let last = part.get(part.len().saturating_sub(OVERLAP)..).unwrap_or_default();
    let tokens: usize = last.iter().map(|(_, tokens)| tokens).sum();
    if last.len() < part.len() && tokens <= room / 4 { last.to_vec() } else { Vec::new() }
}

/// The line, or its pieces if it has more than `room` tokens. Each piece starts like the line, and all but the
/// last end in a mark that it goes on.
fn fitting(line: &str, room: usize) -> Vec<(String, usize)> {
    const GOES_ON: &str = "<goes on>\n";
    let tokens = count(line);
    if tokens <= room {
        return vec![(line.to_owned(), tokens)];
    }
    let (prefix, text) = line.split_at(line.find('|').map_or(0, |at| at + 1));
    let own = count(prefix) + count(GOES_ON) + 1;
    let room = room.saturating_sub(own).max(1);
    let mut pieces = Vec::new();
    let mut rest = text;
    let mut size = text.len().saturating_mul(room) / tokens;
    while !rest.is_empty() {
        let cut = match floor(rest, size) {
            0 => rest.chars().next().map_or(rest.len(), char::len_utf8),
            cut => cut,
        };
        let (piece, after) = rest.split_at(cut);
        let end = if after.is_empty() { "" } else { GOES_ON };
        let shown = format!("{prefix}{piece}{end}");
        let tokens = count(&shown);
        if tokens > room + own && piece.chars().nth(1).is_some() {
            size = cut / 2;
            continue;
        }
        pieces.push((shown, tokens));
        rest = after;
    }
    pieces
}
