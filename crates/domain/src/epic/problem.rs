use std::fmt;

use serde::Serialize;

use super::excerpt::Excerpt;
use crate::text::clean_line;

/// Something in an epic or one of its tickets that keeps it from being run, or that its author should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    pub severity: ProblemSeverity,
    pub file: String,
    /// `None` if it is about the file as a whole.
    #[serde(flatten)]
    pub at: Option<Position>,
    pub message: String,
    /// What should be there instead.
    pub expected: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<Excerpt>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ProblemSeverity {
    Warning,
    Error,
}

/// A line and a column of a text, both from 1, the column in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Position {
    pub line: u64,
    pub column: u64,
}

/// Everything that is wrong with an epic, by position. Never empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problems {
    pub problems: Vec<Problem>,
    /// How many more there are that are not listed.
    pub left_out: usize,
}

impl ProblemSeverity {
    pub fn as_str(self) -> &'static str {
        match self {
            ProblemSeverity::Warning => "warning",
            ProblemSeverity::Error => "error",
        }
    }
}

impl Problem {
    /// About a file as a whole.
    pub fn about(
        severity: ProblemSeverity,
        file: &str,
        message: impl Into<String>,
        expected: &str,
    ) -> Problem {
        Problem {
            severity,
            file: file.to_owned(),
            at: None,
            message: message.into(),
            expected: expected.to_owned(),
            excerpt: None,
        }
    }

    /// `epic.yaml:4:7`, or the file alone.
    pub fn location(&self) -> String {
        match self.at {
            Some(Position { line, column }) => format!("{}:{line}:{column}", clean_line(&self.file)),
            None => clean_line(&self.file),
        }
    }
}

/// Location and message, the line with a caret below, and what was expected.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}: {}", self.location(), self.severity.as_str(), self.message)?;
        if let (Some(excerpt), Some(at)) = (&self.excerpt, self.at) {
            let number = at.line.to_string();
            let margin = " ".repeat(number.len());
            writeln!(f, " {margin} |")?;
            writeln!(f, " {number} | {}", excerpt.line)?;
            writeln!(f, " {margin} | {}{}", " ".repeat(excerpt.column), "^".repeat(excerpt.length.max(1)))?;
        }
        writeln!(f, "  expected: {}", self.expected)
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            let gap = if index == 0 { "" } else { "\n" };
            write!(f, "{gap}{problem}")?;
        }
        if self.left_out > 0 {
            writeln!(f, "\nand {} more", self.left_out)?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}
