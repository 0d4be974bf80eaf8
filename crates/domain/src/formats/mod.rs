//! Every outside shape of a review, as pure conversions to and from the one internal model.

pub mod code_review_report;
pub mod contexts;
pub(crate) mod escape;
pub mod findings_document;
pub mod github;
mod lenient;
pub mod markdown;
pub mod prose;
pub mod qa_findings;
pub mod rdjson;
pub mod review_report;
mod rule_description;
pub mod sarif;
pub mod schema;
pub(crate) mod shown;
mod task_document;
pub mod tool_report;

pub(crate) use lenient::de_timestamp as timestamp;
pub use rule_description::RuleDescription;

#[cfg(test)]
pub(crate) mod fixture;
