use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Dimension;

/// What kind of trouble a finding is about, in the words QA agents use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    Security,
    Performance,
    Correctness,
    Readability,
    Testing,
    BestPractices,
}

impl Category {
    pub const ALL: [Category; 6] = [
        Category::Security,
        Category::Performance,
        Category::Correctness,
        Category::Readability,
        Category::Testing,
        Category::BestPractices,
    ];

    /// The dimension a finding of this category counts against unless its author says otherwise.
    pub fn dimension(self) -> Dimension {
        match self {
            Category::Security | Category::Performance => Dimension::SECURITY_PERFORMANCE,
            Category::Correctness => Dimension::REQUIREMENT_ADHERENCE,
            Category::Readability => Dimension::CODE_QUALITY,
            Category::Testing => Dimension::TEST_QUALITY,
            Category::BestPractices => Dimension::PATTERN_CONSISTENCY,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Category::Security => "security",
            Category::Performance => "performance",
            Category::Correctness => "correctness",
            Category::Readability => "readability",
            Category::Testing => "testing",
            Category::BestPractices => "best_practices",
        }
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Category {
    type Err = ();

    /// Spaces and hyphens read as underscores: "Best Practices" is a category too.
    fn from_str(s: &str) -> Result<Self, Self::Err> {
        let wanted = s.trim().to_ascii_lowercase().replace([' ', '-'], "_");
        Category::ALL.into_iter().find(|category| category.as_str() == wanted).ok_or(())
    }
}
