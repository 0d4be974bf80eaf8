//! Whether a change keeps to what the tickets of an epic agreed on, and to what others rely on.

mod again;
mod announced;
mod api;
mod arguments;
mod arrivals;
mod asked;
mod beginnings;
mod breaking;
mod callers;
mod chains;
mod checks;
mod conditions;
mod declaring;
mod excuses;
mod exempt;
mod features;
mod gone;
mod idle_jobs;
mod inherited;
mod inside;
mod left_members;
mod left_types;
mod listing;
mod looser;
mod lost;
mod made;
mod manifest;
mod meant;
mod modules;
mod moved;
mod narrow;
mod near;
mod options;
mod other;
mod outline;
mod owners;
mod parts;
mod places;
mod profile;
mod reach;
mod references;
mod renamed;
mod routes;
mod runners;
mod rust;
mod scripts;
mod settings;
mod settings_rows;
mod shared;
mod shell_scripts;
mod shut;
mod steps;
mod structure;
mod tasks;
mod tools;
mod triggers;
mod types;
mod undefined;
mod unset;
mod usage;

pub(super) use breaking::BreakingChange;
pub(super) use checks::ChecksChanged;
pub(super) use inside::may_hide;
pub(super) use profile::FunctionProfiles;
pub use profile::{defines, may_define_functions};
pub(super) use shared::SharedInterfaces;
pub(super) use structure::DirectoryStructure;

fn is_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80
}

/// The words of a text: who asks for many finds them at once, instead of going over all of it for each.
fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| !is_word(byte)).filter(|word| !word.is_empty())
}

/// Whether `name` stands in `text` as a word of its own.
fn mentions(text: &[u8], name: &str) -> bool {
    !name.is_empty()
        && memchr::memmem::find_iter(text, name).any(|at| {
            let before = at.checked_sub(1).and_then(|before| text.get(before));
            !before.is_some_and(is_word) && !text.get(at + name.len()).is_some_and(is_word)
        })
}

/// `one`, `one and two`, `one, two and 3 more`.
fn listed(names: &[String]) -> String {
    const MOST: usize = 5;
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [one, two] => format!("{one} and {two}"),
        many if many.len() <= MOST => {
            format!("{} and {}", many[..many.len() - 1].join(", "), many[many.len() - 1])
        }
        many => format!("{} and {} more", many[..MOST - 1].join(", "), many.len() - MOST + 1),
    }
}
