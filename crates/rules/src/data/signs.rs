//! What is known of the embedded documents without reading them: a review needs few of the hundreds there are.
//!
//! `signs.txt` is made from the documents: a line that names a file, then one for each of its documents, with tabs between
//! the rule, its languages (with commas between them) and the words of which one has to stand in a file.

use super::read::parts;
use crate::language::Language;

const SIGNS: &str = include_str!("signs.txt");

/// Of one document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sign {
    pub(super) rule: &'static str,
    languages: &'static str,
    literals: &'static str,
    /// The document itself, without its examples.
    pub(super) text: &'static str,
}

impl Sign {
    pub(super) fn is_about(&self, language: Language) -> bool {
        self.languages.split(',').any(|name| name == language.as_str())
    }

    pub(super) fn literals(&self) -> impl Iterator<Item = &'static str> {
        self.literals.split('\t')
    }
}

/// Of the documents of a file, in their order.
pub(super) fn signs(file: &str, text: &'static str) -> impl Iterator<Item = Sign> {
    let below = SIGNS.lines().skip_while(move |line| *line != file).skip(1);
    let lines = below.take_while(|line| line.contains('\t'));
    let texts = parts(text).into_iter().map(|(_, text)| text);
    lines.zip(texts.filter(|text| !is_blank(text)).map(before_examples)).filter_map(|(line, text)| {
        let (rule, rest) = line.split_once('\t')?;
        let (languages, literals) = rest.split_once('\t')?;
        Some(Sign { rule, languages, literals, text })
    })
}

/// Nothing but comments.
pub(super) fn is_blank(text: &str) -> bool {
    text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'))
}

/// A review needs no examples. In our own files they come last.
fn before_examples(text: &str) -> &str {
    text.find("\nexamples:").map_or(text, |end| &text[..=end])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fmt::Write as _;

    use super::super::builtin;
    use super::super::entry::Entry;
    use super::super::read::documents;
    use super::*;

    fn made_anew() -> String {
        let (mut seen, mut made) = (BTreeSet::new(), String::new());
        for (file, text) in builtin::LANGUAGES.iter().flat_map(|(_, files)| files.iter()) {
            if !seen.insert(*file) {
                continue;
            }
            writeln!(made, "{file}").unwrap();
            for one in documents(file, text).unwrap() {
                let (id, named) = (one.document.id.as_deref().unwrap(), one.document.language.as_ref());
                let languages: Vec<Language> = named.unwrap().as_slice().iter().map(|name| name.0).collect();
                let literals = Entry::new(&one, 0, languages[0]).unwrap().literals;
                let mut literals =
                    literals.unwrap_or_else(|| panic!("{id} in {file} would parse every file"));
                let mut known = BTreeSet::new();
                literals.retain(|literal| known.insert(literal.clone()));
                let names: Vec<&str> = languages.iter().map(|language| language.as_str()).collect();
                assert!(literals.iter().all(|one| !one.contains(['\t', '\n'])), "{id} in {file}");
                writeln!(made, "{id}\t{}\t{}", names.join(","), literals.join("\t")).unwrap();
            }
        }
        made
    }

    #[test]
    fn signs_are_those_of_the_documents() {
        let made = made_anew();
        if std::env::var_os("COUNTERSIGN_WRITE_SIGNS").is_some() {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/data/signs.txt");
            std::fs::write(path, &made).unwrap();
        } else {
            let hint =
                "write it anew: COUNTERSIGN_WRITE_SIGNS=1 cargo nextest run -p countersign-rules signs";
            assert!(SIGNS == made, "signs.txt does not fit the documents; {hint}");
        }
    }
}
