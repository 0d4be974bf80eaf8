use std::collections::BTreeMap;

use super::super::yaml::{Node, Spot};
use super::super::{TicketEntry, TicketId};
use super::cycles;
use super::reader::{Fields, Reader};
use super::{TicketSpots, limits, ticket_id};
use crate::text::{brief_line, nearest};

const KEYS: [&str; 5] = ["id", "path", "depends_on", "limits", "budget"];
const LONGEST_PATH: usize = 1_000;

/// A ticket as far as it could be read, with the places of what others may object to.
struct Read {
    entry: TicketEntry,
    id_at: Spot,
    spots: TicketSpots,
    depends_on: Vec<(TicketId, Spot)>,
}

/// Each ticket, and where its parts stand.
pub(super) fn read(reader: &mut Reader, fields: &Fields<'_>) -> Vec<(TicketEntry, TicketSpots)> {
    let expected = "a list of tickets, each `- { id: ..., path: ... }`";
    let Some(node) = reader.required(fields, "tickets", "the epic", expected) else { return Vec::new() };
    let items = reader.list(node, "tickets", expected);
    if items.is_empty() && matches!(node.value, super::super::yaml::Value::List(_)) {
        reader.error(node.spot, "the epic has no tickets", "at least one `- { id: ..., path: ... }`");
    }
    let mut tickets: Vec<Read> = items.iter().filter_map(|item| ticket(reader, item)).collect();
    ids_are_unique(reader, &tickets);
    paths_are_unique(reader, &tickets);
    settle_dependencies(reader, &mut tickets);
    tickets.into_iter().map(|ticket| (ticket.entry, ticket.spots)).collect()
}

fn ticket(reader: &mut Reader, node: &Node) -> Option<Read> {
    let fields = reader.fields(node, "the ticket", &KEYS)?;
    let id_node = reader.required(&fields, "id", "the ticket", "a short name for its branch");
    let id = id_node.and_then(|node| {
        let text = reader.text(node, "id")?;
        ticket_id(reader, node, &text)
    });
    let path_node =
        reader.required(&fields, "path", "the ticket", "its markdown, from the folder of the epic");
    let path = path_node.and_then(|node| {
        let text = reader.text(node, "path")?;
        path(reader, node, &text)
    });
    let depends_on = fields.get("depends_on").map(|node| dependencies(reader, node)).unwrap_or_default();
    let limits = fields.get("limits").map(|node| limits::ticket(reader, node)).unwrap_or_default();
    let budget = fields.get("budget").map(|node| limits::budget(reader, node)).unwrap_or_default();
    let entry =
        TicketEntry { id: id?, path: path.unwrap_or_default(), depends_on: Vec::new(), limits, budget };
    let spots =
        TicketSpots { path: path_node.unwrap_or(node).spot, limits: fields.get("limits").map(limits::spot) };
    Some(Read { entry, id_at: id_node?.spot, spots, depends_on })
}

fn dependencies(reader: &mut Reader, node: &Node) -> Vec<(TicketId, Spot)> {
    let items = reader.list(node, "depends_on", "a list of ticket ids, `[auth-base, auth-api]`");
    items
        .iter()
        .filter_map(|item| {
            let text = reader.text(item, "depends_on")?;
            Some((ticket_id(reader, item, &text)?, item.spot))
        })
        .collect()
}

/// The path in its plainest form. It stays below the folder of the epic.
fn path(reader: &mut Reader, node: &Node, text: &str) -> Option<String> {
    let parts: Vec<&str> = text.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let drive = text.chars().nth(1) == Some(':') && text.starts_with(|c: char| c.is_ascii_alphabetic());
    let hidden = |c: char| c.is_control() || crate::text::is_invisible(c);
    let wrong = if text.trim().is_empty() || parts.is_empty() {
        "is empty"
    } else if text.starts_with('/') || text.contains('\\') || drive {
        "is not relative to the folder of the epic"
    } else if parts.contains(&"..") {
        "leads out of the folder of the epic"
    } else if text.chars().any(hidden) {
        "holds characters nobody sees"
    } else if text.chars().count() > LONGEST_PATH {
        "is longer than 1,000 characters"
    } else {
        return Some(parts.join("/"));
    };
    let message = format!("the path `{}` {wrong}", brief_line(text));
    reader.error(node.spot, message, "a file in the folder of the epic or below, as `tickets/auth-base.md`");
    None
}

