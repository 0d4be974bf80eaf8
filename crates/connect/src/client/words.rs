//! What went wrong with a line to a server, without the type names of the library that speaks the protocol.

use std::error::Error;

use domain::text::short_line;
use rmcp::service::{ClientInitializeError, ServiceError};

/// Why no line was opened.
pub(super) fn unopened(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::TransportError { error, .. } => broken(error.error.as_ref()),
        ClientInitializeError::ConnectionClosed(_) => "the server closed the connection".to_owned(),
        ClientInitializeError::JsonRpcError(data) => short_line(&data.message),
        ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. } => {
            let versions: Vec<String> = server_supported.iter().map(ToString::to_string).collect();
            format!("the server speaks only MCP of {}", short_line(&versions.join(", ")))
        }
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => unopened(fallback),
        ClientInitializeError::Cancelled => "the call was cancelled".to_owned(),
        _ => "the server does not answer as a server of MCP does".to_owned(),
    }
}

/// Why a call has no answer.
pub(super) fn unanswered(error: &ServiceError) -> String {
    match error {
        ServiceError::McpError(error) => short_line(&error.message),
        ServiceError::TransportSend(error) => broken(error.error.as_ref()),
        ServiceError::TransportClosed => "the server closed the connection".to_owned(),
        ServiceError::Timeout { timeout } => format!("no answer within {} s", timeout.as_secs()),
        ServiceError::Cancelled { .. } => "the call was cancelled".to_owned(),
        _ => "the server answered with something else".to_owned(),
    }
}

/// The last cause says what happened; those before it name types.
fn broken(error: &(dyn Error + Send + Sync + 'static)) -> String {
    let mut last: &dyn Error = error;
    while let Some(cause) = last.source() {
        last = cause;
    }
    let said = short_line(&last.to_string());
    match said.is_empty() || said.contains("rmcp::") {
        true => "the connection broke".to_owned(),
        false => format!("the connection broke: {said}"),
    }
}

#[cfg(test)]
mod tests {
    use std::any::TypeId;
    use std::io;

    use rmcp::transport::DynamicTransportError;

    use super::*;

    fn transport(error: impl Error + Send + Sync + 'static) -> DynamicTransportError {
        let name = "rmcp::transport::async_rw::AsyncRwTransport<rmcp::service::RoleClient>";
        DynamicTransportError::from_parts(name, TypeId::of::<()>(), Box::new(error))
    }

    #[test]
    fn no_error_names_a_type_of_the_library() {
        let pipe = || transport(io::Error::other("Broken pipe"));
        let context = "send initialize request".into();
        let opened = ClientInitializeError::TransportError { error: pipe(), context };
        assert!(opened.to_string().contains("rmcp::transport"), "the library says so");
        assert_eq!(unopened(&opened), "the connection broke: Broken pipe");
        assert_eq!(unanswered(&ServiceError::TransportSend(pipe())), "the connection broke: Broken pipe");
        let named = transport(io::Error::other("rmcp::service::Peer is gone"));
        assert_eq!(unanswered(&ServiceError::TransportSend(named)), "the connection broke");
        let closed = ClientInitializeError::ConnectionClosed("rmcp::x".to_owned());
        assert_eq!(unopened(&closed), "the server closed the connection");
    }
}
