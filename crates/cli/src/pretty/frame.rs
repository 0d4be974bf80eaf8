use domain::change::{Change, Hunk, Line, LineKind, Side};
use domain::review::Anchor;
use unicode_width::UnicodeWidthStr;

use super::{Look, style, text};

/// Lines of the diff shown before and after the ones in question.
const AROUND: usize = 2;

/// The changed lines a finding is about, as the diff shows them, underlined.
pub(super) fn render(anchor: &Anchor, change: &Change, mark: anstyle::Style, look: &Look, out: &mut String) {
    let Some(lines) = excerpt(anchor, change) else { return };
    let widest = lines.iter().filter_map(|line| number(line, anchor.side)).max().unwrap_or_default();
    let digits = widest.to_string().len().max(3);
    let gutter = style::GUTTER;
    // `path:line` on a line of its own is what editors and terminals make clickable.
    out.push_str(&format!("  {gutter}-->{gutter:#} {}:{}\n", anchor.path, anchor.start));
    // Two of indentation, the diff marker, a space, the number, ` | `.
    let room = look.width.saturating_sub(digits + 7);
    for line in &lines {
        let number = number(line, anchor.side).map(|number| number.to_string()).unwrap_or_default();
        let (sign, tint) = match line.kind {
            LineKind::Added => ("+", style::ADDED),
            LineKind::Removed => ("-", style::REMOVED),
            LineKind::Context => (" ", style::DIM),
        };
        let code = rules::redact(&String::from_utf8_lossy(line.text)).into_owned();
        let code = text::fit(text::printable(code.as_bytes()).trim_end(), room);
        out.push_str(&format!("  {tint}{sign}{tint:#} {gutter}{number:>digits$} |{gutter:#}"));
        if !code.is_empty() {
            out.push_str(&format!(" {tint}{code}{tint:#}"));
        }
        out.push('\n');
        if in_question(line, anchor) && !code.trim().is_empty() {
            let indent = code.width() - code.trim_start().width();
            let underline = "^".repeat(code.trim_start().width());
            out.push_str(&format!(
                "    {:digits$} {gutter}|{gutter:#} {:indent$}{mark}{underline}{mark:#}\n",
                "", ""
            ));
        }
    }
}

fn excerpt<'a>(anchor: &Anchor, change: &'a Change) -> Option<Vec<Line<'a>>> {
    let file = change.files.iter().find(|file| *file.path() == anchor.path)?;
    let visible = |line: &Line<'_>| match anchor.side {
        Side::New => line.kind != LineKind::Removed,
        Side::Old => line.kind != LineKind::Added,
    };
    file.hunks().iter().find_map(|hunk: &Hunk| {
        let lines: Vec<_> = hunk.lines().filter(visible).collect();
        let first = lines.iter().position(|line| in_question(line, anchor))?;
        let last = lines.iter().rposition(|line| in_question(line, anchor))?;
        let last = last.min(first + 7);
        Some(lines[first.saturating_sub(AROUND)..(last + AROUND + 1).min(lines.len())].to_vec())
    })
}

fn number(line: &Line<'_>, side: Side) -> Option<u32> {
    match side {
        Side::Old => line.old,
        Side::New => line.new,
    }
}

fn in_question(line: &Line<'_>, anchor: &Anchor) -> bool {
    number(line, anchor.side).is_some_and(|number| (anchor.start..=anchor.end).contains(&number))
}
