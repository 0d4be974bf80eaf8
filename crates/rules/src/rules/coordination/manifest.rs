//! As much of TOML as it takes to read what a package says about itself.

use std::collections::HashMap;

/// Keys with their tables in front, `package.version`, and what is written behind the equals sign.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Manifest {
    entries: HashMap<String, Entry>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) value: String,
    pub(super) line: u32,
}

impl Manifest {
    pub(super) fn read(text: &str) -> Self {
        let mut manifest = Manifest::default();
        let mut table = String::new();
        let mut lines = text.lines().zip(1_u32..);
        while let Some((line, number)) = lines.next() {
            let line = without_comment(line);
            if let Some(inner) = line.strip_prefix('[') {
                table = inner.trim_matches(['[', ']']).trim().replace('"', "");
                continue;
            }
            let Some((key, value)) = line.split_once('=') else { continue };
            let mut value = value.trim().to_owned();
            let is_list = value.starts_with(['[', '{']);
            let mut open = Open::default().with(&value);
            while is_list && open.is_open() {
                let Some((more, _)) = lines.next() else { break };
                let more = without_comment(more);
                open = open.with(more);
                value.push_str(more);
            }
            let key = key.trim().trim_matches(['"', '\'']);
            let path = if table.is_empty() { key.to_owned() } else { format!("{table}.{key}") };
            manifest.entries.insert(path, Entry { value, line: number });
        }
        manifest
    }

    /// The same of a file with sections and values that go on in lines that are indented.
    pub(super) fn read_sections(text: &str) -> Self {
        let mut manifest = Manifest::default();
        let (mut table, mut last) = (String::new(), None::<String>);
        for (line, number) in text.lines().zip(1_u32..) {
            let code = line.split(" #").next().unwrap_or_default().trim();
            if code.is_empty() || code.starts_with(['#', ';']) {
                continue;
            }
            if let Some(entry) = last.as_ref().and_then(|last| manifest.entries.get_mut(last))
                && line.starts_with(char::is_whitespace)
            {
                entry.value.push(',');
                entry.value.push_str(code);
                continue;
            }
            last = None;
            if let Some(inner) = code.strip_prefix('[') {
                table = inner.trim_matches(['[', ']']).trim().to_owned();
                continue;
            }
            let Some(end) = code.find(['=', ':']) else { continue };
            let (key, value) = (code[..end].trim(), code[end + 1..].trim());
            let path = if table.is_empty() { key.to_owned() } else { format!("{table}.{key}") };
            manifest.entries.insert(path.clone(), Entry { value: value.to_owned(), line: number });
            last = Some(path);
        }
        manifest
    }

    pub(super) fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.get(key)
    }

    /// All keys, in no order.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.entries.iter().map(|(key, entry)| (key.as_str(), entry))
    }

    /// Without its quotes.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.get(key).map(|entry| entry.value.trim_matches(['"', '\'']))
    }

    pub(super) fn says(&self, key: &str, value: &str) -> bool {
        self.get(key).is_some_and(|entry| entry.value == value)
    }

    pub(super) fn has_table(&self, table: &str) -> bool {
        let prefix = format!("{table}.");
        self.entries.keys().any(|key| key.starts_with(&prefix))
    }

    /// What a list holds.
    pub(super) fn words(&self, key: &str) -> Vec<&str> {
        self.get(key).map(Entry::words).unwrap_or_default()
    }

    /// The keys of a table with the words of their lists.
    pub(super) fn lists<'m>(&'m self, table: &str) -> HashMap<&'m str, (Vec<&'m str>, u32)> {
        let prefix = format!("{table}.");
        let own = self.entries.iter().filter_map(|(key, entry)| Some((key.strip_prefix(&prefix)?, entry)));
        own.map(|(key, entry)| (key, (entry.words(), entry.line))).collect()
    }

    /// Names of dependencies that may be switched on by name.
    pub(super) fn optional(&self) -> HashMap<&str, u32> {
        let tables = self.entries.iter().filter_map(|(key, entry)| {
            let rest = key.strip_prefix("dependencies.")?;
            match rest.strip_suffix(".optional") {
                Some(name) => (entry.value == "true").then_some((name, entry.line)),
                None => entry.value.replace(' ', "").contains("optional=true").then_some((rest, entry.line)),
            }
        });
        tables.collect()
    }
}

impl Entry {
    /// What a list holds.
    pub(super) fn words(&self) -> Vec<&str> {
        let inner = self.value.trim_matches(['[', ']']);
        inner
            .split(',')
            .map(|word| word.trim().trim_matches(['"', '\'']))
            .filter(|word| !word.is_empty())
            .collect()
    }
}

/// The bytes of a line that do not stand in quotes, each with its place. A quote that is not closed ends with the line.
fn unquoted(line: &str) -> impl Iterator<Item = (usize, u8)> + '_ {
    let mut quote: Option<u8> = None;
    let mut escaped = false;
    line.bytes().enumerate().filter(move |(_, byte)| {
        let was_inside = quote.is_some();
        match quote {
            Some(_) if escaped => escaped = false,
            Some(b'"') if *byte == b'\\' => escaped = true,
            Some(open) if open == *byte => quote = None,
            Some(_) => {}
            None if matches!(byte, b'"' | b'\'') => quote = Some(*byte),
            None => {}
        }
        !was_inside
    })
}

