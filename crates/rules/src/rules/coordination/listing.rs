//! As much of YAML as it takes to read lists of names.

/// The words of all lists, each with the key above it and its line.
#[derive(Debug, Default)]
pub(super) struct Lists {
    words: Vec<(String, String, u32)>,
}

impl Lists {
    /// Those of the wanted keys.
    pub(super) fn of(&self, keys: &[&'static str]) -> Vec<(&'static str, String, u32)> {
        let known = |key: &str| keys.iter().find(|one| **one == key).copied();
        self.words.iter().filter_map(|(key, word, line)| Some((known(key)?, word.clone(), *line))).collect()
    }
}

/// `key:` with items below it, or `key: [a, b]`.
pub(super) fn lists_of_yaml(text: &[u8]) -> Lists {
    let text = String::from_utf8_lossy(text);
    let mut lists = Lists::default();
    let mut above = String::new();
    for (line, number) in text.lines().zip(1_u32..) {
        let code = line.split(" #").next().unwrap_or_default().trim();
        if code.is_empty() || code.starts_with('#') {
            continue;
        }
        if let Some(item) = code.strip_prefix("- ") {
            lists.words.push((above.clone(), plain(item), number));
            continue;
        }
        let Some((key, value)) = code.split_once(':') else { continue };
        key.trim().clone_into(&mut above);
        if let Some(inner) = value.trim().strip_prefix('[') {
            let words = inner.trim_end_matches(']').split(',').map(plain).filter(|word| !word.is_empty());
            lists.words.extend(words.map(|word| (above.clone(), word, number)));
        }
    }
    lists
}

fn plain(word: &str) -> String {
    word.trim().trim_matches(['"', '\'']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_stand_below_their_key_or_behind_it() {
        let text = b"linters:\n  enable: # all of these\n    - gosec\n    - 'vet'\n  disable: [a, \"b\"]\nrun:\n  tests: false\n";
        let found = lists_of_yaml(text).of(&["enable", "disable"]);
        let found: Vec<_> = found.iter().map(|(key, word, line)| (*key, word.as_str(), *line)).collect();
        assert_eq!(
            found,
            [("enable", "gosec", 3), ("enable", "vet", 4), ("disable", "a", 5), ("disable", "b", 5)]
        );
    }
}
