use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::forge::{BadAddress, BaseUrl, Provider, UnsupportedProvider};
use crate::publish::PublishPolicy;

/// How forges, trackers and wikis are reached. Tokens are never here: they come from the environment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ConnectPolicy {
    /// `GITHUB` or `GITLAB`. Checked when it is used, so that a mission can report what it is told here.
    pub provider: String,
    /// Where people see the forge.
    pub base_url: String,
    pub vcs: ServerChoice,
    pub tracker: ServerChoice,
    pub docs: ServerChoice,
    pub statuses: Statuses,
    /// Whether git fetches the commits of a mission from the forge; else the diff of the port is all that is reviewed.
    pub mirror: bool,
    pub forks: ForkPolicy,
    /// What the check on a commit is called.
    pub check_name: String,
    /// Open comments at lines; the rest is in the summary.
    pub inline_comments: u32,
    /// Tools beyond reading and commenting that a model may use, by name.
    pub allow_tools: Vec<String>,
    /// Whether a mission needs the architecture page: without the page its review is inconclusive.
    pub require_architecture: bool,
}

/// Which server serves a port.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ServerChoice {
    /// Its name in `.mcp.json`; empty for our own.
    pub server: String,
    pub profile: ServerProfile,
}

/// Whose tool names a server has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ServerProfile {
    #[default]
    Countersign,
    GithubMcpServer,
    McpGitlab,
    McpAtlassian,
}

/// What the tracker calls the stations of a review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Statuses {
    pub code_review: String,
    pub approved: String,
    pub changes_requested: String,
}

/// What is done with a change that comes from a fork.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ForkPolicy {
    /// It is read and reviewed; nothing of it is executed and none of its configuration counts.
    #[default]
    ReadOnly,
    /// It is treated as a change of the project itself.
    Trusted,
}

impl Default for ConnectPolicy {
    fn default() -> Self {
        ConnectPolicy {
            provider: String::new(),
            base_url: String::new(),
            vcs: ServerChoice::default(),
            tracker: ServerChoice::default(),
            docs: ServerChoice::default(),
            statuses: Statuses::default(),
            mirror: true,
            forks: ForkPolicy::default(),
            check_name: "countersign".to_owned(),
            inline_comments: 50,
            allow_tools: Vec::new(),
            require_architecture: false,
        }
    }
}

impl Default for Statuses {
    fn default() -> Self {
        Statuses {
            code_review: "Code Review".to_owned(),
            approved: "Approved".to_owned(),
            changes_requested: "Changes Requested".to_owned(),
        }
    }
}

impl ServerProfile {
    pub fn as_str(self) -> &'static str {
        match self {
            ServerProfile::Countersign => "countersign",
            ServerProfile::GithubMcpServer => "github-mcp-server",
            ServerProfile::McpGitlab => "mcp-gitlab",
            ServerProfile::McpAtlassian => "mcp-atlassian",
        }
    }
}

impl ConnectPolicy {
    /// The forge: what `VCS_PROVIDER` says, else what the file says.
    pub fn provider(
        &self,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Provider, UnsupportedProvider> {
        let named = variable("VCS_PROVIDER").filter(|named| !named.trim().is_empty());
        named.as_deref().unwrap_or(&self.provider).parse()
    }

    /// Where people see the forge: `VCS_BASE_URL`, the file, the variable that the forge's own tools use, or the public
    /// address.
    pub fn base_url(
        &self,
        provider: Provider,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<BaseUrl, BadAddress> {
        let (own, public) = match provider {
            Provider::Github => ("GITHUB_SERVER_URL", "https://github.com"),
            Provider::Gitlab => ("GITLAB_URL", "https://gitlab.com"),
        };
        let given = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        let file = Some(self.base_url.clone()).filter(|url| !url.is_empty());
        let address = given("VCS_BASE_URL").or(file).or_else(|| given(own));
        BaseUrl::parse(address.as_deref().unwrap_or(public))
    }

    pub fn publishing(&self) -> PublishPolicy {
        PublishPolicy {
            check_name: self.check_name.clone(),
            most_inline: usize::try_from(self.inline_comments).unwrap_or(usize::MAX),
        }
    }

    pub(super) fn check(&self) -> Result<(), String> {
        let fits = (1..=100).contains(&self.check_name.chars().count())
            && !self.check_name.chars().any(char::is_control);
        if !fits {
            return Err("connect.check_name is a name of 1 to 100 characters".to_owned());
        }
        let pairs = [
            ("connect.vcs", &self.vcs, &[ServerProfile::GithubMcpServer, ServerProfile::McpGitlab][..]),
            ("connect.tracker", &self.tracker, &[ServerProfile::McpAtlassian]),
            ("connect.docs", &self.docs, &[ServerProfile::McpAtlassian]),
        ];
        for (key, choice, others) in pairs {
            let profile = choice.profile;
            if profile != ServerProfile::Countersign && !others.contains(&profile) {
                return Err(format!("{key}.profile: {} has no tools for this", profile.as_str()));
            }
            if profile != ServerProfile::Countersign && choice.server.is_empty() {
                return Err(format!(
                    "{key}.server is missing: name the server of .mcp.json that is {}",
                    profile.as_str()
                ));
            }
        }
        let Statuses { code_review, approved, changes_requested } = &self.statuses;
        match [code_review, approved, changes_requested].into_iter().any(|name| name.trim().is_empty()) {
            true => Err("connect.statuses: a status needs a name".to_owned()),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::*;

    fn parse(text: &str) -> Result<ConnectPolicy, String> {
        Config::parse("c.yaml", text).map(|config| config.connect).map_err(|error| error.to_string())
    }

    #[test]
    fn the_environment_names_the_forge_and_an_unknown_one_is_named_in_the_error() {
        let policy = parse("connect: { provider: gitlab }\n").unwrap();
        assert_eq!(policy.provider(|_| None), Ok(Provider::Gitlab));
        let error = policy.provider(|_| Some("BITBUCKET".into())).unwrap_err();
        assert_eq!(error.named, "BITBUCKET");
        assert!(ConnectPolicy::default().provider(|_| None).is_err());
    }

    #[test]
    fn the_base_address_is_the_nearest_that_somebody_named() {
        let policy = parse("connect: { base_url: 'https://git.example.com/forge/' }\n").unwrap();
        let base = |policy: &ConnectPolicy, set: &'static str| {
            let look = move |name: &str| (name == set).then(|| "https://env.example.com".to_owned());
            policy.base_url(Provider::Gitlab, look).unwrap().to_string()
        };
        assert_eq!(base(&policy, ""), "https://git.example.com/forge");
        assert_eq!(base(&policy, "GITLAB_URL"), "https://git.example.com/forge");
        assert_eq!(base(&policy, "VCS_BASE_URL"), "https://env.example.com");
        assert_eq!(base(&ConnectPolicy::default(), "GITLAB_URL"), "https://env.example.com");
        assert_eq!(base(&ConnectPolicy::default(), ""), "https://gitlab.com");
    }

    #[test]
    fn a_profile_has_to_fit_its_port_and_name_its_server() {
        for (text, expected) in [
            (
                "connect: { tracker: { server: x, profile: mcp-gitlab } }\n",
                "mcp-gitlab has no tools for this",
            ),
            ("connect: { vcs: { profile: mcp-gitlab } }\n", "connect.vcs.server is missing"),
            ("connect: { check_name: '' }\n", "1 to 100 characters"),
            ("connect: { statuses: { approved: ' ' } }\n", "a status needs a name"),
            ("connect: { forks: yes-please }\n", "forks"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