/// Also where only the case differs: not every file system tells such branches apart.
fn ids_are_unique(reader: &mut Reader, tickets: &[Read]) {
    let mut seen: BTreeMap<String, &Read> = BTreeMap::new();
    for ticket in tickets {
        let id = &ticket.entry.id;
        match seen.get(&id.as_str().to_ascii_lowercase()) {
            Some(first) => {
                let line = first.id_at.at.line;
                let message = match first.entry.id == *id {
                    true => format!("the ticket `{id}` is there already, on line {line}"),
                    false => format!("`{id}` differs from `{}` on line {line} only in case", first.entry.id),
                };
                reader.error(ticket.id_at, message, "an id that no other ticket has");
            }
            None => {
                seen.insert(id.as_str().to_ascii_lowercase(), ticket);
            }
        }
    }
}

fn paths_are_unique(reader: &mut Reader, tickets: &[Read]) {
    let mut seen: BTreeMap<&str, &Read> = BTreeMap::new();
    for ticket in tickets.iter().filter(|ticket| !ticket.entry.path.is_empty()) {
        let path = ticket.entry.path.as_str();
        if let Some(first) = seen.get(path) {
            let (id, line) = (&first.entry.id, first.spots.path.at.line);
            let message = format!("`{}` is the file of `{id}` already, on line {line}", brief_line(path));
            reader.error(ticket.spots.path, message, "a file of its own for each ticket");
        } else {
            seen.insert(path, ticket);
        }
    }
}

/// Takes over the dependencies that are tickets, each once, and notes the others and what goes in circles.
fn settle_dependencies(reader: &mut Reader, tickets: &mut [Read]) {
    let ids: Vec<TicketId> = tickets.iter().map(|ticket| ticket.entry.id.clone()).collect();
    let positions: BTreeMap<&TicketId, usize> = ids.iter().enumerate().map(|(at, id)| (id, at)).collect();
    let mut edges: Vec<Vec<(usize, Spot)>> = Vec::with_capacity(tickets.len());
    for ticket in tickets.iter_mut() {
        let mut known: BTreeMap<usize, Spot> = BTreeMap::new();
        for (id, spot) in std::mem::take(&mut ticket.depends_on) {
            match positions.get(&id) {
                Some(_) if id == ticket.entry.id => {
                    reader.error(spot, format!("`{id}` depends on itself"), "other tickets, or none");
                }
                Some(position) if !known.contains_key(position) => {
                    known.insert(*position, spot);
                    ticket.entry.depends_on.push(id);
                }
                Some(_) => {}
                None => unknown_dependency(reader, &id, spot, &ids),
            }
        }
        edges.push(known.into_iter().collect());
    }
    cycles::note(reader, &ids, &edges);
}

fn unknown_dependency(reader: &mut Reader, id: &TicketId, spot: Spot, ids: &[TicketId]) {
    const LISTED: usize = 10;
    if reader.is_full() {
        return reader.error(spot, "", "");
    }
    let expected = match nearest(id.as_str(), ids.iter().map(TicketId::as_str)) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => {
            let some: Vec<_> = ids.iter().take(LISTED).map(TicketId::as_str).collect();
            let more = if ids.len() > LISTED { ", ..." } else { "" };
            format!("the id of a ticket of this epic: {}{more}", some.join(", "))
        }
    };
    reader.error(spot, format!("there is no ticket `{id}` to depend on"), expected);
}
