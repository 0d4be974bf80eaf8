use std::cmp::Reverse;
use std::collections::BinaryHeap;

use serde::Serialize;

use super::{EpicDocument, TicketIndex};
use crate::cycle::TicketStatus;

/// In which order the tickets of an epic can be worked on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Plan {
    /// Everything in a wave depends only on earlier waves; inside of one the order is the document's.
    pub waves: Vec<Vec<TicketIndex>>,
    /// All tickets, each after what it depends on; else in the order of the document. Merges follow it.
    pub order: Vec<TicketIndex>,
    dependencies: Vec<Vec<TicketIndex>>,
    dependents: Vec<Vec<TicketIndex>>,
}

impl Plan {
    /// In time that grows with tickets and dependencies, not with their product.
    pub fn of(epic: &EpicDocument) -> Plan {
        let positions = epic.positions();
        let dependencies: Vec<Vec<TicketIndex>> = epic
            .tickets
            .iter()
            .map(|ticket| {
                ticket
                    .depends_on
                    .iter()
                    .filter_map(|id| positions.get(id).copied().map(TicketIndex))
                    .collect()
            })
            .collect();
        let mut dependents = vec![Vec::new(); epic.tickets.len()];
        for (index, before) in dependencies.iter().enumerate() {
            before.iter().for_each(|before| dependents[before.0].push(TicketIndex(index)));
        }
        let waves = waves(&dependencies, &dependents);
        let order = order(&dependencies, &dependents);
        Plan { waves, order, dependencies, dependents }
    }

    /// What directly depends on a ticket.
    pub fn dependents_of(&self, ticket: TicketIndex) -> &[TicketIndex] {
        self.dependents.get(ticket.0).map_or(&[], Vec::as_slice)
    }

    /// What a ticket directly depends on.
    pub fn dependencies_of(&self, ticket: TicketIndex) -> &[TicketIndex] {
        self.dependencies.get(ticket.0).map_or(&[], Vec::as_slice)
    }

    /// Everything that directly or indirectly depends on a ticket, in the order of the plan.
    pub fn all_dependents_of(&self, ticket: TicketIndex) -> Vec<TicketIndex> {
        let mut reached = vec![false; self.dependents.len()];
        let mut open = vec![ticket];
        while let Some(next) = open.pop() {
            for dependent in self.dependents_of(next) {
                if !std::mem::replace(&mut reached[dependent.0], true) {
                    open.push(*dependent);
                }
            }
        }
        self.order.iter().copied().filter(|index| reached[index.0]).collect()
    }

    /// The pending tickets all of whose dependencies are completed, in the order of the plan. `status` says of each
    /// ticket where it stands.
    pub fn ready(&self, status: impl Fn(TicketIndex) -> TicketStatus) -> Vec<TicketIndex> {
        let completed = |index: &TicketIndex| status(*index) == TicketStatus::Completed;
        let mut ready = self.order.clone();
        ready.retain(|index| {
            status(*index) == TicketStatus::Pending && self.dependencies_of(*index).iter().all(completed)
        });
        ready
    }
}

fn waves(dependencies: &[Vec<TicketIndex>], dependents: &[Vec<TicketIndex>]) -> Vec<Vec<TicketIndex>> {
    let mut open: Vec<usize> = dependencies.iter().map(Vec::len).collect();
    let mut wave: Vec<TicketIndex> =
        (0..open.len()).filter(|index| open[*index] == 0).map(TicketIndex).collect();
    let mut waves = Vec::new();
    while !wave.is_empty() {
        let mut next = Vec::new();
        for dependent in wave.iter().flat_map(|index| &dependents[index.0]) {
            open[dependent.0] -= 1;
            if open[dependent.0] == 0 {
                next.push(*dependent);
            }
        }
        next.sort_unstable();
        waves.push(std::mem::replace(&mut wave, next));
    }
    waves
}

/// Always the first of the document that can come next.
fn order(dependencies: &[Vec<TicketIndex>], dependents: &[Vec<TicketIndex>]) -> Vec<TicketIndex> {
    let mut open: Vec<usize> = dependencies.iter().map(Vec::len).collect();
    let mut free: BinaryHeap<Reverse<TicketIndex>> =
        (0..open.len()).filter(|index| open[*index] == 0).map(|index| Reverse(TicketIndex(index))).collect();
    let mut order = Vec::with_capacity(open.len());
    while let Some(Reverse(index)) = free.pop() {
        order.push(index);
        for dependent in &dependents[index.0] {
            open[dependent.0] -= 1;
            if open[dependent.0] == 0 {
                free.push(Reverse(*dependent));
            }
        }
    }
    order
}
