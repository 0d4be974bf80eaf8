//! What other programs found: SARIF, the JSON of ESLint, lines that begin with a place, or what a formatter would change. None of it is believed beyond what it says: only
//! what lies on lines that the change added becomes a finding.

mod eslint;
mod families;
mod formatter;
mod lines;
mod location;
mod place;
mod sarif;
#[cfg(test)]
mod tests;

pub use eslint::read_eslint;
pub use families::{Score, our_name};
pub use formatter::read_formatter;
pub use lines::read_lines;
pub use place::{Placed, place};
pub use sarif::{BadSarif, read_sarif};

use crate::review::Confidence;
use crate::words::{Category, Level};

/// One thing that a program said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// The program's name, cleaned.
    pub tool: String,
    /// May be empty.
    pub rule: String,
    pub level: Level,
    pub category: Category,
    /// How bad it would be, where the program says that as well.
    pub score: Option<Score>,
    pub confidence: Confidence,
    pub message: String,
    /// As the program wrote it: relative, absolute or a `file:` address.
    pub path: String,
    /// The same without the folder that the program was started in, which may have been one of another machine.
    pub inside: Option<String>,
    pub line: u32,
    /// Inclusive.
    pub end_line: u32,
}

/// What programs left, and which they were: one that found nothing has looked all the same.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolReport {
    /// By name, each once.
    pub tools: Vec<String>,
    pub results: Vec<ToolResult>,
}

/// A name without spaces, so that a comment and a policy can say it.
fn one_word(name: &str) -> String {
    let parts = name.split(|c: char| c.is_whitespace() || c == ',').filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-")
}

/// More than this from one program is a program gone wild.
const MOST_RESULTS: usize = 50_000;
