use std::fmt;

use serde::{Deserialize, Serialize};

use crate::text::short_line;

/// A project on a forge: `owner/name`, `group/sub/name`, or a number where the forge has those.
///
/// Holds nothing that could lead a path or an address elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Project(String);

/// A pull or merge request.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct MergeRequestRef {
    pub project: Project,
    pub number: u64,
}

/// The key of a ticket, `PROJ-123`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct IssueKey(String);

/// Something that was to name a project or ticket and cannot.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{named}` is not {expected}")]
pub struct BadReference {
    pub named: String,
    pub expected: &'static str,
}

const LONGEST: usize = 255;

impl Project {
    pub fn parse(name: &str) -> Result<Project, BadReference> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let is_part = |part: &str| !part.is_empty() && part != "." && part != ".." && part.chars().all(plain);
        let parts: Vec<&str> = name.split('/').collect();
        let is_number = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
        let fits = name.len() <= LONGEST
            && parts.iter().all(|part| is_part(part))
            && (is_number || parts.len() >= 2);
        if fits { Ok(Project(name.to_owned())) } else { Err(bad(name, "a project such as owner/name or 42")) }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl IssueKey {
    pub fn parse(key: &str) -> Result<IssueKey, BadReference> {
        let fits = key.len() <= LONGEST
            && key.rsplit_once('-').is_some_and(|(project, number)| {
                let starts = project.starts_with(|c: char| c.is_ascii_uppercase());
                let plain = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
                let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
                starts && project.chars().all(plain) && digits
            });
        if fits {
            Ok(IssueKey(key.to_owned()))
        } else {
            Err(bad(key, "the key of a ticket such as PROJ-123"))
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first key in a name that people give, as of a branch: `feature/PROJ-123-login`.
    pub fn find_in(name: &str) -> Option<IssueKey> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut parts = name.split(|c: char| !is_part(c) && c != '-');
        parts.find_map(|part| {
            let words: Vec<&str> = part.split('-').collect();
            words.windows(2).find_map(|pair| {
                let [project, number] = pair else { return None };
                let long_enough = project.len() > 1;
                IssueKey::parse(&format!("{project}-{number}")).ok().filter(|_| long_enough)
            })
        })
    }

    /// What stands before the number.
    pub fn project(&self) -> &str {
        self.0.rsplit_once('-').map_or("", |(project, _)| project)
    }
}

fn bad(named: &str, expected: &'static str) -> BadReference {
    BadReference { named: short_line(named), expected }
}

impl fmt::Display for Project {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Display for IssueKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Display for MergeRequestRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.project, self.number)
    }
}

impl TryFrom<String> for Project {
    type Error = BadReference;

    fn try_from(name: String) -> Result<Self, BadReference> {
        Project::parse(&name)
    }
}

impl TryFrom<String> for IssueKey {
    type Error = BadReference;

    fn try_from(key: String) -> Result<Self, BadReference> {
        IssueKey::parse(&key)
    }
}

impl From<Project> for String {
    fn from(project: Project) -> String {
        project.0
    }
}

impl From<IssueKey> for String {
    fn from(key: IssueKey) -> String {
        key.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_never_leads_elsewhere() {
        for good in ["owner/name", "group/sub/n.a_m-e", "42"] {
            assert!(Project::parse(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "name",
            "a/../b",
            "a//b",
            "/a/b",
            "a/b?x=1",
            "a/b#c",
            "a/b%2f",
            "a b/c",
            "a/b\n",
            &"a/".repeat(200),
        ] {
            assert!(Project::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_key_of_a_ticket_is_found_in_the_name_of_a_branch() {
        let found = |name: &str| IssueKey::find_in(name).map(String::from);
        assert_eq!(found("feature/PROJ-123-log-in").as_deref(), Some("PROJ-123"));
        assert_eq!(found("fix-PROJ-7").as_deref(), Some("PROJ-7"));
        for none in ["main", "release-2", "utf-8", "feature/proj-1", "PROJ-x"] {
            assert_eq!(found(none), None, "{none}");
        }
    }

    #[test]
    fn the_key_of_a_ticket_is_checked() {
        assert_eq!(IssueKey::parse("PROJ_2-123").map(|key| key.project().to_owned()), Ok("PROJ_2".into()));
        for bad in ["", "PROJ", "proj-1", "PROJ-", "PROJ-1x", "PROJ-1/../2", "1A-1"] {
            assert!(IssueKey::parse(bad).is_err(), "{bad}");
        }
    }
}
