//! The report for people: the code in question, what is wrong with it, and what to do next.
//!
//! Colour only ever repeats what a word says already, so nothing is lost where there is none.

mod findings;
mod frame;
mod scores;
mod section;
mod span;
mod style;
mod table;
mod text;
mod verdict;

use std::io::{IsTerminal, Write};
use std::time::Duration;

use domain::change::Change;
use domain::review::Review;

pub(crate) use section::{plain, section};
pub(crate) use span::span;
pub(crate) use table::{Cell, Tone, table};
pub(crate) use text::{count, wrap};
pub(crate) use verdict::verdict_line;

/// A finished review with what the report says around it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run<'a> {
    pub(crate) review: &'a Review,
    pub(crate) change: &'a Change,
    pub(crate) elapsed: Duration,
    /// The address of the pull or merge request that was reviewed, if it was one.
    pub(crate) request: Option<&'a str>,
}

/// What the reader's screen can show.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    pub(crate) width: usize,
    pub(crate) charset: Charset,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Charset {
    Unicode,
    Ascii,
}

impl Look {
    pub(crate) fn of_terminal() -> Self {
        let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        let measured = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        let width = columns.or(measured).unwrap_or(100).clamp(40, 140);
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
            .iter()
            .filter_map(|name| std::env::var(name).ok())
            .find(|value| !value.is_empty())
            .unwrap_or_default()
            .to_ascii_lowercase();
        let utf8 = locale.contains("utf-8") || locale.contains("utf8");
        Look { width, charset: if utf8 { Charset::Unicode } else { Charset::Ascii } }
    }

    /// How wide a list may be: as wide as it likes, unless somebody looks at it on a terminal.
    pub(crate) fn width_of_lists() -> Option<usize> {
        std::io::stdout().is_terminal().then(|| Look::of_terminal().width)
    }

    pub(crate) fn for_file() -> Self {
        Look { width: 100, charset: Charset::Unicode }
    }
}

/// The whole report, with ANSI styles in it; whoever writes it strips them where they are not wanted.
pub(crate) fn render(run: &Run<'_>, look: &Look) -> String {
    let mut out = String::new();
    header(run, look, &mut out);
    findings::render(run, look, &mut out);
    scores::render(run.review, look, &mut out);
    verdict::render(run, look, &mut out);
    out
}

/// One line on standard error: everything that is not data.
pub(crate) fn note(text: &str) {
    let mut stderr = anstream::stderr().lock();
    // Notes are a courtesy; the exit code and the report carry what matters.
    let _ = writeln!(stderr, "{}", text::printable(text.as_bytes()));
}

/// Several lines on standard error.
pub(crate) fn note_lines(text: &str) {
    text.lines().for_each(note);
}

/// For text from elsewhere that other commands print.
pub(crate) fn safe(text: &str) -> String {
    text::printable(text.as_bytes())
}

fn header(run: &Run<'_>, look: &Look, out: &mut String) {
    let scope = &run.review.subject.scope;
    let (bold, dim) = (style::BOLD, style::DIM);
    let (head, base) = (scope.head_label(), scope.base_label());
    let (added, removed) = line_counts(run.change);
    let line = format!("{} against {}", text::printable(head.as_bytes()), text::printable(base.as_bytes()));
    out.push_str(&format!("{bold}Review of {line}{bold:#}\n"));
    out.push_str(&format!(
        "{dim}{}, {} added, {} removed{dim:#}\n",
        text::count(run.change.files.len(), "file"),
        text::count(added, "line"),
        text::grouped(removed)
    ));
    for note in scope.notes.iter().chain(&run.review.remarks) {
        let note = text::printable(note.as_bytes());
        for line in text::wrap(&note, look.width, "note: ", "      ") {
            out.push_str(&format!("{}{line}{:#}\n", style::NOTE, style::NOTE));
        }
    }
    out.push('\n');
}

fn line_counts(change: &Change) -> (usize, usize) {
    change.files.iter().fold((0, 0), |(added, removed), file| {
        (added + file.added().count(), removed + file.removed().count())
    })
}

#[cfg(test)]
mod tests;
