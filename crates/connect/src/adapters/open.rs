use std::path::Path;

use domain::config::{ConnectPolicy, ServerChoice, ServerProfile};
use domain::forge::Provider;
use domain::ports::{PortError, PortErrorKind};
use domain::tools::{CallScope, ToolPolicy};

use super::{Docs, Tracker, Vcs};
use crate::client::{Environment, Limits, Link, McpServers, Source, own_server};
use crate::profiles::{
    AtlassianDocs, AtlassianTracker, Confluence, Github, GithubOfficial, Gitlab, GitlabZereight, Jira, Server,
};
use crate::servers::Service;
use crate::waiting::Heard;

/// Everything that decides which server stands behind a port.
pub struct Connections<'a> {
    /// From the base commit, or the operator's.
    pub policy: &'a ConnectPolicy,
    /// From the base commit, or the operator's: never from the change, for it names programs that are started.
    pub servers: &'a McpServers,
    /// This program, which serves where nobody else is named.
    pub program: &'a Path,
    pub environment: Environment<'a>,
    /// What a model may write to.
    pub scope: Option<CallScope>,
    pub limits: Limits,
    /// Hears what our own servers wait for.
    pub heard: Option<Heard>,
}

impl Connections<'_> {
    /// Nothing is started before the first call. An unsupported provider is an error of kind `Unsupported`.
    pub fn vcs(&self) -> Result<Vcs, PortError> {
        let provider = self.policy.provider(self.environment)?;
        let service = match provider {
            Provider::Github => Service::Github,
            Provider::Gitlab => Service::Gitlab,
        };
        let server = self.server(&self.policy.vcs, service)?;
        match (self.policy.vcs.profile, provider) {
            (ServerProfile::Countersign, Provider::Github) => Ok(Vcs::Github(Github(server))),
            (ServerProfile::Countersign, Provider::Gitlab) => Ok(Vcs::Gitlab(Gitlab(server))),
            (ServerProfile::GithubMcpServer, Provider::Github) => {
                Ok(Vcs::GithubOfficial(GithubOfficial(server)))
            }
            (ServerProfile::McpGitlab, Provider::Gitlab) => Ok(Vcs::GitlabZereight(GitlabZereight(server))),
            (profile, _) => Err(unfit(
                &format!("the profile {} is not for {provider}", profile.as_str()),
                "connect.vcs.profile",
            )),
        }
    }

    pub fn tracker(&self) -> Result<Tracker, PortError> {
        let server = self.server(&self.policy.tracker, Service::Jira)?;
        match self.policy.tracker.profile {
            ServerProfile::Countersign => Ok(Tracker::Jira(Jira(server))),
            ServerProfile::McpAtlassian => Ok(Tracker::AtlassianTracker(AtlassianTracker(server))),
            profile @ (ServerProfile::GithubMcpServer | ServerProfile::McpGitlab) => Err(unfit(
                &format!("the profile {} is not for a tracker", profile.as_str()),
                "connect.tracker.profile",
            )),
        }
    }

    pub fn docs(&self) -> Result<Docs, PortError> {
        let server = self.server(&self.policy.docs, Service::Confluence)?;
        match self.policy.docs.profile {
            ServerProfile::Countersign => Ok(Docs::Confluence(Confluence(server))),
            ServerProfile::McpAtlassian => Ok(Docs::AtlassianDocs(AtlassianDocs(server))),
            profile @ (ServerProfile::GithubMcpServer | ServerProfile::McpGitlab) => Err(unfit(
                &format!("the profile {} is not for a wiki", profile.as_str()),
                "connect.docs.profile",
            )),
        }
    }

    fn server(&self, choice: &ServerChoice, service: Service) -> Result<Server, PortError> {
        let (name, entry, heard) = match choice.server.as_str() {
            "" => {
                let ours = own_server(self.program, service, self.environment);
                (service.as_str(), ours, self.heard.clone())
            }
            name => {
                let entry = self.servers.get(name).map_err(|bad| unfit(&bad.to_string(), ".mcp.json"))?;
                (name, entry.clone(), None)
            }
        };
        Ok(Server {
            link: Link::new(name, Source::Entry(entry), self.limits).telling(heard),
            policy: ToolPolicy { allow: self.policy.allow_tools.clone() },
            scope: self.scope.clone(),
        })
    }
}

fn unfit(reason: &str, place: &str) -> PortError {
    PortError::new(PortErrorKind::NotConfigured, "reach the server", reason, &format!("see {place}"))
}

impl std::fmt::Debug for Connections<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connections").field("policy", self.policy).finish_non_exhaustive()
    }
}
