//! The built-in reviewer: a change and its sources in, findings out.
//!
//! Deterministic, offline and pure. What it says has to be right so often that a gate can stand on it, so
//! each rule prefers silence to a guess, and speaks only about lines the change added or functions it
//! touched.
//!
//! A rule is a [`FileRule`] or a [`ChangeRule`] with a [`RuleInfo`]; a [`RuleSet`] holds them, and
//! [`RulesReviewer`] runs a set over a change.

mod brackets;
mod carried;
mod catalogue;
mod context;
mod copies;
mod data;
mod documentation;
mod flow;
mod fold;
mod language;
mod lines;
mod literals;
mod mask;
mod mend;
mod neighbours;
mod pattern;
mod prefilter;
mod redact;
mod repeated;
mod repeats;
mod reporter;
mod reviewer;
mod rule;
mod rules;
mod source;
mod suppressions;
pub mod syntax;
mod weakened;

pub use catalogue::{RuleSet, catalogue, descriptions, is_built_in, rule, unknown_rules};
pub use context::{AddedLine, ChangeContext, FileContext};
pub use data::{ExampleReport, FailedExample, ProjectRules, ProjectRulesError, RULES_FOLDER, test_built_in};
pub use documentation::documentation;
pub use language::Language;
pub use mask::{Kind, Mask};
pub use mend::{Mended, can_mend, mend, mend_most, mend_with};
pub use redact::{redact, redact_file, redact_output};
pub use reporter::{Draft, Reporter};
pub use reviewer::RulesReviewer;
pub use rule::{ChangeRule, Example, FileRule, Interest, Reach, RuleInfo, Sign, Stands, Text, text};
pub use rules::{defines, may_define_functions};
pub use source::Source;
pub use weakened::weakened_tests;
