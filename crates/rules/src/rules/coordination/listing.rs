//! As much of YAML as it takes to read lists of names.

/// The words of the lists of the wanted keys, each with the key above it and its line: `key:` with items below it, or
/// `key: [a, b]`, which may go on in the lines below.
pub(super) fn lists_of_yaml(text: &[u8], keys: &[&'static str]) -> Vec<(&'static str, String, u32)> {
    let text = String::from_utf8_lossy(text);
    let mut found = Vec::new();
    let mut above: Option<&'static str> = None;
    let mut is_open = false;
    for (line, number) in text.lines().zip(1_u32..) {
        let code = line.split(" #").next().unwrap_or_default().trim();
        if code.is_empty() || code.starts_with('#') {
            continue;
        }
        let mut inside = |key: Option<&'static str>, inner: &str| {
            let words = inner.split(']').next().unwrap_or_default().split(',').map(plain);
            found.extend(key.into_iter().flat_map(|key| {
                words.clone().filter(|word| !word.is_empty()).map(move |word| (key, word, number))
            }));
            !inner.contains(']')
        };
        if is_open {
            is_open = inside(above, code);
            continue;
        }
        if let Some(item) = code.strip_prefix("- ") {
            found.extend(above.map(|key| (key, plain(item), number)));
            continue;
        }
        let Some((key, value)) = code.split_once(':') else { continue };
        above = keys.iter().find(|one| **one == key.trim()).copied();
        if let (Some(_), Some(inner)) = (above, value.trim().strip_prefix('[')) {
            is_open = inside(above, inner);
        }
    }
    found
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
        let found = lists_of_yaml(text, &["enable", "disable"]);
        let found: Vec<_> = found.iter().map(|(key, word, line)| (*key, word.as_str(), *line)).collect();
        assert_eq!(
            found,
            [("enable", "gosec", 3), ("enable", "vet", 4), ("disable", "a", 5), ("disable", "b", 5)]
        );
    }

    #[test]
    fn a_list_in_brackets_goes_on_until_they_are_closed() {
        let text = b"disable: [\n  a, # why\n  'b',\n]\nenable: [c]\nother: d\n";
        let found = lists_of_yaml(text, &["enable", "disable"]);
        let found: Vec<_> = found.iter().map(|(key, word, line)| (*key, word.as_str(), *line)).collect();
        assert_eq!(found, [("disable", "a", 2), ("disable", "b", 3), ("enable", "c", 5)]);
    }

    #[test]
    fn what_stands_below_another_key_takes_no_room() {
        let text = format!("{}:\n{}enable:\n- vet\n", "k".repeat(200_000), "- a\n".repeat(100_000));
        assert_eq!(lists_of_yaml(text.as_bytes(), &["enable"]), [("enable", "vet".to_owned(), 100_003)]);
    }
}
