//! Where each ticket stands: one column for each wave, edges in the gaps between the boxes.

use super::super::{EpicDocument, Plan, TicketIndex};

pub(super) const WIDTH: usize = 240;
pub(super) const HEIGHT: usize = 62;
const COLUMN_GAP: usize = 70;
const ROW_GAP: usize = 18;
/// The height that an edge takes where it passes a column.
const PASSAGE: usize = 8;
/// Beyond this many, edges are drawn straight: nobody could follow them one by one anyway.
const MOST_PASSAGES: usize = 3_000;

pub(super) struct Layout {
    pub(super) width: usize,
    pub(super) height: usize,
    /// The upper left corner of each ticket, by index.
    pub(super) corners: Vec<(usize, usize)>,
    /// From what comes first to what waits for it.
    pub(super) edges: Vec<Edge>,
}

pub(super) struct Edge {
    pub(super) from: TicketIndex,
    pub(super) to: TicketIndex,
    /// Left ends of the columns it passes, and the height at which it does.
    pub(super) passes: Vec<(usize, usize)>,
}

#[derive(Clone, Copy)]
enum Item {
    Ticket(TicketIndex),
    /// Of an edge.
    Passage(usize),
}

pub(super) fn layout(epic: &EpicDocument) -> Layout {
    let plan = Plan::of(epic);
    let mut column_of = vec![0; epic.tickets.len()];
    for (column, wave) in plan.waves.iter().enumerate() {
        wave.iter().for_each(|ticket| column_of[ticket.0] = column);
    }
    let edges: Vec<Edge> = epic
        .indices()
        .flat_map(|to| plan.dependencies_of(to).iter().map(move |from| (*from, to)))
        .map(|(from, to)| Edge { from, to, passes: Vec::new() })
        .collect();
    let mut columns: Vec<Vec<Item>> =
        plan.waves.iter().map(|wave| wave.iter().copied().map(Item::Ticket).collect()).collect();
    let between = |edge: &Edge| column_of[edge.from.0] + 1..column_of[edge.to.0];
    if edges.iter().map(|edge| between(edge).len()).sum::<usize>() <= MOST_PASSAGES {
        for (number, edge) in edges.iter().enumerate() {
            between(edge).for_each(|column| columns[column].push(Item::Passage(number)));
        }
    }
    untangle(&mut columns, &plan, &edges);
    place(&columns, edges, epic.tickets.len())
}

/// Puts each item near what it comes from, column by column.
fn untangle(columns: &mut [Vec<Item>], plan: &Plan, edges: &[Edge]) {
    let mut rank = vec![0.0; plan.order.len()];
    let mut passage_rank = vec![None; edges.len()];
    for column in columns {
        #[allow(clippy::cast_precision_loss, reason = "a rank among tickets")]
        let wish = |item: &Item| match item {
            Item::Ticket(ticket) => {
                let before = plan.dependencies_of(*ticket);
                let sum: f64 = before.iter().map(|before| rank[before.0]).sum();
                if before.is_empty() { 0.0 } else { sum / before.len() as f64 }
            }
            Item::Passage(edge) => passage_rank[*edge].unwrap_or_else(|| rank[edges[*edge].from.0]),
        };
        let mut wished: Vec<(f64, Item)> = column.iter().map(|item| (wish(item), *item)).collect();
        wished.sort_by(|a, b| a.0.total_cmp(&b.0));
        *column = wished.into_iter().map(|(_, item)| item).collect();
        let count = column.len().max(1);
        for (position, item) in column.iter().enumerate() {
            #[allow(clippy::cast_precision_loss, reason = "a rank among tickets")]
            let relative = (position as f64 + 0.5) / count as f64;
            match item {
                Item::Ticket(ticket) => rank[ticket.0] = relative,
                Item::Passage(edge) => passage_rank[*edge] = Some(relative),
            }
        }
    }
}

fn place(columns: &[Vec<Item>], mut edges: Vec<Edge>, tickets: usize) -> Layout {
    let item_height = |item: &Item| match item {
        Item::Ticket(_) => HEIGHT,
        Item::Passage(_) => PASSAGE,
    };
    let column_height =
        |column: &Vec<Item>| column.iter().map(|item| item_height(item) + ROW_GAP).sum::<usize>();
    let height = columns.iter().map(column_height).max().unwrap_or_default();
    let mut corners = vec![(0, 0); tickets];
    for (number, column) in columns.iter().enumerate() {
        let x = COLUMN_GAP / 2 + number * (WIDTH + COLUMN_GAP);
        let mut y = ROW_GAP / 2 + (height - column_height(column)) / 2;
        for item in column {
            match item {
                Item::Ticket(ticket) => corners[ticket.0] = (x, y),
                Item::Passage(edge) => edges[*edge].passes.push((x, y + PASSAGE / 2)),
            }
            y += item_height(item) + ROW_GAP;
        }
    }
    Layout { width: columns.len() * (WIDTH + COLUMN_GAP), height, corners, edges }
}
