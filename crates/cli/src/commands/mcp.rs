use server::{Callers, serve_stdio};

use crate::failure::Failure;
use crate::output::Exit;
use crate::serving;
use crate::store::StoreArgs;

/// Serve tools to a coding agent over the Model Context Protocol.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Mcp {
    Queue(Queue),
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
        }
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
        let served = self.store.with_store(async |store| Ok(serve_stdio(parts.at(store), caller).await))?;
        served.map_err(|error| {
            Failure::new(error, "this command is for MCP clients; see `countersign mcp queue --help`")
        })?;
        Ok(Exit::Ok)
    }
}
