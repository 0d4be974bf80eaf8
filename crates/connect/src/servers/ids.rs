//! Names and numbers that become part of an address. Each is checked before anything is sent: what does not look like one
//! of them is refused.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A newtype over a text with a rule, read from JSON.
macro_rules! checked {
    ($(#[$doc:meta])* $name:ident, $pattern:literal, $rule:expr, $wanted:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
        #[serde(try_from = "Value")]
        #[schemars(with = "String", extend("pattern" = $pattern))]
        pub(crate) struct $name(String);

        impl TryFrom<Value> for $name {
            type Error = String;

            fn try_from(value: Value) -> Result<$name, String> {
                let text = as_text(value);
                match text.filter(|text| $rule(text.as_str())) {
                    Some(text) => Ok($name(text)),
                    None => Err($wanted.to_owned()),
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl $name {
            #[allow(dead_code, reason = "not each of them needs it")]
            pub(crate) fn as_str(&self) -> &str {
                &self.0
            }
        }
    };
}

checked!(
    /// owner/name
    Repo,
    "^[A-Za-z0-9][A-Za-z0-9_.-]*/[A-Za-z0-9_.-]+$",
    is_repo,
    "repo: expected owner/name"
);
checked!(
    /// group/name, or the project's number
    Project,
    "^[0-9]+$|^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)+$",
    is_project,
    "project: expected group/name or the project's number"
);
checked!(
    /// A branch or another name of a commit.
    Ref,
    "^[^\\s~^:?*\\[\\\\]+$",
    is_ref,
    "branch or ref: no name that git allows"
);
checked!(
    /// A whole commit id.
    Sha,
    "^([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$",
    is_sha,
    "commit id: expected 40 or 64 hexadecimal digits"
);
checked!(
    /// PROJ-123
    IssueKey,
    "^[A-Z][A-Z0-9_]*-[0-9]+$",
    is_issue_key,
    "issue_key: expected the form PROJ-123"
);
checked!(
    /// Digits.
    Digits,
    "^[0-9]+$",
    is_digits,
    "id: expected digits only"
);
checked!(
    /// As another tool gave it.
    Opaque,
    "^[A-Za-z0-9_=-]+$",
    is_opaque,
    "id: expected an id as another tool gave it"
);

/// Counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "u64")]
#[schemars(with = "u64", extend("minimum" = 1))]
pub(crate) struct Number(u64);

impl TryFrom<u64> for Number {
    type Error = String;

    fn try_from(number: u64) -> Result<Number, String> {
        match (1..=i64::MAX.unsigned_abs()).contains(&number) {
            true => Ok(Number(number)),
            false => Err("numbers are counted from 1".to_owned()),
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Number {
    pub(crate) fn get(self) -> u64 {
        self.0
    }
}

impl Repo {
    pub(crate) fn owner(&self) -> &str {
        self.0.split_once('/').map_or("", |(owner, _)| owner)
    }

    pub(crate) fn name(&self) -> &str {
        self.0.split_once('/').map_or("", |(_, name)| name)
    }
}

fn as_text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Number(number) => number.as_u64().map(|number| number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn is_word(text: &str, most: usize) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    (1..=most).contains(&text.len()) && text.chars().all(allowed) && !matches!(text, "." | "..")
}

fn is_repo(text: &str) -> bool {
    text.split_once('/').is_some_and(|(owner, name)| {
        is_word(owner, 100) && is_word(name, 100) && owner.starts_with(|c: char| c.is_ascii_alphanumeric())
    })
}

fn is_project(text: &str) -> bool {
    let starts_well = |part: &str| part.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let is_path =
        || text.contains('/') && text.split('/').all(|part| is_word(part, 255) && starts_well(part));
    is_digits(text) || (text.len() <= 1_000 && is_path())
}

/// By the rules of `git check-ref-format`.
fn is_ref(text: &str) -> bool {
    let forbidden = |c: char| {
        c.is_control() || c.is_whitespace() || matches!(c, '~' | '^' | ':' | '?' | '*' | '[' | '\\')
    };
    let is_part = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock");
    (1..=255).contains(&text.len())
        && !text.contains(forbidden)
        && !text.contains("..")
        && !text.contains("@{")
        && !text.starts_with('-')
        && !text.ends_with('.')
        && text.split('/').all(is_part)
}

fn is_sha(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_issue_key(text: &str) -> bool {
    let is_project = |project: &str| {
        project.starts_with(|c: char| c.is_ascii_uppercase())
            && project.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    };
    text.len() <= 100
        && text.rsplit_once('-').is_some_and(|(project, number)| is_project(project) && is_digits(number))
}

fn is_digits(text: &str) -> bool {
    (1..=20).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_opaque(text: &str) -> bool {
    (1..=200).contains(&text.len())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '='))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const HOSTILE: [&str; 12] = [
        "",
        ".",
        "..",
        "../../user",
        "a/../b",
        "/a/b",
        "a//b",
        "a/b/../../user",
        "a\0/b",
        "a/b?x=1",
        "a/%2e%2e",
        "a/b#c",
    ];

    #[test]
    fn hostile_names_are_refused() {
        for hostile in HOSTILE {
            assert!(Repo::try_from(json!(hostile)).is_err(), "repo {hostile:?}");
            assert!(Project::try_from(json!(hostile)).is_err(), "project {hostile:?}");
            assert!(IssueKey::try_from(json!(hostile)).is_err(), "issue {hostile:?}");
            assert!(Digits::try_from(json!(hostile)).is_err(), "digits {hostile:?}");
            assert!(Opaque::try_from(json!(hostile)).is_err(), "opaque {hostile:?}");
        }
        for hostile in ["..", "a..b", "-x", "a b", "a//b", "/a", "a/", ".a", "a.lock", "a@{1}", "a\nb", "x?y"]
        {
            assert!(Ref::try_from(json!(hostile)).is_err(), "ref {hostile:?}");
        }
    }

    #[test]
    fn usual_names_are_taken() {
        for repo in ["owner/repo", "o-1/.github", "O_corp/a.b_c-d"] {
            assert!(Repo::try_from(json!(repo)).is_ok(), "{repo}");
        }
        for project in [json!("group/sub.group/name"), json!("42"), json!(42)] {
            assert!(Project::try_from(project.clone()).is_ok(), "{project}");
        }
        for branch in ["main", "feature/PROJ-1_x", "dependabot/npm_and_yarn/a-1.2", "ümläut", "a%2e"] {
            assert!(Ref::try_from(json!(branch)).is_ok(), "{branch}");
        }
        assert!(IssueKey::try_from(json!("AB_C2-17")).is_ok());
        assert!(Digits::try_from(json!(10042)).is_ok());
    }

    #[test]
    fn numbers_are_counted_from_one() {
        assert!(Number::try_from(0).is_err() && Number::try_from(u64::MAX).is_err());
        assert_eq!(Number::try_from(7).map(Number::get), Ok(7));
    }
}
