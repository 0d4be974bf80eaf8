use std::collections::HashMap;

use domain::change::{Change, FileChange, Hunk, LineKind, RepoPath, Side};
use domain::review::Anchor;
use unicode_width::UnicodeWidthStr;

use super::{Look, style, text};

/// Lines of the diff shown before and after the ones in question.
const AROUND: usize = 2;

/// Of a long range only the beginning is shown, and only its first line is underlined.
const MOST: usize = 4;

/// Draws the code that findings are about.
///
/// Secrets are masked hunk by hunk, because a private key spans lines; each hunk is prepared once, because a
/// thousand findings may share it.
pub(super) struct Frames<'a> {
    files: HashMap<&'a RepoPath, &'a FileChange>,
    prepared: Option<Prepared>,
}

/// The visible lines of one side of one hunk. Their numbers have no gaps.
struct Prepared {
    path: RepoPath,
    side: Side,
    first: u32,
    lines: Vec<(LineKind, String)>,
}

impl<'a> Frames<'a> {
    pub(super) fn of(change: &'a Change) -> Self {
        Frames { files: change.files.iter().map(|file| (file.path(), file)).collect(), prepared: None }
    }

    /// The changed lines a finding is about, as the diff shows them, underlined.
    pub(super) fn render(&mut self, anchor: &Anchor, mark: anstyle::Style, look: &Look, out: &mut String) {
        let Some(hunk) = self.prepare(anchor) else { return };
        let start = (anchor.start - hunk.first) as usize;
        let end = (anchor.end.max(anchor.start) - hunk.first) as usize;
        let shown =
            start.saturating_sub(AROUND)..(end.min(start + MOST - 1) + AROUND + 1).min(hunk.lines.len());
        let digits = (hunk.first as usize + shown.end).to_string().len().max(3);
        // Two of indentation, the diff marker, a space, the number, ` | `.
        let room = look.width.saturating_sub(digits + 7);
        let gutter = style::GUTTER;
        // `path:line` on a line of its own is what editors and terminals make clickable.
        out.push_str(&format!("  {gutter}-->{gutter:#} {}:{}\n", anchor.path, anchor.start));
        for index in shown {
            let (kind, code) = &hunk.lines[index];
            let (sign, tint) = match kind {
                LineKind::Added => ("+", style::ADDED),
                LineKind::Removed => ("-", style::REMOVED),
                LineKind::Context => (" ", style::DIM),
            };
            let number = hunk.first as usize + index;
            let code = text::fit(text::printable(code.as_bytes()).trim_end(), room);
            out.push_str(&format!("  {tint}{sign}{tint:#} {gutter}{number:>digits$} |{gutter:#}"));
            if !code.is_empty() {
                out.push_str(&format!(" {tint}{code}{tint:#}"));
            }
            out.push('\n');
            if index == start && !code.is_empty() {
                let indent = code.width() - code.trim_start().width();
                let underline = "^".repeat(code.trim_start().width());
                out.push_str(&format!(
                    "    {:digits$} {gutter}|{gutter:#} {:indent$}{mark}{underline}{mark:#}\n",
                    "", ""
                ));
            }
        }
    }

    fn prepare(&mut self, anchor: &Anchor) -> Option<&Prepared> {
        let fits = |hunk: &Prepared| {
            hunk.path == anchor.path
                && hunk.side == anchor.side
                && (hunk.first..hunk.first + hunk.lines.len() as u32).contains(&anchor.start)
        };
        if !self.prepared.as_ref().is_some_and(fits) {
            let hunks = self.files.get(&anchor.path)?.hunks();
            let hunk = hunks.iter().find(|hunk| span(hunk, anchor.side).contains(anchor.start))?;
            self.prepared = Some(Prepared::new(anchor, hunk));
        }
        self.prepared.as_ref()
    }
}

impl Prepared {
    fn new(anchor: &Anchor, hunk: &Hunk) -> Self {
        let hidden = match anchor.side {
            Side::New => LineKind::Removed,
            Side::Old => LineKind::Added,
        };
        let (mut kinds, mut text) = (Vec::new(), String::new());
        for line in hunk.lines().filter(|line| line.kind != hidden) {
            kinds.push(line.kind);
            text.push_str(&String::from_utf8_lossy(line.text));
            text.push('\n');
        }
        let masked = rules::redact_file(&anchor.path, &text);
        let lines = kinds.into_iter().zip(masked.split('\n').map(str::to_owned)).collect();
        Prepared { path: anchor.path.clone(), side: anchor.side, first: span(hunk, anchor.side).start, lines }
    }
}

fn span(hunk: &Hunk, side: Side) -> domain::change::Span {
    match side {
        Side::Old => hunk.old,
        Side::New => hunk.new,
    }
}
