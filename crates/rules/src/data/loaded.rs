use std::collections::BTreeSet;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::entry::Entry;
use super::read::document;
use super::signs::Sign;
use crate::language::Language;

/// The documents about one language, each of which is read when its words are first met.
#[derive(Default)]
pub(crate) struct Loaded {
    pub(super) entries: Vec<Unread>,
    /// The rule of each entry, and the words of which one has to stand in a file.
    rules: Vec<usize>,
    literals: Vec<Option<Vec<String>>>,
    search: Option<AhoCorasick>,
    /// The entry behind each literal.
    owners: Vec<usize>,
    /// Entries that need no literal.
    always: Vec<usize>,
}

/// Made when somebody looks at it.
pub(super) type Unread = LazyLock<Entry, Box<dyn FnOnce() -> Entry + Send + Sync>>;

impl Loaded {
    pub(super) fn add(&mut self, entry: Entry) {
        self.rules.push(entry.rule);
        self.literals.push(entry.literals.clone());
        self.entries.push(LazyLock::new(Box::new(move || entry)));
    }

    /// Tests hold every document to being right; one that is not would only be left out.
    pub(super) fn add_unread(&mut self, sign: Sign, file: &'static str, rule: usize, language: Language) {
        self.rules.push(rule);
        self.literals.push(Some(sign.literals().map(str::to_owned).collect()));
        self.entries.push(LazyLock::new(Box::new(move || {
            let entry = document(file, 0, sign.text).and_then(|one| Entry::new(&one, rule, language));
            entry.unwrap_or_else(|_| Entry::silent(rule, language))
        })));
    }

    /// To be called when all are added.
    pub(super) fn indexed(mut self) -> Self {
        let mut literals: Vec<&str> = Vec::new();
        let mut owners = Vec::new();
        for (index, words) in self.literals.iter().enumerate() {
            match words {
                Some(words) => {
                    literals.extend(words.iter().map(String::as_str));
                    owners.extend(std::iter::repeat_n(index, words.len()));
                }
                None => self.always.push(index),
            }
        }
        self.search = AhoCorasick::builder().match_kind(MatchKind::Standard).build(&literals).ok();
        self.owners = owners;
        self
    }

    /// The rule of each entry.
    pub(super) fn rules(&self) -> impl Iterator<Item = usize> {
        self.rules.iter().copied()
    }

    /// The entries of one rule.
    pub(super) fn of_rule(&self, rule: usize) -> impl Iterator<Item = &Entry> {
        self.entries.iter().zip(&self.rules).filter(move |(_, of)| **of == rule).map(|(entry, _)| &**entry)
    }

    /// The entries that may find something in a text, in order.
    pub(super) fn candidates(&self, text: &[u8]) -> Vec<usize> {
        let mut found: BTreeSet<usize> = self.always.iter().copied().collect();
        if let Some(search) = &self.search {
            for hit in search.find_overlapping_iter(text) {
                found.extend(self.owners.get(hit.pattern().as_usize()));
                if found.len() == self.entries.len() {
                    break;
                }
            }
        }
        found.into_iter().collect()
    }
}
