//! Columns that line up, whatever is in them.

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use super::{style, text};

/// What a cell means beyond its words. Nothing is said by colour alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Plain,
    Heading,
    Good,
    Attention,
    Bad,
    Faint,
}

#[derive(Debug, Clone)]
pub(crate) struct Cell {
    text: String,
    tone: Tone,
    side: Side,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

impl Cell {
    /// Text from anywhere.
    pub(crate) fn text(text: &str) -> Cell {
        Cell { text: super::safe(text), tone: Tone::Plain, side: Side::Left }
    }

    pub(crate) fn number(number: impl std::fmt::Display) -> Cell {
        Cell { side: Side::Right, ..Cell::text(&number.to_string()) }
    }

    pub(crate) fn toned(self, tone: Tone) -> Cell {
        Cell { tone, ..self }
    }
}

/// `heading` names the columns, aligned as what stands below them. With a `width`, the last column is cut to fit.
pub(crate) fn table(heading: &[&str], rows: &[Vec<Cell>], width: Option<usize>) -> String {
    let side =
        |column: usize| rows.first().and_then(|row| row.get(column)).map_or(Side::Left, |cell| cell.side);
    let heading: Vec<Cell> = heading
        .iter()
        .enumerate()
        .map(|(column, name)| Cell { text: (*name).to_owned(), tone: Tone::Heading, side: side(column) })
        .collect();
    let rows: Vec<&Vec<Cell>> =
        Some(&heading).into_iter().filter(|row| !row.is_empty()).chain(rows.iter()).collect();
    let columns = rows.iter().map(|row| row.len()).max().unwrap_or_default();
    let widths: Vec<usize> = (0..columns)
        .map(|column| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.text.width()).max())
        .map(Option::unwrap_or_default)
        .collect();
    rows.iter().map(|row| line(row, &widths, width)).collect()
}

fn line(row: &[Cell], widths: &[usize], limit: Option<usize>) -> String {
    let (mut line, mut gap, mut used) = (String::new(), 0, 0);
    for (index, (cell, width)) in row.iter().zip(widths).enumerate() {
        let is_last = index + 1 == row.len();
        let shown = match limit {
            Some(limit) if is_last => text::fit(&cell.text, limit.saturating_sub(used).max(10)),
            Some(_) | None => cell.text.clone(),
        };
        let room = width.saturating_sub(shown.width());
        let (before, after) = match cell.side {
            Side::Left => (gap, room),
            Side::Right => (gap + room, 0),
        };
        if !shown.is_empty() {
            let style = style_of(cell.tone);
            line.push_str(&format!("{:before$}{style}{shown}{style:#}", ""));
            gap = after + 2;
        } else {
            gap += width + 2;
        }
        used += width + 2;
    }
    line + "\n"
}

fn style_of(tone: Tone) -> Style {
    match tone {
        Tone::Plain => Style::new(),
        Tone::Heading => style::BOLD,
        Tone::Good => style::GOOD,
        Tone::Attention => style::NOTE,
        Tone::Bad => style::BAD,
        Tone::Faint => style::DIM,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(heading: &[&str], rows: &[Vec<Cell>], width: Option<usize>) -> String {
        anstream::adapter::strip_str(&table(heading, rows, width)).to_string()
    }

    #[test]
    fn columns_line_up_whatever_is_in_them() {
        let row = |name: &str, count: u32, rest: &str| {
            vec![Cell::text(name).toned(Tone::Good), Cell::number(count), Cell::text(rest)]
        };
        let rows = [row("漢字", 7, "a\u{1b}[2Jb"), row("a", 1234, ""), row("", 1, "x")];
        assert_eq!(
            plain(&["NAME", "N", "REST"], &rows, None),
            "NAME     N  REST\n漢字     7  a<U+001B>[2Jb\na     1234\n         1  x\n"
        );
    }

    #[test]
    fn the_last_column_is_cut_to_fit() {
        let rows = [vec![Cell::text("abc"), Cell::text("a rather long sentence")]];
        assert_eq!(plain(&[], &rows, Some(20)), "abc  a rather lon...\n");
    }
}
