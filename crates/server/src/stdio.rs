use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::mcp::Handler;
use crate::workbench::{Stores, Workbench};
use domain::assignments::Caller;

/// How long reviews that still run may take after the client has gone.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why there was nobody to talk to.
#[derive(Debug, thiserror::Error)]
#[error("the client did not begin as MCP clients do: {0}")]
pub struct StdioError(String);

/// Serves one client, line by line, until it goes away.
pub async fn serve_stdio<S: Stores>(
    bench: Arc<Workbench<S>>,
    caller: Caller,
    transport: (impl AsyncRead + Send + Unpin + 'static, impl AsyncWrite + Send + Unpin + 'static),
) -> Result<(), StdioError> {
    let handler = Handler::for_caller(Arc::clone(&bench), caller);
    match handler.serve(transport).await {
        Ok(service) => {
            // However it ended, the client is gone.
            tokio::select! {
                _ = service.waiting() => {}
                () = bench.watch() => {}
            }
        }
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => {}
        Err(error) => return Err(StdioError(domain::text::short_line(&error.to_string()))),
    }
    bench.settle(PATIENCE).await;
    Ok(())
}
