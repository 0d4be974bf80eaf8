use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// How bad a finding is. One scale for the whole product, ordered from harmless to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Severity {
    Suggestion,
    Minor,
    Low,
    Medium,
    Major,
    High,
    Critical,
}

/// The three groups of a findings document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum Class {
    Minor,
    Important,
    Critical,
}

/// The three levels of a `ReviewReport` and of SARIF (which says `note` for `info`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Info,
    Warning,
    Error,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown severity `{0}`: expected one of CRITICAL, HIGH, MAJOR, MEDIUM, LOW, MINOR, SUGGESTION")]
pub struct UnknownSeverity(String);

impl Severity {
    /// Worst first, the order people read findings in.
    pub const ALL: [Severity; 7] = [
        Severity::Critical,
        Severity::High,
        Severity::Major,
        Severity::Medium,
        Severity::Low,
        Severity::Minor,
        Severity::Suggestion,
    ];

    pub fn class(self) -> Class {
        match self {
            Severity::Critical => Class::Critical,
            Severity::High | Severity::Major => Class::Important,
            Severity::Medium | Severity::Low | Severity::Minor | Severity::Suggestion => Class::Minor,
        }
    }

    pub fn level(self) -> Level {
        match self {
            Severity::Critical | Severity::High | Severity::Major => Level::Error,
            Severity::Medium | Severity::Low => Level::Warning,
            Severity::Minor | Severity::Suggestion => Level::Info,
        }
    }

    pub fn must_fix(self) -> bool {
        self.class() != Class::Minor
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Critical => "CRITICAL",
            Severity::High => "HIGH",
            Severity::Major => "MAJOR",
            Severity::Medium => "MEDIUM",
            Severity::Low => "LOW",
            Severity::Minor => "MINOR",
            Severity::Suggestion => "SUGGESTION",
        }
    }
}

impl Class {
    /// The severity a finding gets when a document says only its class: the mildest that keeps the class.
    pub fn severity(self) -> Severity {
        match self {
            Class::Critical => Severity::Critical,
            Class::Important => Severity::Major,
            Class::Minor => Severity::Low,
        }
    }
}

impl Level {
    /// The severity a finding gets when a report says only its level: the mildest that keeps the level.
    pub fn severity(self) -> Severity {
        match self {
            Level::Error => Severity::Major,
            Level::Warning => Severity::Low,
            Level::Info => Severity::Minor,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Info => "info",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Case does not matter: models and people write `critical` as often as `CRITICAL`.
impl FromStr for Severity {
    type Err = UnknownSeverity;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        Severity::ALL
            .into_iter()
            .find(|severity| severity.as_str().eq_ignore_ascii_case(s.trim()))
            .ok_or_else(|| UnknownSeverity(s.to_owned()))
    }
}

impl<'de> Deserialize<'de> for Severity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_vocabularies_agree() {
        let table: Vec<_> =
            Severity::ALL.iter().map(|s| (s.as_str(), s.class(), s.level(), s.must_fix())).collect();
        assert_eq!(
            table,
            [
                ("CRITICAL", Class::Critical, Level::Error, true),
                ("HIGH", Class::Important, Level::Error, true),
                ("MAJOR", Class::Important, Level::Error, true),
                ("MEDIUM", Class::Minor, Level::Warning, false),
                ("LOW", Class::Minor, Level::Warning, false),
                ("MINOR", Class::Minor, Level::Info, false),
                ("SUGGESTION", Class::Minor, Level::Info, false),
            ]
        );
    }

    #[test]
    fn a_coarse_word_translates_back_into_its_own_class_and_level() {
        for class in [Class::Critical, Class::Important, Class::Minor] {
            assert_eq!(class.severity().class(), class);
        }
        for level in [Level::Error, Level::Warning, Level::Info] {
            assert_eq!(level.severity().level(), level);
        }
    }

    #[test]
    fn reads_any_case_and_names_the_scale_when_it_cannot() {
        assert_eq!("hIgH".parse(), Ok(Severity::High));
        let error = "blocker".parse::<Severity>().unwrap_err().to_string();
        assert!(error.contains("`blocker`") && error.contains("SUGGESTION"), "{error}");
    }
}
