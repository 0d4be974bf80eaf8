use connect::servers::{self, Access, AfterCall, Service, Settings};
use server::{Callers, serve_stdio};

use crate::failure::Failure;
use crate::output::Exit;
use crate::pretty;
use crate::requests::hand_in_what_is_created;
use crate::serving;
use crate::stdio;
use crate::store::StoreArgs;

/// Serve tools to a coding agent over the Model Context Protocol.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Mcp {
    Queue(Queue),
    /// Pull requests on GitHub or GitHub Enterprise as tools, on standard input and output.
    ///
    /// The token is in GITHUB_TOKEN (or GH_TOKEN, GITHUB_PERSONAL_ACCESS_TOKEN). The address is GITHUB_API_URL, or
    /// made from GITHUB_ENTERPRISE_URL, GITHUB_SERVER_URL or GITHUB_URL [default: the API of github.com].
    #[command(verbatim_doc_comment)]
    Github(OfForge),
    /// Merge requests on GitLab as tools, on standard input and output.
    ///
    /// The address is in GITLAB_API_URL (or GITLAB_URL, GITLAB_BASE_URL), the token in GITLAB_TOKEN (or
    /// GITLAB_PERSONAL_ACCESS_TOKEN).
    #[command(verbatim_doc_comment)]
    Gitlab(OfForge),
    /// Issues in Jira, Cloud or Data Center, as tools, on standard input and output.
    ///
    /// The address is in JIRA_URL (or JIRA_BASE_URL); JIRA_EMAIL and JIRA_API_TOKEN are an account in the cloud,
    /// JIRA_PERSONAL_TOKEN (or JIRA_TOKEN) one on a server. JIRA_API_VERSION is 2 or 3 where it cannot be found out.
    #[command(verbatim_doc_comment)]
    Jira(Outward),
    /// Pages in Confluence, Cloud or Data Center, as tools, on standard input and output.
    ///
    /// The address is in CONFLUENCE_URL (or CONFLUENCE_BASE_URL); CONFLUENCE_EMAIL and CONFLUENCE_API_TOKEN are an
    /// account in the cloud, CONFLUENCE_PERSONAL_TOKEN (or CONFLUENCE_TOKEN) one on a server.
    #[command(verbatim_doc_comment)]
    Confluence(Outward),
}

/// What the servers for other services have in common.
#[derive(Debug, clap::Args)]
pub(crate) struct Outward {
    /// Serve only the tools that change nothing
    #[arg(long)]
    read_only: bool,
}

/// What the servers for forges have besides.
#[derive(Debug, clap::Args)]
pub(crate) struct OfForge {
    #[command(flatten)]
    outward: Outward,

    /// Hand in every request that is created: as `countersign submit` does, its ticket is linked, moved and told, and its
    /// review is queued. VCS_PROVIDER and the tracker have to be set for it.
    #[arg(long, conflicts_with = "read_only")]
    hand_in: bool,

    #[command(flatten)]
    store: StoreArgs,
}

/// Tasks, assignments and reviews as tools, on standard input and output.
///
/// A coding agent starts it: `claude mcp add countersign -- countersign mcp queue`. Who calls is known by --as; the
/// callers and their roles are in countersign.yaml.
#[derive(Debug, clap::Args)]
pub(crate) struct Queue {
    /// Who calls [default: the first coder in countersign.yaml, else `engineer`]
    #[arg(long = "as", value_name = "NAME", env = "COUNTERSIGN_AS")]
    caller: Option<String>,

    #[command(flatten)]
    store: StoreArgs,
}

impl Mcp {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        match self {
            Mcp::Queue(command) => command.run(),
            Mcp::Github(command) => command.run(Service::Github),
            Mcp::Gitlab(command) => command.run(Service::Gitlab),
            Mcp::Jira(command) => command.run(Service::Jira, None),
            Mcp::Confluence(command) => command.run(Service::Confluence, None),
        }
    }
}

impl OfForge {
    fn run(self, service: Service) -> Result<Exit, Failure> {
        let after = match self.hand_in {
            true => Some(hand_in_what_is_created(self.store)?),
            false => None,
        };
        self.outward.run(service, after)
    }
}

impl Outward {
    fn run(self, service: Service, after: Option<AfterCall>) -> Result<Exit, Failure> {
        let access = if self.read_only { Access::ReadOnly } else { Access::Full };
        let wrong = |error: servers::SettingsError| {
            Failure::new(error, format!("see `countersign mcp {} --help`", service.as_str()))
        };
        let mut settings = Settings::from_env(service, &|name| std::env::var(name).ok()).map_err(wrong)?;
        settings.heard = Some(pretty::note);
        let mut handler = servers::Handler::new(&settings, access).map_err(wrong)?;
        if let Some(after) = after {
            handler = handler.then(after);
        }
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| {
                Failure::new(
                    format!("cannot start: {error}"),
                    "the system is out of threads or file descriptors",
                )
            })?;
        let served = runtime.block_on(async {
            let (transport, carrier) = stdio::carry();
            let served = servers::serve_stdio(handler, transport).await;
            carrier.finish().await;
            served
        });
        // Whoever still reads standard input on another thread is not waited for.
        runtime.shutdown_background();
        served.map_err(|error| {
            let hint =
                format!("this command is for MCP clients; see `countersign mcp {} --help`", service.as_str());
            Failure::new(error, hint)
        })?;
        Ok(Exit::Ok)
    }
}

impl Queue {
    fn run(self) -> Result<Exit, Failure> {
        let config = self.store.operator_config()?;
        let callers = Callers::of(&config);
        let caller = match self.caller.as_deref().filter(|name| !name.is_empty()) {
            Some(name) => callers.named(name).map_err(|unknown| serving::unknown(&unknown))?,
            None => callers.usual().ok_or_else(|| {
                Failure::new(
                    "nobody may call",
                    "name somebody under `agents:` or `people:` in countersign.yaml",
                )
            })?,
        };
        let parts = serving::Parts::of(&self.store, config)?;
        let served = self.store.with_store(async |store| {
            let (transport, carrier) = stdio::carry();
            let served = serve_stdio(parts.at(store), caller, transport).await;
            carrier.finish().await;
            Ok(served)
        })?;
        served.map_err(|error| {
            Failure::new(error, "this command is for MCP clients; see `countersign mcp queue --help`")
        })?;
        Ok(Exit::Ok)
    }
}
