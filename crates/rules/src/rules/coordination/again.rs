//! What a change takes out of one place and names again in another.

use std::collections::HashSet;

use aho_corasick::AhoCorasick;

/// Those of the words that stand in one of the lines. All are looked for at once: a file may lose thousands.
pub(super) fn named_again<'w, 'l>(
    words: HashSet<&'w [u8]>,
    lines: impl Iterator<Item = &'l [u8]>,
) -> HashSet<&'w [u8]> {
    let listed: Vec<&'w [u8]> = words.iter().copied().collect();
    // Silence is better than a guess.
    let Ok(search) = AhoCorasick::new(&listed) else { return words };
    let mut found = HashSet::new();
    for line in lines {
        if found.len() == listed.len() {
            break;
        }
        let hits = search.find_overlapping_iter(line);
        found.extend(hits.filter_map(|hit| listed.get(hit.pattern().as_usize()).copied()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_in_another_and_behind_another() {
        let words = HashSet::from([&b"go test"[..], b"test", b"ruff", b"tox"]);
        let found = named_again(words, [&b"run: go test ./..."[..], b"ruff check"].into_iter());
        assert_eq!(found, HashSet::from([&b"go test"[..], b"test", b"ruff"]));
        assert_eq!(named_again(HashSet::new(), [&b"a"[..]].into_iter()), HashSet::new());
    }
}
