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

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::fmt::Write;

    use proptest::prelude::*;

    use super::*;

    fn epic(dependencies: &[Vec<usize>]) -> EpicDocument {
        let mut text = String::from("id: e\ntickets:\n");
        for (index, before) in dependencies.iter().enumerate() {
            let names: Vec<_> = before.iter().map(|before| format!("t{before}")).collect();
            let _ =
                writeln!(text, "- {{ id: t{index}, path: t{index}.md, depends_on: [{}] }}", names.join(", "));
        }
        EpicDocument::parse("epic.yaml", &text).unwrap()
    }

    fn numbers(tickets: &[TicketIndex]) -> Vec<usize> {
        tickets.iter().map(|ticket| ticket.0).collect()
    }

    #[test]
    fn a_wave_waits_only_for_earlier_ones_and_keeps_the_order_of_the_document() {
        let plan = Plan::of(&epic(&[vec![3], vec![], vec![0, 1], vec![], vec![1]]));
        let waves: Vec<_> = plan.waves.iter().map(|wave| numbers(wave)).collect();
        assert_eq!(waves, [vec![1, 3], vec![0, 4], vec![2]]);
        assert_eq!(numbers(&plan.order), [1, 3, 0, 2, 4]);
    }

    #[test]
    fn dependents_are_known_directly_and_all_the_way() {
        let plan = Plan::of(&epic(&[vec![], vec![0], vec![1], vec![]]));
        assert_eq!(numbers(plan.dependents_of(TicketIndex(0))), [1]);
        assert_eq!(numbers(&plan.all_dependents_of(TicketIndex(0))), [1, 2]);
        assert_eq!(plan.dependents_of(TicketIndex(99)), []);
    }

    #[test]
    fn ready_is_what_is_pending_and_waits_for_nothing() {
        let plan = Plan::of(&epic(&[vec![], vec![0], vec![0], vec![1]]));
        let statuses =
            [TicketStatus::Completed, TicketStatus::Executing, TicketStatus::Pending, TicketStatus::Pending];
        assert_eq!(numbers(&plan.ready(|ticket| statuses[ticket.0])), [2]);
    }

    #[test]
    fn a_thousand_tickets_with_many_dependencies_are_planned() {
        let dependencies: Vec<Vec<usize>> =
            (0..1_000usize).map(|index| (index.saturating_sub(40)..index).collect()).collect();
        let plan = Plan::of(&epic(&dependencies));
        assert_eq!((plan.waves.len(), plan.order.len()), (1_000, 1_000));
    }

    proptest! {
        #[test]
        fn everything_comes_after_what_it_depends_on(
            wanted in prop::collection::vec(prop::collection::vec(0usize..30, 0..4), 1..30),
        ) {
            let dependencies: Vec<Vec<usize>> = wanted
                .iter()
                .enumerate()
                .map(|(index, before)| before.iter().copied().filter(|before| *before < index).collect())
                .collect();
            let plan = Plan::of(&epic(&dependencies));
            let place: HashMap<usize, usize> = numbers(&plan.order).into_iter().zip(0..).collect();
            prop_assert_eq!(place.len(), dependencies.len());
            let wave: HashMap<usize, usize> =
                plan.waves.iter().enumerate().flat_map(|(at, wave)| wave.iter().map(move |t| (t.0, at))).collect();
            for (index, before) in dependencies.iter().enumerate() {
                for before in before {
                    prop_assert!(place[before] < place[&index] && wave[before] < wave[&index]);
                }
            }
        }
    }
}
