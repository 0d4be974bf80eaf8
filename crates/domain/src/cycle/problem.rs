use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::words::Class;

/// The kinds of problem a story's reviewer sorts its findings by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Problem {
    SecurityVulnerability,
    Crash,
    DataLoss,
    AdrViolation,
    HookViolation,
    MissingCriticalTests,
    PerformanceIssue,
    IncompleteImplementation,
    ArchitecturalConcern,
    SignificantTestGap,
    CodeStyle,
    NamingConvention,
    Documentation,
    MinorRefactoring,
}

impl Problem {
    pub const ALL: [Problem; 14] = [
        Problem::SecurityVulnerability,
        Problem::Crash,
        Problem::DataLoss,
        Problem::AdrViolation,
        Problem::HookViolation,
        Problem::MissingCriticalTests,
        Problem::PerformanceIssue,
        Problem::IncompleteImplementation,
        Problem::ArchitecturalConcern,
        Problem::SignificantTestGap,
        Problem::CodeStyle,
        Problem::NamingConvention,
        Problem::Documentation,
        Problem::MinorRefactoring,
    ];

    pub fn class(self) -> Class {
        match self {
            Problem::SecurityVulnerability
            | Problem::Crash
            | Problem::DataLoss
            | Problem::AdrViolation
            | Problem::HookViolation
            | Problem::MissingCriticalTests => Class::Critical,
            Problem::PerformanceIssue
            | Problem::IncompleteImplementation
            | Problem::ArchitecturalConcern
            | Problem::SignificantTestGap => Class::Important,
            Problem::CodeStyle
            | Problem::NamingConvention
            | Problem::Documentation
            | Problem::MinorRefactoring => Class::Minor,
        }
    }

    /// As prompts and documents name it.
    pub fn as_str(self) -> &'static str {
        match self {
            Problem::SecurityVulnerability => "security vulnerability",
            Problem::Crash => "crash",
            Problem::DataLoss => "data loss",
            Problem::AdrViolation => "ADR violation",
            Problem::HookViolation => "hook violation",
            Problem::MissingCriticalTests => "missing critical tests",
            Problem::PerformanceIssue => "performance issue",
            Problem::IncompleteImplementation => "incomplete implementation",
            Problem::ArchitecturalConcern => "architectural concern",
            Problem::SignificantTestGap => "significant test gap",
            Problem::CodeStyle => "code style",
            Problem::NamingConvention => "naming convention",
            Problem::Documentation => "documentation",
            Problem::MinorRefactoring => "minor refactoring",
        }
    }
}
