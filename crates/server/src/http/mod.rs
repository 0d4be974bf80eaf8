//! The tools over HTTP, at `/mcp`.
//!
//! A request is answered only if it comes with the token of a known caller, names a host that this server goes by, and,
//! if a browser sent it, comes from a page that is allowed to: otherwise any web page could reach a server on the
//! user's own machine.

mod door;
mod tokens;

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;

pub use door::Door;
pub use tokens::{TokenError, Tokens, variable_of};

use crate::mcp::Handler;
use crate::workbench::{Stores, Workbench};

/// A task has a megabyte at most; more than two need not be read.
const LARGEST_BODY: usize = 2 * 1024 * 1024;
/// How long requests and reviews may take after the server was asked to stop.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a server on HTTP is called and lets in.
#[derive(Debug, Clone)]
pub struct Site {
    pub door: Door,
    /// Host names beside the loopback ones and its own address.
    pub hosts: Vec<String>,
    /// Pages that may call from a browser, beside its own.
    pub origins: Vec<String>,
}

/// Answers requests until `stop` returns; what is being answered then is finished.
pub async fn serve<S: Stores>(
    listener: TcpListener,
    bench: Arc<Workbench<S>>,
    site: Site,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let address = listener.local_addr()?;
    let config = config(address, &site);
    let cancel = config.cancellation_token.clone();
    let router = router(Arc::clone(&bench), &site.door, config);
    let (asked, mut told) = tokio::sync::watch::channel(());
    let stopping = async move {
        stop.await;
        drop(asked);
    };
    let served = axum::serve(listener, router).with_graceful_shutdown(stopping).into_future();
    let out_of_patience = async {
        let _ = told.changed().await;
        tokio::time::sleep(PATIENCE).await;
        cancel.cancel();
        tokio::time::sleep(PATIENCE).await;
    };
    tokio::select! {
        served = served => served?,
        () = out_of_patience => {}
        () = bench.watch() => {}
    }
    bench.settle(PATIENCE).await;
    Ok(())
}

fn router<S: Stores>(bench: Arc<Workbench<S>>, door: &Door, config: StreamableHttpServerConfig) -> Router {
    let handlers = move || Ok(Handler::for_requests(Arc::clone(&bench)));
    let mcp = StreamableHttpService::new(handlers, Arc::new(NeverSessionManager::default()), config);
    Router::new()
        .route_service("/mcp", mcp)
        .layer(axum::middleware::from_fn_with_state(door.clone(), door::answer))
}

fn config(address: SocketAddr, site: &Site) -> StreamableHttpServerConfig {
    let port = address.port();
    let own = [address.ip().to_string(), "localhost".into(), "127.0.0.1".into(), "::1".into()];
    let origins = ["localhost".to_owned(), "127.0.0.1".to_owned(), "[::1]".to_owned()];
    let origins = origins.iter().map(|host| format!("http://{host}:{port}"));
    StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(LARGEST_BODY)
        .with_allowed_hosts(own.into_iter().chain(site.hosts.iter().cloned()))
        .with_allowed_origins(origins.chain(site.origins.iter().cloned()))
        .enforce_origin_validation()
}
