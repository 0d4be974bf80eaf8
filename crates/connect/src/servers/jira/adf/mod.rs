//! Jira's document format: made from Markdown, and read as text.

mod build;
mod from_markdown;
mod to_text;

pub(super) use build::{Builder, Shape};
pub(super) use from_markdown::from_markdown;
pub(super) use to_text::to_text;

#[cfg(test)]
mod tests;
