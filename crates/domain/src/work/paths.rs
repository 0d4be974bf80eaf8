//! The files that a document names in backticks, and those it says to leave alone.

use super::item::{heading, numbered_prose};

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Paths {
    /// Files that there is something to do with.
    pub(super) named: Vec<String>,
    /// Files and folders that are to stay as they are.
    pub(super) left_alone: Vec<String>,
}

/// What a sentence says of a name in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    Named,
    /// It is not what this is about.
    Excepted,
    LeftAlone,
}

pub(super) fn paths(text: &str) -> Paths {
    let mut found = Paths::default();
    let mut closed: Option<usize> = None;
    for (_, line) in numbered_prose(text) {
        if let Some((depth, title)) = heading(line) {
            closed = match closed {
                _ if is_out_of_scope(title) => Some(depth),
                Some(open) if depth > open => Some(open),
                _ => None,
            };
        }
        for (name, said) in quoted(line) {
            match if closed.is_some() { Said::LeftAlone } else { said } {
                Said::Named if is_file(name) => found.named.push(name.to_owned()),
                Said::LeftAlone if is_place(name) => {
                    found.left_alone.push(name.trim_end_matches(['/', '*']).to_owned());
                }
                Said::Named | Said::Excepted | Said::LeftAlone => {}
            }
        }
    }
    for list in [&mut found.named, &mut found.left_alone] {
        list.sort();
        list.dedup();
    }
    let Paths { named, left_alone } = &mut found;
    named.retain(|name| left_alone.binary_search(name).is_err());
    found
}

fn is_out_of_scope(title: &str) -> bool {
    let title = title.to_lowercase();
    ["out of scope", "not in scope", "non-goal", "do not touch", "don't touch", "leave alone"]
        .iter()
        .any(|words| title.contains(words))
}

/// A line with more names is a list that nobody wrote sentences for; so much of one tells what it says of a name.
const MOST_NAMES: usize = 200;
const LONGEST: usize = 2_000;

fn quoted(line: &str) -> Vec<(&str, Said)> {
    let parts: Vec<&str> = line.split('`').collect();
    let mut before = String::new();
    let mut found = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        if index % 2 == 0 {
            if let Some(end) = ENDS.iter().filter_map(|end| part.rfind(end)).max() {
                before.clear();
                before.push_str(&part[end + 1..]);
            } else {
                before.push_str(part);
            }
            before.push(' ');
            let cut = before.ceil_char_boundary(before.len().saturating_sub(LONGEST));
            before.drain(..cut);
        } else if index + 1 < parts.len() && (is_file(part) || is_place(part)) {
            found.push((*part, said(&words(&before), &words(&after(&parts[index + 1..])))));
            if found.len() == MOST_NAMES {
                break;
            }
        }
    }
    found
}

const ENDS: [&str; 3] = [". ", "; ", "! "];

