//! What a package offers by its manifest: its name, its features.

use std::collections::HashSet;

use super::lost::{Line, Loss, Lost, Proof, Sort};
use super::manifest::Manifest;
use crate::context::{ChangeContext, FileContext};

/// Everything that users of the packages of the change could ask for before.
pub(super) fn losses<'f>(change: &'f ChangeContext<'f>) -> Vec<Lost<'f>> {
    let manifests = change.files.iter().filter(|file| file.change.path().file_name() == b"Cargo.toml");
    manifests.filter(|file| file.skipped.is_none()).flat_map(compare).collect()
}

fn compare<'f>(file: &'f FileContext<'f>) -> Vec<Lost<'f>> {
    let (Some(base), Some(head)) = (file.base(), file.head()) else { return Vec::new() };
    let read = |text: &[u8]| Manifest::read(&String::from_utf8_lossy(text));
    let (was, is) = (read(base.text()), read(head.text()));
    let mut lost = Vec::new();
    let mut tell = |sort: Sort, name: &str, loss: Loss, line: Line| {
        let (name, container) = (name.to_owned(), String::new());
        // Those who need what it enabled may have asked for that as well.
        let known = name != "default" && sort == Sort::Feature && loss != Loss::Gone;
        let proof = if known { Proof::Likely } else { Proof::Certain };
        let (has_receiver, deprecated, enclosed) = (false, false, false);
        lost.push(Lost {
            file,
            sort,
            name,
            container,
            has_receiver,
            arity: None,
            deprecated,
            own: false,
            enclosed,
            loss,
            proof,
            line,
        });
    };
    for key in ["package.name", "lib.name"] {
        if let (Some(old), Some(new)) = (was.text(key), is.text(key))
            && old != new
        {
            let line = is.get(key).map_or(1, |entry| entry.line);
            tell(Sort::Package, old, Loss::Altered { how: format!("is now called {new}") }, Line::New(line));
        }
    }
    let (before, after) = (was.lists("features"), is.lists("features"));
    let mut names: Vec<&&str> = before.keys().collect();
    names.sort();
    for name in names {
        let (enabled, line) = &before[*name];
        match after.get(*name) {
            _ if is_unstable(name) => {}
            None if **name == *"default" => {
                if let Some(gone) = enabled.iter().find(|one| before.contains_key(**one)) {
                    let how = format!("no longer enables {gone}");
                    tell(Sort::Feature, name, Loss::Altered { how }, Line::Old(*line));
                }
            }
            None if !is.optional().contains_key(*name) => {
                tell(Sort::Feature, name, Loss::Gone, Line::Old(*line));
            }
            None => {}
            Some((enables, line)) => {
                let reached = reached(enables, &after);
                if let Some(gone) =
                    enabled.iter().find(|one| before.contains_key(**one) && !reached.contains(*one))
                {
                    let how = format!("no longer enables {gone}");
                    tell(Sort::Feature, name, Loss::Altered { how }, Line::New(*line));
                }
            }
        }
    }
    lost.extend(dependencies(file, &was, &is));
    lost
}

/// Whose name says that nobody should rely on it.
fn is_unstable(name: &str) -> bool {
    const WORDS: [&str; 4] = ["unstable", "nightly", "bench", "benchmarks"];
    let first = name.split(['-', '_']).next().unwrap_or_default();
    name.starts_with('_') || WORDS.contains(&first)
}

/// With what the features that it enables enable in turn.
fn reached<'m>(
    enables: &[&'m str],
    all: &std::collections::HashMap<&'m str, (Vec<&'m str>, u32)>,
) -> HashSet<&'m str> {
    let mut open: Vec<&str> = enables.to_vec();
    let mut reached = HashSet::new();
    while let Some(name) = open.pop() {
        if reached.insert(name) {
            open.extend(all.get(name).into_iter().flat_map(|(more, _)| more.iter().copied()));
        }
    }
    reached
}

/// An optional dependency is a feature of its name, unless a feature speaks of it as `dep:`.
fn dependencies<'f>(file: &'f FileContext<'f>, was: &Manifest, is: &Manifest) -> Vec<Lost<'f>> {
    let spoken = |manifest: &Manifest, name: &str| {
        let word = format!("dep:{name}");
        manifest.lists("features").values().any(|(words, _)| words.contains(&word.as_str()))
    };
    let (before, after, features) = (was.optional(), is.optional(), is.lists("features"));
    let mut gone: Vec<(&str, u32)> = before
        .into_iter()
        .filter(|(name, _)| !spoken(was, name) && !features.contains_key(name))
        .filter(|(name, _)| !after.contains_key(name) || spoken(is, name))
        .collect();
    gone.retain(|(name, _)| !is_unstable(name));
    gone.sort_unstable();
    gone.into_iter()
        .map(|(name, line)| Lost {
            file,
            sort: Sort::Feature,
            name: name.to_owned(),
            container: String::new(),
            has_receiver: false,
            arity: None,
            deprecated: false,
            own: false,
            enclosed: false,
            loss: Loss::Gone,
            proof: Proof::Likely,
            line: Line::Old(line),
        })
        .collect()
}
