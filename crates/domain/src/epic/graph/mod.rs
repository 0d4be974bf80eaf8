//! The tickets of an epic and what they wait for, as a picture.

mod layout;
mod mermaid;
mod svg;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::{EpicDocument, TicketEntry};
use crate::cycle::TicketStatus;
use crate::text::clean_line;

pub use mermaid::mermaid;
pub use svg::svg;

/// What is known of the tickets besides the epic, by id. A ticket that is missing is pending and has no title.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Known {
    pub titles: BTreeMap<String, String>,
    pub statuses: BTreeMap<String, TicketStatus>,
}

impl Known {
    fn status(&self, ticket: &TicketEntry) -> TicketStatus {
        self.statuses.get(ticket.id.as_str()).copied().unwrap_or(TicketStatus::Pending)
    }

    /// On one line, without anything hidden.
    fn title(&self, ticket: &TicketEntry) -> String {
        clean_line(self.titles.get(ticket.id.as_str()).map_or("", String::as_str))
    }
}

/// How a status looks, on a light page and on a dark one.
struct Look {
    fill: &'static str,
    stroke: &'static str,
    outline: Outline,
}

/// So that a status can be told without colours.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outline {
    /// Nothing happens yet.
    Dashed,
    Plain,
    /// Somebody is at it.
    Round,
    Double,
    /// Something is wrong.
    Pointed,
}

fn look(status: TicketStatus) -> Look {
    let (fill, stroke, outline) = match status {
        TicketStatus::Pending => ("#eceff3", "#6b7280", Outline::Dashed),
        TicketStatus::Queued => ("#eceff3", "#6b7280", Outline::Plain),
        TicketStatus::Executing => ("#dbeafe", "#2563eb", Outline::Round),
        TicketStatus::Validating => ("#e0e7ff", "#4f46e5", Outline::Round),
        TicketStatus::Reviewing => ("#ede9fe", "#7c3aed", Outline::Round),
        TicketStatus::NeedsRevision => ("#fef3c7", "#b45309", Outline::Pointed),
        TicketStatus::Completed => ("#dcfce7", "#15803d", Outline::Double),
        TicketStatus::Failed => ("#fee2e2", "#b91c1c", Outline::Pointed),
        TicketStatus::Blocked => ("#fce7f3", "#9d174d", Outline::Dashed),
    };
    Look { fill, stroke, outline }
}

/// As many columns as there is room for; wide characters take two.
fn shortened(text: &str, columns: usize) -> String {
    let width = |c: char| if c >= '\u{1100}' { 2 } else { 1 };
    let mut used = 0;
    let mut kept = String::new();
    for c in text.chars() {
        used += width(c);
        if used > columns {
            while kept.chars().map(width).sum::<usize>() > columns.saturating_sub(3) {
                kept.pop();
            }
            return kept.trim_end().to_owned() + "...";
        }
        kept.push(c);
    }
    kept
}

fn heading(epic: &EpicDocument) -> String {
    let title = clean_line(&epic.title);
    if title.is_empty() { epic.id.to_string() } else { format!("{}: {}", epic.id, shortened(&title, 80)) }
}
