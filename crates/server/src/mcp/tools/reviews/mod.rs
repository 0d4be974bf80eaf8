//! Reviews of commits: asked for, looked up, compared with the ones before.

mod findings;
mod now;
mod report;
mod request;

pub(crate) use findings::GetFindings;
pub(crate) use report::GetReviewReport;
pub(crate) use request::RequestReview;
