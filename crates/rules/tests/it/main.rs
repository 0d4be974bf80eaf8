//! The rules, held to examples of what they have to find and of what they have to leave alone.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests may panic as tests may

mod breaking;
mod breaking_epic;
mod breaking_languages;
mod breaking_moved;
mod breaking_promises;
mod breaking_rust;
mod breaking_table;
mod carried;
mod cases;
mod characters;
mod checks;
mod complexity;
mod consistency;
mod coordination;
mod copied_files;
mod copies;
mod exposed;
mod files;
mod good_changes;
mod guards;
mod habits;
mod kept;
mod keychains;
mod left_behind;
mod mending;
mod moved_tests;
mod order;
mod pairs;
mod patterns;
mod policy;
mod properties;
mod requirements;
mod reviewing;
mod secret_formats;
mod secret_guesses;
mod secret_places;
mod secrets;
mod stands;
mod support;
mod test_changes;
mod tests_of_tests;
mod weakening;
