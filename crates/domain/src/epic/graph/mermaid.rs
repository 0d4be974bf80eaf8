use std::fmt::Write;

use super::super::{EpicDocument, Plan};
use super::{Known, Outline, heading, look, shortened};
use crate::cycle::TicketStatus;

const TITLE_COLUMNS: usize = 40;

/// A flowchart for wherever Mermaid is shown, as in Markdown on a forge. Nothing in a title can add to it.
pub fn mermaid(epic: &EpicDocument, known: &Known) -> String {
    let plan = Plan::of(epic);
    let mut text = format!("flowchart LR\n  accTitle: {}\n", escaped(&heading(epic)));
    for (index, ticket) in epic.tickets.iter().enumerate() {
        let status = known.status(ticket);
        let (open, close) = brackets(look(status).outline);
        let mut label = escaped(ticket.id.as_str());
        let title = shortened(&known.title(ticket), TITLE_COLUMNS);
        if !title.is_empty() {
            label = format!("{label}<br/>{}", escaped(&title));
        }
        let word = status.as_str();
        let _ = writeln!(text, "  t{index}{open}\"{label}<br/>{word}\"{close}:::{word}");
    }
    for index in epic.indices() {
        for before in plan.dependencies_of(index) {
            let _ = writeln!(text, "  t{} --> t{}", before.0, index.0);
        }
    }
    for status in TicketStatus::ALL {
        if epic.tickets.iter().any(|ticket| known.status(ticket) == status) {
            let look = look(status);
            let dashes = if look.outline == Outline::Dashed { ",stroke-dasharray:4 3" } else { "" };
            let _ = writeln!(
                text,
                "  classDef {} fill:{},stroke:{},color:#111827{dashes}",
                status.as_str(),
                look.fill,
                look.stroke
            );
        }
    }
    text
}

fn brackets(outline: Outline) -> (&'static str, &'static str) {
    match outline {
        Outline::Dashed | Outline::Plain => ("[", "]"),
        Outline::Round => ("([", "])"),
        Outline::Double => ("[[", "]]"),
        Outline::Pointed => ("{{", "}}"),
    }
}

/// Every character that Mermaid, Markdown or HTML could take for its own as a character code.
fn escaped(text: &str) -> String {
    let mut safe = String::new();
    for c in text.chars() {
        if c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | ',' | '/') {
            safe.push(c);
        } else {
            let _ = write!(safe, "#{};", u32::from(c));
        }
    }
    safe
}
