use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use domain::config::Config;
use server::Callers;
use server::http::{self, Door, Site, Tokens, variable_of};
use tokio::net::TcpListener;

use super::agent::interrupted;
use crate::failure::Failure;
use crate::missions::report_interrupted;
use crate::output::Exit;
use crate::pretty;
use crate::reviewers::Heard;
use crate::serving;
use crate::store::StoreArgs;

/// No list of tokens is longer.
const LARGEST_FILE: u64 = 1024 * 1024;

/// Serve the tools over HTTP, at /mcp, until SIGTERM or Ctrl-C.
///
/// It also finds missions whose process died, and tells their tickets.
///
/// Each caller has a token: in the variable COUNTERSIGN_TOKEN_NAME, or on a line `NAME TOKEN` of the file that --tokens
/// names. Names and roles are in countersign.yaml.
#[derive(Debug, clap::Args)]
pub(crate) struct Serve {
    /// The address to listen on.
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    addr: IpAddr,

    /// The port to listen on; 0 for any that is free.
    #[arg(long, value_name = "N", default_value_t = 8377)]
    port: u16,

    /// A file with a line `NAME TOKEN` for each caller, which nobody but its owner may read.
    #[arg(long, value_name = "FILE", env = "COUNTERSIGN_TOKENS")]
    tokens: Option<PathBuf>,

    /// Ask for no token: whoever is on this machine calls as NAME. Only on a loopback address.
    #[arg(long = "as", value_name = "NAME", conflicts_with = "tokens")]
    caller: Option<String>,

    /// A host name that clients may call this server by, beside localhost. May be given several times.
    #[arg(long, value_name = "HOST")]
    allow_host: Vec<String>,

    /// A web page that may call from a browser, such as `https://app.example.com:443`. May be given several times.
    #[arg(long, value_name = "ORIGIN")]
    allow_origin: Vec<String>,

    #[command(flatten)]
    store: StoreArgs,
}

impl Serve {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let config = self.store.operator_config()?;
        let door = self.door(&config)?;
        let site = Site { door, hosts: self.allow_host.clone(), origins: self.allow_origin.clone() };
        let address = SocketAddr::new(self.addr, self.port);
        let parts = serving::Parts::of(&self.store, config)?;
        let served = self.store.with_store(async |store| {
            let listener = match TcpListener::bind(address).await {
                Ok(listener) => listener,
                Err(error) => return Ok(Err(error)),
            };
            // From the moment we are said to be here, a signal is a request to stop and not the end.
            let mut stop = Box::pin(interrupted());
            tokio::select! {
                biased;
                () = &mut stop => return Ok(Ok(())),
                () = std::future::ready(()) => {}
            }
            if let Ok(address) = listener.local_addr() {
                pretty::note(&format!("Serving MCP at http://{address}/mcp"));
            }
            let heard: Heard = Arc::new(|step: &str| pretty::note(&pretty::safe(step)));
            tokio::select! {
                served = http::serve(listener, parts.at(store), site, stop) => Ok(served),
                // It never ends.
                () = report_interrupted(&self.store, None, &heard) => Ok(Ok(())),
            }
        })?;
        served.map_err(|error| {
            Failure::new(
                format!("cannot serve at {address}: {error}"),
                "choose another address with --addr or another port with --port; 0 takes any that is free",
            )
        })?;
        Ok(Exit::Ok)
    }

    fn door(&self, config: &Config) -> Result<Door, Failure> {
        let callers = Callers::of(config);
        if let Some(name) = &self.caller {
            let caller = callers.named(name).map_err(|unknown| serving::unknown(&unknown))?;
            return match self.addr.is_loopback() {
                true => Ok(Door::Open(caller)),
                false => Err(Failure::new(
                    format!("{} can be reached by others, and --as asks for no token", self.addr),
                    "give the callers tokens instead; see `countersign serve --help`",
                )),
            };
        }
        let file = self.tokens.as_deref().map(read_privately).transpose()?.unwrap_or_default();
        let tokens = Tokens::read(&callers, |name| std::env::var(name).ok(), &file).map_err(|error| {
            Failure::new(error, "give every caller a token of its own, such as `openssl rand -hex 32`")
        })?;
        if tokens.is_empty() {
            let variable = callers.usual().map(|caller| variable_of(caller.name())).unwrap_or_default();
            return Err(Failure::new(
                "nobody has a token, so nobody could call",
                format!(
                    "set {variable} to the output of `openssl rand -hex 32`, name a file with --tokens, or \
                         use --as NAME on this machine alone"
                ),
            ));
        }
        Ok(Door::Tokens(Arc::new(tokens)))
    }
}

/// A file of secrets that others can read is no secret.
fn read_privately(path: &Path) -> Result<String, Failure> {
    let cannot = |reason: String| {
        Failure::new(
            format!("cannot use the tokens in {}: {reason}", path.display()),
            "give --tokens a plain file of your own with `chmod 600`, holding a line `NAME TOKEN` for each caller",
        )
    };
    let file = std::fs::File::open(path).map_err(|error| cannot(error.to_string()))?;
    let metadata = file.metadata().map_err(|error| cannot(error.to_string()))?;
    if !metadata.is_file() || metadata.len() > LARGEST_FILE {
        return Err(cannot("it is not a plain file of a reasonable size".to_owned()));
    }
    if metadata.permissions().mode() & 0o077 != 0 {
        return Err(cannot("others than its owner can read or change it".to_owned()));
    }
    std::io::read_to_string(file).map_err(|error| cannot(error.to_string()))
}
