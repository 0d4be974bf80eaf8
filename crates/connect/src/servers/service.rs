use std::time::Duration;

use reqwest::Url;

use super::Patience;

/// What we ship a server for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Service {
    Github,
    Gitlab,
    Jira,
    Confluence,
}

impl Service {
    /// On requests several publishers take turns, each of which is taken for dead after twenty seconds of silence.
    pub(super) fn patience(self, usual: Patience) -> Patience {
        match self {
            Service::Github | Service::Gitlab => {
                Patience { limit_of_changes: usual.limit.min(Duration::from_secs(5)), ..usual }
            }
            Service::Jira | Service::Confluence => usual,
        }
    }

    pub const ALL: [Service; 4] = [Service::Github, Service::Gitlab, Service::Jira, Service::Confluence];

    pub fn as_str(self) -> &'static str {
        match self {
            Service::Github => "github",
            Service::Gitlab => "gitlab",
            Service::Jira => "jira",
            Service::Confluence => "confluence",
        }
    }

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Service::Github => "GitHub",
            Service::Gitlab => "GitLab",
            Service::Jira => "Jira",
            Service::Confluence => "Confluence",
        }
    }

    /// The variables that say where it is; the first that is set counts.
    pub fn address_variables(self) -> &'static [&'static str] {
        match self {
            Service::Github => {
                &["GITHUB_API_URL", "GITHUB_ENTERPRISE_URL", "GITHUB_SERVER_URL", "GITHUB_URL"]
            }
            Service::Gitlab => &["GITLAB_API_URL", "GITLAB_URL", "GITLAB_BASE_URL"],
            Service::Jira => &["JIRA_URL", "JIRA_BASE_URL"],
            Service::Confluence => &["CONFLUENCE_URL", "CONFLUENCE_BASE_URL"],
        }
    }

    /// The variables that hold a token which says by itself whose it is; the first that is set counts.
    pub fn token_variables(self) -> &'static [&'static str] {
        match self {
            Service::Github => &["GITHUB_TOKEN", "GH_TOKEN", "GITHUB_PERSONAL_ACCESS_TOKEN"],
            Service::Gitlab => &["GITLAB_TOKEN", "GITLAB_PERSONAL_ACCESS_TOKEN"],
            Service::Jira => &["JIRA_PERSONAL_TOKEN", "JIRA_TOKEN"],
            Service::Confluence => &["CONFLUENCE_PERSONAL_TOKEN", "CONFLUENCE_TOKEN"],
        }
    }

    /// Name and token of an account in Atlassian's cloud.
    pub(super) fn account_variables(self) -> Option<(&'static [&'static str], &'static [&'static str])> {
        match self {
            Service::Github | Service::Gitlab => None,
            Service::Jira => Some((&["JIRA_EMAIL", "JIRA_USERNAME"], &["JIRA_API_TOKEN"])),
            Service::Confluence => {
                Some((&["CONFLUENCE_EMAIL", "CONFLUENCE_USERNAME"], &["CONFLUENCE_API_TOKEN"]))
            }
        }
    }

    /// The variable that says which of two interfaces it has.
    pub(super) fn version_variable(self) -> Option<&'static str> {
        match self {
            Service::Github | Service::Gitlab => None,
            Service::Jira => Some("JIRA_API_VERSION"),
            Service::Confluence => Some("CONFLUENCE_API_VERSION"),
        }
    }

    /// All variables that are its own.
    pub(crate) fn variables(self) -> impl Iterator<Item = &'static str> {
        let (users, passwords) = self.account_variables().unwrap_or_default();
        [self.address_variables(), self.token_variables(), users, passwords]
            .into_iter()
            .flatten()
            .copied()
            .chain(self.version_variable())
    }

    pub(super) fn instructions(self) -> &'static str {
        match self {
            Service::Github => {
                "Pull requests on GitHub: read, discuss, review with inline comments, report checks."
            }
            Service::Gitlab => {
                "Merge requests on GitLab: read, discuss with positions in the diff, report statuses."
            }
            Service::Jira => "Issues in Jira: read, comment, move by the name of a status, link.",
            Service::Confluence => {
                "Pages in Confluence as text: by id, by search, by the service they describe."
            }
        }
    }

    pub(super) fn missing_words(self) -> [&'static str; 2] {
        match self {
            Service::Github => ["GITHUB_API_URL", "GITHUB_TOKEN"],
            Service::Gitlab => {
                ["GITLAB_API_URL (or GITLAB_URL)", "GITLAB_TOKEN (or GITLAB_PERSONAL_ACCESS_TOKEN)"]
            }
            Service::Jira => ["JIRA_URL", "JIRA_EMAIL with JIRA_API_TOKEN (or JIRA_PERSONAL_TOKEN)"],
            Service::Confluence => [
                "CONFLUENCE_URL",
                "CONFLUENCE_EMAIL with CONFLUENCE_API_TOKEN (or CONFLUENCE_PERSONAL_TOKEN)",
            ],
        }
    }

    /// Where its interface is, below the address that people know.
    pub(super) fn interface(self, variable: &str, url: &mut Url) {
        let path = url.path().trim_end_matches('/').to_owned();
        match self {
            Service::Github if variable != "GITHUB_API_URL" => match url.host_str().map(str::to_owned) {
                Some(host) if host == "github.com" || host.ends_with(".ghe.com") => {
                    // It is a name with a prefix: it fits where the name did.
                    let _ = url.set_host(Some(&format!("api.{host}")));
                }
                _ if path.ends_with("/api/v3") => {}
                _ => url.set_path(&format!("{path}/api/v3")),
            },
            Service::Gitlab if !path.ends_with("/api/v4") => url.set_path(&format!("{path}/api/v4")),
            Service::Github | Service::Gitlab | Service::Jira | Service::Confluence => url.set_path(&path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_silent_for_so_long_that_others_take_its_turn() {
        let changes = |service: Service| service.patience(Patience::default()).limit_of_changes.as_secs();
        assert_eq!(Service::ALL.map(changes), [5, 5, 60, 60]);
    }
}
