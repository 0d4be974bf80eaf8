//! The way out, as the operator of this machine configured it: countersign.yaml and .mcp.json as they are checked out here,
//! never as a change has them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use connect::adapters::{Connections, Docs, Tracker, Vcs};
use connect::client::{Limits, McpServers};
use connect::servers::Service;
use connect::waiting::{asks_to_wait, end_of};
use domain::config::Config;
use domain::forge::{BaseUrl, Provider};
use domain::ports::{PortError, PortErrorKind};
use domain::publish::PublishKey;
use domain::tools::CallScope;
use engine::publish::Patience;

use crate::failure::Failure;
use crate::reviewers::{Heard, variable};
use crate::store::StoreArgs;

const SERVERS: &str = ".mcp.json";
pub(crate) const PUBLISH_KEY: &str = "COUNTERSIGN_PUBLISH_KEY";

/// Everything that is needed to reach forges, trackers and wikis.
pub(crate) struct Outward {
    pub(crate) config: Config,
    servers: McpServers,
    program: PathBuf,
    heard: Option<Heard>,
}

impl Outward {
    pub(crate) fn of(store: &StoreArgs) -> Result<Outward, Failure> {
        Outward::at(&store.root(), store.operator_config()?)
    }

    /// With the servers that are named beside the operator's files.
    pub(crate) fn at(root: &Path, config: Config) -> Result<Outward, Failure> {
        let path = root.join(SERVERS);
        let servers = match std::fs::read_to_string(&path) {
            Ok(text) => McpServers::parse(SERVERS, &text, &variable).map_err(|bad| {
                Failure::new(bad, "it has the form { \"mcpServers\": { NAME: { \"command\": ... } } }")
            })?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => McpServers::default(),
            Err(error) => {
                return Err(Failure::new(format!("cannot read {SERVERS}: {error}"), "check its permissions"));
            }
        };
        let program = std::env::current_exe().map_err(|error| {
            Failure::new(format!("countersign cannot find itself: {error}"), "start it by its full path")
        })?;
        Ok(Outward { config, servers, program, heard: None })
    }

    /// With somebody who is told what is waited for.
    pub(crate) fn telling(self, heard: Heard) -> Outward {
        Outward { heard: Some(heard), ..self }
    }

    /// Says that this is tried again, and when.
    pub(crate) fn waits(&self, error: &PortError, pause: Duration) {
        let Some(heard) = &self.heard else { return };
        let forge = self.provider().map_or("The forge", Provider::name);
        heard(&match error.retry_after() {
            Some(_) => asks_to_wait(forge, pause),
            None => format!("Trying again in {} s: {error}", pause.as_secs().max(1)),
        });
    }

    fn connections(&self, scope: Option<CallScope>) -> Connections<'_> {
        Connections {
            policy: &self.config.connect,
            servers: &self.servers,
            program: &self.program,
            environment: &variable,
            scope,
            limits: Limits::default(),
            heard: self.heard.clone(),
        }
    }

    /// Nothing is started before the first call.
    pub(crate) fn vcs(&self) -> Result<Vcs, PortError> {
        self.connections(None).vcs()
    }

    pub(crate) fn tracker(&self) -> Result<Tracker, PortError> {
        self.connections(None).tracker()
    }

    pub(crate) fn docs(&self) -> Result<Docs, PortError> {
        self.connections(None).docs()
    }

    pub(crate) fn provider(&self) -> Result<Provider, PortError> {
        Ok(self.config.connect.provider(variable)?)
    }

    /// Where addresses of pull and merge requests have to lead.
    pub(crate) fn base_url(&self, provider: Provider) -> Result<BaseUrl, PortError> {
        self.config.connect.base_url(provider, variable).map_err(|bad| {
            PortError::new(
                PortErrorKind::NotConfigured,
                "use the forge",
                &bad.to_string(),
                "set VCS_BASE_URL, or connect.base_url in countersign.yaml",
            )
        })
    }

    /// By which our comments are told where the forge does not say who we are. Nothing if it could be guessed.
    pub(crate) fn publish_key(&self) -> Option<PublishKey> {
        variable(PUBLISH_KEY).and_then(|secret| PublishKey::new(&secret))
    }

    /// What git shows the forge to be let in: the token that our own servers use, as the forge wants it from git.
    pub(crate) fn authorization(&self, provider: Provider) -> Option<String> {
        let (service, user) = match provider {
            Provider::Github => (Service::Github, "x-access-token"),
            Provider::Gitlab => (Service::Gitlab, "oauth2"),
        };
        let set = |name: &&str| variable(name).filter(|value| !value.trim().is_empty());
        let token = service.token_variables().iter().find_map(set)?;
        let pair = format!("{user}:{}", token.trim());
        Some(format!("Basic {}", STANDARD.encode(pair)))
    }

    /// Whether somebody said which forge it is. Without that, nothing is asked of any.
    pub(crate) fn names_a_forge(&self) -> bool {
        let named = variable("VCS_PROVIDER").filter(|named| !named.trim().is_empty());
        named.is_some() || !self.config.connect.provider.is_empty()
    }

    pub(crate) fn patience(&self) -> Patience {
        Patience::default()
    }
}

impl std::fmt::Debug for Outward {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outward").field("servers", &self.servers).finish_non_exhaustive()
    }
}

impl From<PortError> for Failure {
    fn from(error: PortError) -> Failure {
        if let Some(wait) = error.retry_after() {
            return Failure::new(error.to_string(), format!("try again after {}", end_of(wait)))
                .passing_in(wait);
        }
        let hint = match error.hint.is_empty() {
            true => "`countersign doctor mission` shows what is set".to_owned(),
            false => error.hint.clone(),
        };
        Failure::new(error.to_string(), hint)
    }
}
