//! The way out, as the operator of this machine configured it: countersign.yaml and .mcp.json as they are checked out here,
//! never as a change has them.

use std::path::PathBuf;

use connect::adapters::{Connections, Docs, Tracker, Vcs};
use connect::client::{Limits, McpServers};
use domain::config::Config;
use domain::forge::{BaseUrl, Provider};
use domain::ports::{PortError, PortErrorKind};
use domain::publish::PublishKey;
use domain::tools::CallScope;
use engine::publish::Patience;

use crate::failure::Failure;
use crate::reviewers::variable;
use crate::store::StoreArgs;

const SERVERS: &str = ".mcp.json";
const PUBLISH_KEY: &str = "COUNTERSIGN_PUBLISH_KEY";

/// Everything that is needed to reach forges, trackers and wikis.
#[derive(Debug)]
pub(crate) struct Outward {
    pub(crate) config: Config,
    servers: McpServers,
    program: PathBuf,
}

impl Outward {
    pub(crate) fn of(store: &StoreArgs) -> Result<Outward, Failure> {
        let config = store.operator_config()?;
        let path = store.root().join(SERVERS);
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
        Ok(Outward { config, servers, program })
    }

    fn connections(&self, scope: Option<CallScope>) -> Connections<'_> {
        Connections {
            policy: &self.config.connect,
            servers: &self.servers,
            program: &self.program,
            environment: &variable,
            scope,
            limits: Limits::default(),
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

    /// By which our comments are told where the forge does not say who we are.
    pub(crate) fn publish_key(&self) -> Option<PublishKey> {
        variable(PUBLISH_KEY).and_then(|secret| PublishKey::new(&secret))
    }

    pub(crate) fn patience(&self) -> Patience {
        Patience::default()
    }
}

impl From<PortError> for Failure {
    fn from(error: PortError) -> Failure {
        let hint = match error.hint.is_empty() {
            true => "`countersign doctor mission` shows what is set".to_owned(),
            false => error.hint.clone(),
        };
        Failure::new(error.to_string(), hint)
    }
}
