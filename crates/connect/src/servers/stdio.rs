use rmcp::ServiceExt as _;
use rmcp::transport::io::stdio_pipes;

use super::Handler;

/// Why there was nobody to talk to.
#[derive(Debug, thiserror::Error)]
#[error("the client did not begin as MCP clients do: {0}")]
pub struct StdioError(String);

/// Serves one client on standard input and output until it goes away. Nothing else may be written to either.
pub async fn serve_stdio(handler: Handler) -> Result<(), StdioError> {
    match handler.serve(stdio_pipes()).await {
        Ok(service) => {
            // However it ended, the client is gone.
            let _ = service.waiting().await;
            Ok(())
        }
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(StdioError(domain::text::short_line(&error.to_string()))),
    }
}
