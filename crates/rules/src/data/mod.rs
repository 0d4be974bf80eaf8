//! Rules that are data: YAML in ast-grep's form, and two shorter forms of our own for what most rules are about, a
//! call or an assignment.
//!
//! Ours are embedded; a project's own are read from `.countersign/rules/` of the base commit. Both are the same
//! documents and run the same way: a search for the words a rule needs, then one parse for all of them, then a walk
//! over the nodes that touch added lines.

mod asked_for;
mod bank;
mod beside;
mod builtin;
mod compiled;
mod condition;
mod document;
mod entry;
mod examples;
mod exposed;
mod fix;
mod given;
mod grammar;
mod literals;
mod loaded;
mod matching;
mod names;
mod project;
mod read;
mod same_fault;
mod scan;
mod shapes;
mod signs;
mod slow;
mod subject;
mod template;
mod variables;

pub(crate) use bank::{Bank, built_in};
pub use examples::{ExampleReport, FailedExample};
pub(crate) use fix::{MendedSpots, has_fix, mend_by_patterns, reads_no_worse};
#[cfg(test)]
pub(crate) use grammar::{Grammar, parse};
pub use project::{ProjectRules, ProjectRulesError, RULES_FOLDER, test_built_in};
pub(crate) use scan::check_file;
