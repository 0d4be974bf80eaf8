use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A forge we can speak to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Provider {
    Github,
    Gitlab,
}

/// `VCS_PROVIDER` names a forge that nobody has taught us, or none at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsupportedProvider {
    /// Cleaned and cut. Empty if nobody named one.
    pub named: String,
}

impl std::error::Error for UnsupportedProvider {}

impl fmt::Display for UnsupportedProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.named.as_str() {
            "" => f.write_str("VCS_PROVIDER is not set; use GITHUB or GITLAB"),
            named => write!(f, "VCS_PROVIDER {named} is not supported; use GITHUB or GITLAB"),
        }
    }
}

impl Provider {
    pub const ALL: [Provider; 2] = [Provider::Github, Provider::Gitlab];

    pub fn as_str(self) -> &'static str {
        match self {
            Provider::Github => "GITHUB",
            Provider::Gitlab => "GITLAB",
        }
    }

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Provider::Github => "GitHub",
            Provider::Gitlab => "GitLab",
        }
    }

    /// What the forge calls a change that asks to be merged, with its number.
    pub fn numbered(self, number: u64) -> String {
        match self {
            Provider::Github => format!("pull request #{number}"),
            Provider::Gitlab => format!("merge request !{number}"),
        }
    }
}

impl FromStr for Provider {
    type Err = UnsupportedProvider;

    fn from_str(name: &str) -> Result<Self, UnsupportedProvider> {
        let known =
            Provider::ALL.into_iter().find(|provider| provider.as_str().eq_ignore_ascii_case(name.trim()));
        known.ok_or_else(|| {
            let named: String = crate::text::clean_line(name).chars().take(40).collect();
            UnsupportedProvider { named }
        })
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_nobody_knows_is_named_in_the_error() {
        assert_eq!("gitlab".parse(), Ok(Provider::Gitlab));
        let error = "BITBUCKET".parse::<Provider>().unwrap_err();
        assert_eq!(error.to_string(), "VCS_PROVIDER BITBUCKET is not supported; use GITHUB or GITLAB");
        assert!("".parse::<Provider>().unwrap_err().to_string().starts_with("VCS_PROVIDER is not set"));
        let hostile = format!("\u{1b}[31m{}", "x".repeat(900)).parse::<Provider>().unwrap_err();
        assert_eq!(hostile.named, "x".repeat(40));
    }
}
