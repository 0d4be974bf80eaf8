use rmcp::ServiceExt as _;
use tokio::io::{AsyncRead, AsyncWrite};

use super::Handler;

/// Why there was nobody to talk to.
#[derive(Debug, thiserror::Error)]
#[error("the client did not begin as MCP clients do: {0}")]
pub struct StdioError(String);

/// Serves one client, line by line, until it goes away.
pub async fn serve_stdio(
    handler: Handler,
    transport: (impl AsyncRead + Send + Unpin + 'static, impl AsyncWrite + Send + Unpin + 'static),
) -> Result<(), StdioError> {
    match handler.serve(transport).await {
        Ok(service) => {
            // However it ended, the client is gone.
            let _ = service.waiting().await;
            Ok(())
        }
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(StdioError(domain::text::short_line(&error.to_string()))),
    }
}
