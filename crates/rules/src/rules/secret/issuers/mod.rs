//! The token formats that issuers document, by what they are for.

mod clouds;
mod code;
mod models;
mod operations;
mod people;

use super::detect::Detector;

/// Every table of formats.
pub(super) fn all() -> impl Iterator<Item = &'static Detector> {
    [clouds::FORMATS, code::FORMATS, models::FORMATS, operations::FORMATS, people::FORMATS]
        .into_iter()
        .flatten()
}
