//! Every outside shape of a review, as pure conversions to and from the one internal model.

pub mod code_review_report;
pub mod contexts;
pub mod findings_document;
pub mod github;
pub mod markdown;
pub mod qa_findings;
pub mod rdjson;
pub mod review_report;
pub mod sarif;
pub mod schema;
pub mod text;

mod lenient;

#[cfg(test)]
mod fixture;
