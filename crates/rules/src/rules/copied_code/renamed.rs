//! Whole functions that were copied and given other names throughout, also for what they call.

use std::collections::{HashMap, HashSet};

use super::tokens::names;
use super::{Body, Copy, lines};
use crate::source::Source;

/// More has to be alike than where the calls are the same: short functions of one kind often look like each other.
const FEWEST_LINES: u32 = 15;
const FEWEST_TURNS: u32 = 2;

/// So often a name has to stand again for the same other name.
const FEWEST_CONFIRMED: usize = 20;

/// With each body, so many of the same shape are compared.
const MOST_COMPARED: usize = 4;

/// Bodies that are the same as another but for their names, where one name always stands for one other.
pub(super) fn copies<'s>(
    bodies: &[Body],
    told: &[Copy],
    source: impl Fn(super::Where) -> Option<&'s Source>,
) -> Vec<Copy> {
    let told: HashSet<usize> = told.iter().flat_map(|copy| [copy.from.0, copy.to.0]).collect();
    let mut seen: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut found = Vec::new();
    for (index, body) in bodies.iter().enumerate() {
        let (first, last) = lines(body, 0, body.tokens.len());
        if last - first + 1 < FEWEST_LINES || body.turns < FEWEST_TURNS || told.contains(&index) {
            continue;
        }
        let known = seen.entry(body.shape).or_default();
        let length = body.tokens.len();
        let alike = known.iter().find(|other| {
            let other = &bodies[**other];
            let (Some(here), Some(there)) = (source(body.place), source(other.place)) else { return false };
            other.tokens.len() == length
                && is_renamed(&names(there, other.extent.clone()), &names(here, body.extent.clone()))
        });
        found.extend(alike.map(|other| Copy { from: (*other, 0), to: (index, 0), length }));
        if known.len() < MOST_COMPARED {
            known.push(index);
        }
    }
    found
}

/// Whether each name of one stands for one name of the other, often enough to be no accident, and some were kept: what
/// comes from libraries keeps its name.
fn is_renamed(one: &[&[u8]], other: &[&[u8]]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let (mut there, mut back): (HashMap<&[u8], &[u8]>, HashMap<&[u8], &[u8]>) = Default::default();
    let mut kept = 0;
    for (a, b) in one.iter().zip(other) {
        if *there.entry(a).or_insert(b) != *b || *back.entry(b).or_insert(a) != *a {
            return false;
        }
        kept += usize::from(a == b);
    }
    one.len() - there.len() >= FEWEST_CONFIRMED && kept * 4 >= one.len() && kept < one.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&[u8]> {
        text.split(' ').map(str::as_bytes).collect()
    }

    #[test]
    fn one_name_stands_for_one_other() {
        let text = "items item push total item price count total items push price item ".repeat(3);
        let text = text.trim();
        let renamed = text.replace("item", "row").replace("price", "cost");
        assert!(is_renamed(&words(text), &words(&renamed)));
        let mixed = renamed.replacen("row", "line", 4);
        assert!(!is_renamed(&words(text), &words(&mixed)));
        let merged = text.replace("price", "total");
        assert!(!is_renamed(&words(text), &words(&merged)));
        assert!(!is_renamed(&words("a b c d"), &words("a x c d")));
    }
}