/// The prose from a name to the end of its sentence.
fn after(parts: &[&str]) -> String {
    let mut text = String::new();
    for part in parts.iter().step_by(2) {
        match ENDS.iter().filter_map(|end| part.find(end)).min() {
            Some(end) => {
                text.push_str(&part[..end]);
                break;
            }
            None => text.push_str(part),
        }
        text.push(' ');
        if text.len() > LONGEST {
            break;
        }
    }
    text
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’');
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

const NOT: [&str; 7] = ["not", "never", "don't", "don’t", "without", "except", "cannot"];

fn said(before: &[String], after: &[String]) -> Said {
    let is_not = |word: &String| NOT.contains(&word.as_str());
    let touches =
        |word: &String| ["touch", "chang", "edit", "modif"].iter().any(|verb| word.starts_with(verb));
    let forbids = before.windows(2).any(|pair| is_not(&pair[0]) && touches(&pair[1]));
    let has = |verbs: [&str; 3]| before.iter().any(|word| verbs.contains(&word.as_str()));
    let left =
        has(["leave", "leaves", "leaving"]) && is_untouched(after, &["untouched", "unchanged", "alone"]);
    let kept = has(["keep", "keeps", "keeping"]) && is_untouched(after, &["untouched", "unchanged"]);
    if forbids || left || kept || stays(after) {
        return Said::LeftAlone;
    }
    match before.iter().any(|word| is_not(word) || word == "untouched") {
        true => Said::Excepted,
        false => Said::Named,
    }
}

/// By one of the words, or by `as it is`.
fn is_untouched(after: &[String], words: &[&str]) -> bool {
    let as_it_is = |pair: &[String]| pair[0] == "as" && ["is", "it", "they"].contains(&pair[1].as_str());
    after.iter().any(|word| words.contains(&word.as_str())) || after.windows(2).any(as_it_is)
}

/// `src/a.py` stays untouched, must remain unchanged, is to be left alone.
fn stays(after: &[String]) -> bool {
    let helpers = ["must", "should", "shall", "has", "have", "is", "are", "to", "will", "be"];
    let verbs = ["stay", "stays", "remain", "remains", "left", "kept"];
    let mut rest = after.iter().skip_while(|word| helpers.contains(&word.as_str()));
    let verb = rest.next().is_some_and(|word| verbs.contains(&word.as_str()));
    verb && rest.next().is_some_and(|word| ["untouched", "unchanged", "alone", "as"].contains(&word.as_str()))
}

/// `src/api/auth.ts` is a file; `a/b` without an ending or `cargo run` is not. Outside of any folder only what has the
/// ending of a source file is: a name with a dot may be anything.
fn is_file(name: &str) -> bool {
    let ending = name.rsplit('/').next().and_then(|file| file.rsplit_once('.'));
    let Some((stem, ending)) = ending.filter(|_| is_plain(name)) else { return false };
    match name.contains('/') {
        true => (1..=5).contains(&ending.len()) && !is_output(name, ending),
        false => !stem.is_empty() && SOURCES.contains(&ending),
    }
}

const SOURCES: [&str; 21] = [
    "rs", "py", "js", "mjs", "ts", "tsx", "jsx", "go", "java", "kt", "c", "h", "cc", "cpp", "hpp", "cs",
    "rb", "php", "swift", "scala", "sh",
];

/// What running something leaves behind is nobody's work.
fn is_output(name: &str, ending: &str) -> bool {
    let folder = name.split('/').next().unwrap_or_default();
    ["build", "dist", "target", "out", "tmp", "logs", "node_modules"].contains(&folder)
        || ["log", "out", "tmp", "pid", "lock"].contains(&ending)
}

/// A file or a folder.
fn is_place(name: &str) -> bool {
    is_plain(name.trim_end_matches('*')) && (name.contains('/') || is_file(name))
}

fn is_plain(name: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "/._-".contains(c);
    !name.starts_with('/') && !name.contains("..") && name.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: [&str; 0] = [];

    #[test]
    fn a_file_to_leave_alone_is_not_named() {
        for text in [
            "Do not touch `src/a.py`.",
            "Never edit `src/a.py` or `lib/`.",
            "Keep `src/a.py` unchanged.",
            "We leave `src/a.py` as it is.",
            "`src/a.py` must stay untouched.",
            "`src/a.py` is to be left alone.",
            "## Out of scope\n\n- `src/a.py`\n### Also\n- see `lib/`\n",
            "**Non-goals**\n`src/a.py`",
        ] {
            let found = paths(text);
            assert_eq!(found.named, NONE, "{text}");
            assert!(found.left_alone.contains(&"src/a.py".to_owned()), "{text}");
        }
        for text in ["Rewrite it without `src/a.py`.", "You don't need `src/a.py`"] {
            assert_eq!(paths(text), Paths::default(), "{text}");
        }
    }

    #[test]
    fn a_line_of_nothing_but_names_ends() {
        let names = |kind: &str| (0..50_000).map(|n| format!("`src/{kind}{n}.py`")).collect::<Vec<_>>();
        let named = names("a").join(" and ");
        let found = paths(&format!("Add {named}.\nDo not touch {named}.\n{}", names("b").join("\n")));
        assert_eq!((found.named.len(), found.left_alone.len()), (50_000, MOST_NAMES));
    }

    #[test]
    fn what_stands_beside_it_is_named() {
        let found = paths("Change `src/a.py`, and leave `src/b.py` untouched. Add `src/c.py`.");
        assert_eq!(
            (&found.named[..], &found.left_alone[..]),
            (&["src/a.py".into(), "src/c.py".into()][..], &["src/b.py".into()][..])
        );
        for text in
            ["Keep `src/a.py` small.", "Leave a note in `src/a.py`.", "## Out of scope\nx\n## Do\n`src/a.py`"]
        {
            assert_eq!(paths(text).named, ["src/a.py"], "{text}");
        }
    }

    #[test]
    fn only_what_can_be_a_file_of_the_project_is_one() {
        assert_eq!(paths("Add `worker.py` and `a/b.toml`.").named, ["a/b.toml", "worker.py"]);
        for text in [
            "`build/out.txt`",
            "`logs/a.log`",
            "`a.b`",
            "`/etc/a.rs`",
            "`../a.rs`",
            "`.rs`",
            "`a/b`",
            "`cargo x.rs`",
        ] {
            assert_eq!(paths(text).named, NONE, "{text}");
        }
    }
}
