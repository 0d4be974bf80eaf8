//! Who has to look at a change of which files.

use std::collections::{HashMap, HashSet};

use crate::context::FileContext;
use crate::source::Source;

/// How fewer people have to look than before.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Disowned {
    pub(super) line: u32,
    pub(super) pattern: String,
    /// Somebody still has to.
    pub(super) by_others: bool,
}

/// The first pattern that has lost an owner, or that says of files which somebody owns that nobody does.
pub(super) fn disowned(file: &FileContext<'_>) -> Option<Disowned> {
    let (base, head) = (file.base()?, file.head()?);
    let was = read(base);
    let before: HashMap<&str, &HashSet<String>> =
        was.iter().map(|(pattern, owners, _)| (pattern.as_str(), owners)).collect();
    read(head).into_iter().find_map(|(pattern, owners, line)| {
        let by_others = !owners.is_empty();
        let lost = match before.get(pattern.as_str()) {
            Some(known) => known.iter().any(|owner| !owners.contains(owner)),
            None => owners.is_empty() && !before.is_empty(),
        };
        lost.then_some(Disowned { line, pattern, by_others })
    })
}

/// Patterns with their owners. Sections of GitLab own nothing by themselves.
fn read(source: &Source) -> Vec<(String, HashSet<String>, u32)> {
    let text = String::from_utf8_lossy(source.text());
    let lines =
        text.lines().zip(1_u32..).map(|(line, number)| (line.split('#').next().unwrap_or_default(), number));
    let mut found = Vec::new();
    for (line, number) in lines {
        let mut words = line.split_whitespace();
        let Some(pattern) = words.next().filter(|word| !word.starts_with(['[', '^'])) else { continue };
        found.push((pattern.to_owned(), words.map(str::to_owned).collect(), number));
    }
    found
}