fn without_comment(line: &str) -> &str {
    let comment = unquoted(line).find(|(_, byte)| *byte == b'#').map(|(at, _)| at);
    line[..comment.unwrap_or(line.len())].trim()
}

/// The brackets of a value that are not closed yet.
#[derive(Debug, Clone, Copy, Default)]
struct Open {
    square: isize,
    curly: isize,
}

impl Open {
    fn with(self, more: &str) -> Self {
        unquoted(more).map(|(_, byte)| byte).fold(self, |open, byte| match byte {
            b'[' => Open { square: open.square + 1, ..open },
            b']' => Open { square: open.square - 1, ..open },
            b'{' => Open { curly: open.curly + 1, ..open },
            b'}' => Open { curly: open.curly - 1, ..open },
            _ => open,
        })
    }

    fn is_open(self) -> bool {
        self.square > 0 || self.curly > 0
    }
}

/// Whether a version is one of which everything may change: `0.0.3`, `1.0.0-beta.2`.
pub(super) fn promises_nothing(version: &str) -> bool {
    let core = version.split('+').next().unwrap_or_default();
    core.starts_with("0.0.") || core.contains('-')
}

/// Whether the second version says that it does not fit users of the first, by the rules of Cargo.
pub(super) fn is_incompatible(old: &str, new: &str) -> bool {
    let parts = |version: &str| -> Option<[u64; 3]> {
        let core = version.split(['-', '+']).next()?;
        let mut numbers = core.split('.').map(|part| part.trim().parse::<u64>().ok());
        Some([numbers.next()??, numbers.next().flatten().unwrap_or(0), numbers.next().flatten().unwrap_or(0)])
    };
    match (parts(old), parts(new)) {
        (Some([0, 0, old]), Some([0, 0, new])) => new > old,
        (Some([0, old, _]), Some([0, new, _])) => new > old,
        (Some([old, ..]), Some([new, ..])) => new > old,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_is_read_as_far_as_needed() {
        let text = "[package]\nname = \"a\" # x\nversion = \"1.0.0\"\n[features]\ndefault = [\n  \"b\", # c\n  \"d#e\",\n]\nb = []\n\
                    [dependencies]\nserde = { version = \"1\", optional = true }\n[dependencies.log]\noptional = true\n";
        let manifest = Manifest::read(text);
        assert_eq!(manifest.text("package.name"), Some("a"));
        assert_eq!(manifest.lists("features")["default"], (vec!["b", "d#e"], 5));
        let mut optional: Vec<&str> = manifest.optional().into_keys().collect();
        optional.sort_unstable();
        assert_eq!(optional, ["log", "serde"]);
    }

    #[test]
    fn values_of_sections_go_on_where_they_are_indented() {
        let text = "[flake8]\n# all\nignore =\n    E203,\n    W503  # black\n\n    E501\nmax-line-length: 100\n[mypy-a.*]\nignore_errors = True\n";
        let sections = Manifest::read_sections(text);
        assert_eq!(sections.words("flake8.ignore"), ["E203", "W503", "E501"]);
        assert_eq!(sections.text("flake8.max-line-length"), Some("100"));
        assert!(sections.says("mypy-a.*.ignore_errors", "True"));
    }

    #[test]
    fn a_line_and_a_list_of_any_length_are_read_once() {
        let text = format!(
            "a = \"{}\nb = [ \"{}\",\n{}]\nc = \"1\" # \"{}\n",
            "#".repeat(2_000_000),
            "x".repeat(60_000),
            "\n".repeat(1_000_000),
            "#".repeat(2_000_000)
        );
        let manifest = Manifest::read(&text);
        assert_eq!(manifest.words("b").len(), 1);
        assert_eq!((manifest.text("c"), manifest.get("c").unwrap().line), (Some("1"), 1_000_004));
    }

    #[test]
    fn what_stands_in_quotes_opens_and_closes_nothing() {
        let text =
            "a = [\"[\"]\nb = ['#', \"c]\",\n  \"\\\"#]\", 'd\\',\n  \"e\"]\nf = \"1\" # it's [\ng = \"2\"\n";
        let manifest = Manifest::read(text);
        assert_eq!(manifest.text("f"), Some("1"));
        assert_eq!(manifest.text("g"), Some("2"));
        assert!(manifest.words("b").contains(&"e"), "{:?}", manifest.words("b"));
    }

    #[test]
    fn versions_tell_whether_they_fit() {
        for (old, new) in
            [("1.2.3", "2.0.0"), ("0.1.5", "0.2.0"), ("0.0.1", "0.0.2"), ("0.9.0", "1.0.0-rc.1")]
        {
            assert!(is_incompatible(old, new), "{old} {new}");
        }
        for (old, new) in
            [("1.2.3", "1.3.0"), ("0.1.5", "0.1.6"), ("2.0.0", "1.0.0"), ("x", "2.0.0"), ("1", "1")]
        {
            assert!(!is_incompatible(old, new), "{old} {new}");
        }
    }
}
