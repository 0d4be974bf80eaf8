use std::fmt::Write;

use super::super::{EpicDocument, TicketEntry};
use super::layout::{Edge, HEIGHT, Layout, WIDTH, layout};
use super::{Known, Outline, heading, look, shortened};

const ID_COLUMNS: usize = 28;
const TITLE_COLUMNS: usize = 34;

/// A picture that stands alone: no script, nothing loaded from elsewhere, readable on light and dark pages. Status is
/// told by colour, by outline and in words.
pub fn svg(epic: &EpicDocument, known: &Known) -> String {
    let layout = layout(epic);
    let (width, height) = (layout.width, layout.height);
    let heading = escaped(&heading(epic));
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" font-family=\"system-ui, sans-serif\">\n\
         <title>{heading}</title>\n\
         <defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
         orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#8a8f98\"/></marker></defs>\n\
         <g fill=\"none\" stroke=\"#8a8f98\" stroke-width=\"1.5\">\n"
    );
    for edge in &layout.edges {
        let _ = writeln!(text, "<path d=\"{}\" marker-end=\"url(#arrow)\"/>", path(edge, &layout));
    }
    text.push_str("</g>\n");
    for (ticket, (x, y)) in epic.tickets.iter().zip(&layout.corners) {
        text.push_str(&node(ticket, known, *x, *y));
    }
    text.push_str("</svg>\n");
    text
}

/// From the right of one box to the left of another, level through the columns between them.
fn path(edge: &Edge, layout: &Layout) -> String {
    let (from_x, from_y) = layout.corners[edge.from.0];
    let (to_x, to_y) = layout.corners[edge.to.0];
    let (mut x, mut y) = (from_x + WIDTH, from_y + HEIGHT / 2);
    let mut path = format!("M{x} {y}");
    let mut curve_to = |x: &mut usize, y: &mut usize, next_x: usize, next_y: usize| {
        let middle = usize::midpoint(*x, next_x);
        let _ = write!(path, "C{middle} {y} {middle} {next_y} {next_x} {next_y}");
        (*x, *y) = (next_x, next_y);
    };
    for (left, height) in &edge.passes {
        curve_to(&mut x, &mut y, *left, *height);
        curve_to(&mut x, &mut y, left + WIDTH, *height);
    }
    curve_to(&mut x, &mut y, to_x, to_y + HEIGHT / 2);
    path
}

fn node(ticket: &TicketEntry, known: &Known, x: usize, y: usize) -> String {
    let status = known.status(ticket);
    let look = look(status);
    let (id, title, word) = (ticket.id.as_str(), known.title(ticket), status.as_str());
    let (fill, stroke) = (look.fill, look.stroke);
    let name = if title.is_empty() { id.to_owned() } else { format!("{id}: {title}") };
    let mut text = format!("<g><title>{} ({word})</title>", escaped(&name));
    let mut box_at = |inset: usize, fill: &str, more: &str| {
        let (x, y, width, height) = (x + inset, y + inset, WIDTH - 2 * inset, HEIGHT - 2 * inset);
        let _ = write!(
            text,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\" stroke=\"{stroke}\"{more}/>"
        );
    };
    match look.outline {
        Outline::Dashed => box_at(0, fill, " rx=\"4\" stroke-dasharray=\"5 4\""),
        Outline::Plain => box_at(0, fill, " rx=\"4\""),
        Outline::Round => box_at(0, fill, " rx=\"20\" stroke-width=\"2\""),
        Outline::Double => {
            box_at(0, fill, " rx=\"4\"");
            box_at(4, "none", " rx=\"2\"");
        }
        Outline::Pointed => {
            let (left, right, low, middle) = (x + 12, x + WIDTH - 12, y + HEIGHT, y + HEIGHT / 2);
            let _ = write!(
                text,
                "<path d=\"M{x} {middle}L{left} {y}H{right}L{} {middle}L{right} {low}H{left}z\" fill=\"{fill}\" \
                 stroke=\"{stroke}\" stroke-width=\"2\"/>",
                x + WIDTH
            );
        }
    }
    let mut line = |down: usize, size: usize, more: &str, said: &str| {
        let _ = write!(
            text,
            "<text x=\"{}\" y=\"{}\" font-size=\"{size}\" text-anchor=\"middle\"{more}>{}</text>",
            x + WIDTH / 2,
            y + down,
            escaped(said)
        );
    };
    line(21, 13, " font-weight=\"600\" fill=\"#111827\"", &shortened(id, ID_COLUMNS));
    line(37, 11, " fill=\"#374151\"", &shortened(&title, TITLE_COLUMNS));
    line(53, 11, &format!(" font-weight=\"600\" fill=\"{stroke}\""), word);
    text.push_str("</g>\n");
    text
}

/// For the text of an element. Characters that XML does not know at all are left out.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\u{FFFE}' | '\u{FFFF}' => {}
            c if c.is_control() => {}
            c => safe.push(c),
        }
    }
    safe
}
