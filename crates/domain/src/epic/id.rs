use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const LONGEST: usize = 100;

/// The name of a ticket or an epic: one part of a branch's name, and as safe as the name of a file.
///
/// Letters, digits, `.`, `_` and `-`, beginning with a letter or digit. It cannot climb out of a folder, be taken
/// for an option or hide anything.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TicketId(String);

impl TicketId {
    /// Or why not.
    pub fn parse(text: &str) -> Result<TicketId, String> {
        match fault(text) {
            None => Ok(TicketId(text.to_owned())),
            Some(reason) => Err(reason),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What every message about an id tells to write instead.
pub(super) const EXPECTED: &str =
    "letters, digits, `.`, `_` and `-`, beginning with a letter or digit, 100 at most, as `auth-base`";

fn fault(id: &str) -> Option<String> {
    let said = |reason: &str| Some(reason.to_owned());
    if id.is_empty() {
        return said("is empty");
    }
    if id.len() > LONGEST {
        return Some(format!("is longer than {LONGEST} characters"));
    }
    if id.contains("..") {
        return said("holds `..`, which no branch may");
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if let Some(c) = id.chars().find(|c| !plain(*c)) {
        return Some(format!("holds {c:?}, which no id may"));
    }
    if !id.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return said("does not begin with a letter or digit");
    }
    if id.ends_with('.') || id.to_ascii_lowercase().ends_with(".lock") {
        return said("ends with `.` or `.lock`, which no branch may");
    }
    None
}

impl fmt::Display for TicketId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl AsRef<str> for TicketId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl std::borrow::Borrow<str> for TicketId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for TicketId {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        TicketId::parse(&text).map_err(|reason| format!("the id {text:?} {reason}"))
    }
}

impl From<TicketId> for String {
    fn from(id: TicketId) -> String {
        id.0
    }
}

impl JsonSchema for TicketId {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "TicketId".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "pattern": r"^(?!.*\.[lL][oO][cC][kK]$)[A-Za-z0-9](\.?[A-Za-z0-9_-])*$",
            "maxLength": LONGEST,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::assignments::BranchName;

    #[test]
    fn hostile_ids_are_refused() {
        let long = "a".repeat(101);
        let hostile = [
            "",
            "..",
            "a..b",
            "../a",
            "a/b",
            "a b",
            "a\tb",
            "a\u{1b}[31m",
            "-rf",
            ".hidden",
            "a.lock",
            "a.LOCK",
            "a.",
            "a~1",
            "a^",
            "a:b",
            "a?",
            "a*",
            "a[",
            "a\\b",
            "a@{1}",
            "a\u{202e}b",
            "ä",
            &long,
        ];
        for id in hostile {
            assert!(TicketId::parse(id).is_err(), "{id:?}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_accepted_names_a_branch_and_a_file(id in "[A-Za-z0-9._@{}~/ -]{1,12}") {
            if let Ok(id) = TicketId::parse(&id) {
                let branch = format!("ticket/{id}");
                prop_assert!(BranchName::parse(&branch).is_ok());
                prop_assert!(BranchName::parse(id.as_str()).is_ok() || id.as_str() == "HEAD");
                prop_assert_eq!(crate::text::file_name_part(id.as_str()).contains('/'), false);
            }
        }
    }
}
