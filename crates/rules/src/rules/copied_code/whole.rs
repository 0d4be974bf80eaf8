//! Whole functions that are too short for a piece of them to tell much, and nearly the same to the letter.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};

use super::{Body, Copy, FEWEST_LINES, FEWEST_TOKENS, Where, lines};
use crate::source::Source;

/// Shorter ones look alike for want of words.
pub(super) const FEWEST_WORDS: usize = 60;

/// So many lines of a hundred have to be the same to the letter: tables and conversions often have one shape.
const FEWEST_PERCENT: usize = 60;

/// With each body, so many of the same words are compared.
const MOST_COMPARED: usize = 4;

/// Bodies that say the same as another from beginning to end.
pub(super) fn copies<'s>(bodies: &[Body], source: impl Fn(Where) -> Option<&'s Source>) -> Vec<Copy> {
    let mut seen: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut found = Vec::new();
    for (index, body) in bodies.iter().enumerate() {
        let length = body.tokens.len();
        let (first, last) = lines(body, 0, length);
        if length >= FEWEST_TOKENS || last - first + 1 < FEWEST_LINES {
            continue;
        }
        let written = |body: &Body| source(body.place)?.text().get(body.extent.clone());
        let known = seen.entry(hash(body)).or_default();
        let alike = known.iter().find(|other| {
            let (Some(here), Some(there)) = (written(body), written(&bodies[**other])) else { return false };
            bodies[**other].tokens.len() == length && is_alike(here, there)
        });
        found.extend(alike.map(|other| Copy { from: (*other, 0), to: (index, 0), length }));
        if known.len() < MOST_COMPARED {
            known.push(index);
        }
    }
    found
}

fn hash(body: &Body) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    body.tokens.iter().for_each(|token| token.hash.hash(&mut hasher));
    hasher.finish()
}

fn is_alike(one: &[u8], other: &[u8]) -> bool {
    fn written(text: &[u8]) -> Vec<&[u8]> {
        text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty()).collect()
    }
    let (one, other) = (written(one), written(other));
    let same = one.iter().zip(&other).filter(|(a, b)| a == b).count();
    same * 100 >= one.len().max(other.len()) * FEWEST_PERCENT
}
