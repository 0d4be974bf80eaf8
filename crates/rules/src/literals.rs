//! Many literals looked for at once, case of ASCII letters aside.
//!
//! Three bytes decide whether any literal can start at a place, by one look into a table that fits the first cache.
//! Unlike an automaton no look has to wait for the one before it, and nearly all places end there.

#[derive(Debug)]
pub(crate) struct Literals {
    /// A bit for each hash of three bytes that opens a literal.
    opens: Box<[u64; HASHES / 64]>,
    /// Where the entries of each hash start; one more at the end.
    starts: Box<[u32]>,
    /// Numbers of literals by hash, the shortest first.
    entries: Vec<u32>,
    literals: Vec<&'static [u8]>,
    /// Literals of one byte, with their numbers.
    single: Vec<(usize, u8)>,
}

const HASHES: usize = 1 << 16;

const fn hash(three: u32) -> usize {
    (three.wrapping_mul(0x9E37_79B1) >> 16) as usize
}

/// The same for both cases of a letter, and for some other bytes as well: those are told apart later.
const fn folded(byte: u8) -> u8 {
    byte | 0x20
}

impl Literals {
    /// Empty literals are never found.
    pub(crate) fn new(literals: impl Iterator<Item = &'static [u8]>) -> Self {
        let literals: Vec<&'static [u8]> = literals.collect();
        let mut keyed: Vec<(usize, usize, u32)> = Vec::with_capacity(literals.len());
        for (number, literal) in (0_u32..).zip(&literals) {
            let at = |at: usize| literal.get(at).map(|byte| u32::from(folded(*byte)));
            let (Some(first), Some(second)) = (at(0), at(1)) else { continue };
            let thirds = at(2).map_or(0..=255, |third| third..=third);
            let opened = thirds.map(|third| hash(first | second << 8 | third << 16));
            keyed.extend(opened.map(|hash| (hash, literal.len(), number)));
        }
        keyed.sort_unstable();
        let single = literals.iter().enumerate().filter_map(|(number, literal)| match literal {
            [byte] => Some((number, *byte)),
            _ => None,
        });
        let single = single.collect();
        let mut opens = Box::new([0_u64; HASHES / 64]);
        let mut starts = vec![0_u32; HASHES + 1].into_boxed_slice();
        for (hash, _, _) in &keyed {
            opens[hash / 64] |= 1 << (hash % 64);
            starts[hash + 1] += 1;
        }
        for at in 0..HASHES {
            starts[at + 1] += starts[at];
        }
        let entries = keyed.into_iter().map(|(_, _, number)| number).collect();
        Literals { opens, starts, entries, literals, single }
    }

    /// Calls `found` with the number of each literal that stands in the text and where it starts, in the order of the
    /// text; of two that start at one place the shorter comes first. Those of one byte come behind all others.
    pub(crate) fn each(&self, text: &[u8], mut found: impl FnMut(usize, usize)) {
        let mut three = 0_u32;
        for (end, byte) in text.iter().enumerate() {
            three = three >> 8 | u32::from(folded(*byte)) << 16;
            let hash = hash(three);
            if self.opens[hash / 64] >> (hash % 64) & 1 == 1 && end >= 2 {
                self.verify(text, end - 2, hash, &mut found);
            }
        }
        // Two bytes may be a literal at the very end; what stands behind them is no byte of the text.
        let hash = hash(three >> 8);
        if self.opens[hash / 64] >> (hash % 64) & 1 == 1 && text.len() >= 2 {
            self.verify(text, text.len() - 2, hash, &mut found);
        }
        for (number, byte) in &self.single {
            let places = memchr::memchr2_iter(byte.to_ascii_lowercase(), byte.to_ascii_uppercase(), text);
            places.for_each(|start| found(*number, start));
        }
    }

    /// Rarely needed, and kept out of the loop so that it stays small.
    #[inline(never)]
    fn verify(&self, text: &[u8], start: usize, hash: usize, found: &mut impl FnMut(usize, usize)) {
        let entries = self.starts[hash] as usize..self.starts[hash + 1] as usize;
        for number in &self.entries[entries] {
            let number = *number as usize;
            let literal = self.literals[number];
            if text.get(start..start + literal.len()).is_some_and(|there| there.eq_ignore_ascii_case(literal))
            {
                found(number, start);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(literals: &[&'static str], text: &str) -> Vec<(usize, usize)> {
        let search = Literals::new(literals.iter().map(|literal| literal.as_bytes()));
        let mut found = Vec::new();
        search.each(text.as_bytes(), |number, start| found.push((number, start)));
        found
    }

    #[test]
    fn every_literal_is_found_wherever_it_stands() {
        let literals = ["key", "ke", "KEYS", "Q~", "key"];
        assert_eq!(all(&literals, "a Keys q~"), [(1, 2), (0, 2), (4, 2), (2, 2), (3, 7)]);
        assert_eq!(all(&literals, "ke"), [(1, 0)]);
        assert_eq!(all(&["#", "e", "ex"], "# Ex"), [(2, 2), (0, 0), (1, 2)]);
        assert_eq!(all(&literals, "xkeykey"), [(1, 1), (0, 1), (4, 1), (1, 4), (0, 4), (4, 4)]);
    }

    #[test]
    fn what_is_empty_or_cut_is_not_found() {
        for text in ["", "k", "e", "kex"] {
            assert!(all(&["key", "ke", "", "ey"], text).len() <= usize::from(text == "kex"), "{text}");
        }
        assert!(all(&["key"], "k\0y ke").is_empty());
    }

    #[test]
    fn it_agrees_with_looking_for_one_at_a_time() {
        let literals = ["ab", "aba", "bab", "b\0", "aaaa"];
        let mut seed = 7_u32;
        for _ in 0..200 {
            let text: String = (0..40)
                .map(|_| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    ['a', 'b', 'A', '\0'][(seed >> 24) as usize % 4]
                })
                .collect();
            let mut expected: Vec<(usize, usize)> = Vec::new();
            let lower = text.to_ascii_lowercase();
            for (number, literal) in literals.iter().enumerate() {
                let starts = (0..lower.len()).filter(|at| lower[*at..].starts_with(literal));
                expected.extend(starts.map(|start| (number, start)));
            }
            let mut found = all(&literals, &text);
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "{text:?}");
        }
    }
}
