use std::borrow::Cow;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Category;

/// What a change is scored on. Six are built in; a project may add its own by name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct Dimension(Cow<'static, str>);

/// How much a dimension counts, and which minimum score it has to reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Weight {
    Critical,
    Important,
    Moderate,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a dimension name: use lower-case letters, digits and underscores, starting with a letter"
)]
pub struct BadDimension(String);

impl Dimension {
    pub const REQUIREMENT_ADHERENCE: Dimension = Dimension(Cow::Borrowed("requirement_adherence"));
    pub const COORDINATION_COMPLIANCE: Dimension = Dimension(Cow::Borrowed("coordination_compliance"));
    pub const CODE_QUALITY: Dimension = Dimension(Cow::Borrowed("code_quality"));
    pub const PATTERN_CONSISTENCY: Dimension = Dimension(Cow::Borrowed("pattern_consistency"));
    pub const TEST_QUALITY: Dimension = Dimension(Cow::Borrowed("test_quality"));
    pub const SECURITY_PERFORMANCE: Dimension = Dimension(Cow::Borrowed("security_performance"));

    /// The built-in dimensions with their weights, in the order reports list them.
    pub const BUILT_IN: [(Dimension, Weight); 6] = [
        (Dimension::REQUIREMENT_ADHERENCE, Weight::Critical),
        (Dimension::COORDINATION_COMPLIANCE, Weight::Critical),
        (Dimension::CODE_QUALITY, Weight::Important),
        (Dimension::PATTERN_CONSISTENCY, Weight::Important),
        (Dimension::TEST_QUALITY, Weight::Important),
        (Dimension::SECURITY_PERFORMANCE, Weight::Moderate),
    ];

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The category to show where a format knows no dimensions and the finding named none.
    pub fn category(&self) -> Category {
        match self.as_str() {
            "code_quality" => Category::Readability,
            "test_quality" => Category::Testing,
            "security_performance" => Category::Security,
            "requirement_adherence" | "coordination_compliance" => Category::Correctness,
            _ => Category::BestPractices,
        }
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl TryFrom<String> for Dimension {
    type Error = BadDimension;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        let well_formed = name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.len() <= 64
            && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        if well_formed { Ok(Dimension(Cow::Owned(name))) } else { Err(BadDimension(name)) }
    }
}

impl From<Dimension> for String {
    fn from(dimension: Dimension) -> Self {
        dimension.0.into_owned()
    }
}

impl Weight {
    pub fn as_str(self) -> &'static str {
        match self {
            Weight::Critical => "critical",
            Weight::Important => "important",
            Weight::Moderate => "moderate",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_category_counts_against_a_built_in_dimension() {
        for category in Category::ALL {
            let dimension = category.dimension();
            assert!(Dimension::BUILT_IN.iter().any(|(known, _)| *known == dimension), "{category}");
        }
    }

    #[test]
    fn a_project_may_name_its_own_but_not_anyhow() {
        assert!(Dimension::try_from("accessibility".to_owned()).is_ok());
        for bad in ["", "Accessibility", "a b", "1st", "ä", &"x".repeat(65)] {
            assert!(Dimension::try_from(bad.to_owned()).is_err(), "{bad}");
        }
    }
}
